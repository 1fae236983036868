/** Loads for which generator and machine have time to spare, so that Plateau must not doubt the measurement. */
import type { Measurement } from "../../runner/result/result.ts";
import { startNginx } from "../stage/nginx.ts";
import { generate, startApi } from "./stage.ts";

export interface Quiet {
  readonly server: "api" | "nginx";
  readonly path: string;
  readonly flags: string;
}

export const QUIET: readonly Quiet[] = [
  { server: "api", path: "/fib", flags: "-c 1" },
  { server: "api", path: "/fib", flags: "-c 10" },
  { server: "api", path: "/fib", flags: "-c 50" },
  { server: "api", path: "/fib", flags: "-c 10 --driver tcp" },
  { server: "api", path: "/fib", flags: "-r 500/s -c 10" },
  { server: "api", path: "/fib", flags: "-r 1500/s -c 50" },
  { server: "api", path: "/static", flags: "-c 2" },
  { server: "api", path: "/static", flags: "-r 20000/s -c 20" },
  { server: "nginx", path: "/", flags: "-c 2" },
  { server: "nginx", path: "/", flags: "-r 20000/s -c 50" },
];

export async function measureQuiet(
  { server, path, flags }: Quiet,
  duration: string,
): Promise<Measurement> {
  await using started = await (server === "api" ? startApi() : startNginx());
  return await generate(`${started.origin}${path}`, `${flags} -d ${duration}`);
}
