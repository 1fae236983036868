/** The launchers' family: lines of an experiment file for each way in which a target comes to be. */
import type { LaunchContext, RunningTarget } from "../../targets/launch/launcher.ts";
import { startTarget } from "../../targets/launch/registry.ts";
import type { Need } from "../needs.ts";
import { launchContext, program, targetFrom } from "../targets/fixtures/launch_context.ts";

export type Lines = Record<string, unknown>;

export function start(lines: Lines, changes?: Partial<LaunchContext>): Promise<RunningTarget> {
  return startTarget(targetFrom(lines), launchContext(changes));
}

/** A server that runs. */
export function serveHere(): Deno.HttpServer<Deno.NetAddr> {
  const where = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
  return Deno.serve(where, () => new Response("here"));
}

export async function statusOf(url: string): Promise<number> {
  const response = await fetch(url);
  await response.body?.cancel();
  return response.status;
}

/** What fronts stand in front of. */
export const others = { behind: targetFrom({ app: "work" }) };

export interface Member {
  readonly name: string;
  readonly needs?: readonly Need[];
  /** @param port Of a server that runs. */
  lines(port: number): Lines;
  /** Whether its processes are ours. */
  readonly owned: boolean;
}

export const MEMBERS: Member[] = [
  { name: "app", lines: () => ({ app: "work" }), owned: true },
  {
    name: "command",
    lines: () => ({ command: program("serve"), env: { HOST: "{host}" } }),
    owned: true,
  },
  { name: "url", lines: (port) => ({ url: `http://127.0.0.1:${port}` }), owned: false },
  { name: "proxy of a target", lines: () => ({ proxy: { origin: "behind" } }), owned: true },
  {
    name: "proxy of a URL",
    lines: (port) => ({ proxy: { origin: `http://127.0.0.1:${port}` } }),
    owned: true,
  },
  {
    name: "cluster, builtin",
    lines: () => ({ cluster: { of: "behind", instances: 2 } }),
    owned: true,
  },
  {
    name: "cluster, reuseport",
    needs: ["linux"],
    lines: () => ({ cluster: { of: "behind", instances: 2, balancer: "reuseport" } }),
    owned: true,
  },
  {
    name: "cluster, nginx",
    needs: ["nginx"],
    lines: () => ({ cluster: { of: "behind", instances: 2, balancer: "nginx" } }),
    owned: true,
  },
  {
    name: "nginx of a folder",
    needs: ["nginx"],
    lines: () => ({ nginx: { root: "./public folder" } }),
    owned: true,
  },
  {
    name: "nginx of written files",
    needs: ["nginx"],
    lines: () => ({ nginx: { files: { "/": "written", "/a.json": "{}" } } }),
    owned: true,
  },
  {
    name: "nginx of a target",
    needs: ["nginx"],
    lines: () => ({ nginx: { proxy: "behind" } }),
    owned: true,
  },
  {
    name: "nginx of a URL",
    needs: ["nginx"],
    lines: (port) => ({ nginx: { proxy: `http://127.0.0.1:${port}` } }),
    owned: true,
  },
];
