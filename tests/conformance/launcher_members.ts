/** The launchers' family: lines of an experiment file for each way in which a target comes to be. */
import assert from "node:assert/strict";
import { TargetError } from "../../base/errors.ts";
import type { LaunchContext, RunningTarget } from "../../targets/launch/launcher.ts";
import { startTarget } from "../../targets/launchers.ts";
import type { Need } from "../needs.ts";
import { launchContext, program, targetFrom } from "../targets/fixtures/launch_context.ts";

export type Lines = Record<string, unknown>;

export function start(lines: Lines, changes?: Partial<LaunchContext>): Promise<RunningTarget> {
  return startTarget(targetFrom(lines), launchContext(changes));
}

/** A slow machine needs longer until a target that never gets ready is seen at all. */
const LIMITS_MS = [1_500, 6_000, 20_000];

/** The error of a start that runs out of time, in which the target was seen as `says` has it. */
export async function lateFailure(
  lines: Lines,
  says: RegExp,
  changes?: Partial<LaunchContext>,
): Promise<TargetError> {
  const errors: TargetError[] = [];
  for (const readyTimeoutMs of LIMITS_MS) {
    const error = await failure(lines, { ...changes, readyTimeoutMs });
    assert.ok(error.message.includes(` in ${readyTimeoutMs / 1_000} s: `), error.message);
    if (says.test(error.message)) return error;
    errors.push(error);
  }
  return assert.fail(`none is ${says}:\n${errors.join("\n")}`);
}

/** The error of a start that must fail. */
export async function failure(
  lines: Lines,
  changes?: Partial<LaunchContext>,
): Promise<TargetError> {
  const error = await start(lines, changes).then(() => assert.fail("it started"), (error) => error);
  assert.ok(error instanceof TargetError, String(error));
  return error;
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
