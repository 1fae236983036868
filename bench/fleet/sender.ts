/**
 * `sender.ts URL RECORDING FIRST COUNT WORKERS` simulates COUNT agents in one process until its standard input closes.
 * URL is that of Redis, FIRST the number of the first agent, and WORKERS the number of workers of each agent.
 */
import { readFileSync } from "node:fs";
import { EventEmitter } from "node:events";
import { openLink } from "../../runner/fleet/protocol/redis_link.ts";
import { recording } from "./recording.ts";
import { simulateAgent } from "./simulated_agent.ts";

/** The number of simulated agents that share a link to Redis. In a real fleet each agent has its own link. */
const LINKED = 25;

const [url, path, first, count, workers] = Deno.args;
const played = recording.parse(JSON.parse(readFileSync(path, "utf8")));
EventEmitter.defaultMaxListeners = 0; // every agent listens to the shared link
let link = await openLink({ url });
for (let at = 0; at < Number(count); at++) {
  if (at > 0 && at % LINKED === 0) link = await openLink({ url });
  const name = `agent-${String(Number(first) + at).padStart(4, "0")}`;
  await simulateAgent({ link, name, workers: Number(workers), recording: played });
}
for await (const _ of Deno.stdin.readable);
Deno.exit(0);
