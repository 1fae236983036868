/** The benches' nginx as a fixed point to measure, on any core, and without the time that a supervisor takes. */
import { writeNginxConfig } from "../../bench/stage/nginx.ts";
import { freePort } from "../../targets/launch/surroundings.ts";
import { findProgram } from "../needs.ts";
import { until } from "./patience.ts";
import { emptyFolder } from "./plateau.ts";

/** Starts it on a free port; leaving the scope stops it. */
export async function startNginx(): Promise<AsyncDisposable & { origin: string }> {
  const folder = emptyFolder();
  const port = freePort();
  writeNginxConfig(folder.path, port);
  const child = new Deno.Command(findProgram("nginx") ?? "nginx", {
    args: ["-p", folder.path, "-c", "nginx.conf"],
  }).spawn();
  const origin = `http://127.0.0.1:${port}`;
  const answers = (): Promise<boolean> =>
    fetch(origin).then((answer) => answer.text()).then((body) => body !== "", () => false);
  await until("nginx answers", answers);
  return {
    origin,
    async [Symbol.asyncDispose](): Promise<void> {
      child.kill("SIGTERM");
      await child.status;
      folder[Symbol.dispose]();
    },
  };
}
