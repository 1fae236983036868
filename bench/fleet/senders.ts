/** Runs simulated agents in separate processes, so that their cost is not counted as the coordinator's. */
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { roster } from "../../runner/fleet/coordinator/roster.ts";
import { TargetError } from "../../base/errors.ts";
import type { RedisClient } from "../../targets/redis/client.ts";

interface Fleet {
  readonly url: string;
  readonly client: RedisClient;
  /** The path of the recording that the agents replay. */
  readonly path: string;
  readonly agents: number;
  readonly workersEach: number;
}

const AGENTS_EACH = 250;
/** The niceness of the simulated agents. They stand for other machines, so the measured programs take precedence. */
const NICENESS = 10;
const LISTED_MS = 300_000;
const LOOK_MS = 250;

/** Starts the agents, and resolves when Redis lists all of them. Disposing of the result stops them. */
export async function startSenders(fleet: Fleet): Promise<AsyncDisposable> {
  const sender = fileURLToPath(import.meta.resolve("./sender.ts"));
  const children: Deno.ChildProcess[] = [];
  for (let first = 0; first < fleet.agents; first += AGENTS_EACH) {
    const count = Math.min(AGENTS_EACH, fleet.agents - first);
    const numbers = [first, count, fleet.workersEach].map(String);
    const command = [Deno.execPath(), "run", "-A", sender, fleet.url, fleet.path, ...numbers];
    const args = ["-n", String(NICENESS), ...command];
    const options = { args, stdin: "piped", stdout: "null", stderr: "inherit" } as const;
    children.push(new Deno.Command("nice", options).spawn());
  }
  const stop = async (): Promise<void> => {
    await Promise.all(children.map(async ({ stdin, status }) => {
      await stdin.close().catch(() => {}); // rejects if the process has already ended
      await status;
    }));
  };
  const failed = Promise.race(children.map(async ({ status }) => {
    const { code } = await status;
    throw new TargetError(`Cannot measure a fleet: simulated agents ended with code ${code}`);
  }));
  failed.catch(() => {}); // also rejects when the processes are stopped on purpose
  try {
    await Promise.race([listed(fleet), failed]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { [Symbol.asyncDispose]: stop };
}

async function listed({ client, agents }: Fleet): Promise<void> {
  const endMs = performance.now() + LISTED_MS;
  for (let there = 0; there < agents; there = (await roster(client)).length) {
    if (performance.now() > endMs) {
      throw new TargetError(`Cannot measure a fleet: only ${there} of ${agents} agents are ready`);
    }
    await sleep(LOOK_MS);
  }
}
