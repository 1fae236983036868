/**
 * An agent without workers. It talks to Redis as a real agent does, from joining the list of agents to its last report,
 * but replays a recording in place of workers' reports.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { AgentRun } from "../../runner/fleet/agent/agent_run.ts";
import { type Link, nowMs, readClock } from "../../runner/fleet/protocol/redis_link.ts";
import { agentQueue, messageQueue } from "../../runner/fleet/protocol/redis_keys.ts";
import { PresenceKeeper } from "../../runner/fleet/agent/presence.ts";
import { agentJob, type Presence } from "../../runner/fleet/protocol/agent_message.ts";
import type { Loaded } from "../../runner/measure/loader.ts";
import type { LocalLoader } from "../../runner/measure/local_loader.ts";
import { UNKNOWN_ACTIVITY } from "../../runner/host/host_activity.ts";
import { VERSION } from "../../base/version.ts";
import { withEngine } from "../../base/pattern.ts";
import type { Recording } from "./recording.ts";

interface Simulated {
  /**
   * The link to Redis, which several agents may share, because opening one takes longer than the rest of an agent's
   * start.
   */
  readonly link: Link;
  readonly name: string;
  readonly workers: number;
  readonly recording: Recording;
}

/** Simulates an agent until the program ends. Resolves once the agent is listed and takes jobs. */
export async function simulateAgent({ link, name, workers, recording }: Simulated): Promise<void> {
  const clock = await readClock(link.client);
  const presence: Presence = {
    ...{ name, workers, clock, version: VERSION, driver: recording.driver },
    ...{ host: name, cores: 2 * workers, openFiles: null, peakThroughput: null, allow: [] },
    ...{ coordinator: null, since: nowMs() },
  };
  const keeper = new PresenceKeeper(link.client, name, () => presence);
  const loader = replaying(recording);
  const setting = { agent: name, link, loader, logFolder: null, onNote: () => {} };
  await link.worker(agentQueue(name), async (data) => {
    const job = await withEngine(() => agentJob.parse(data));
    const queue = link.queue(messageQueue(job.coordinator));
    await new AgentRun(job, { ...setting, queue, signal: new AbortController().signal }).carryOut();
  }, 1);
  await keeper.claim();
  await keeper.begin(() => {});
}

/** A loader whose workers all replay the recording, each interval at its original time. */
function replaying({ driver, intervals, report }: Recording): Pick<LocalLoader, "load"> {
  const stage = { hostActivity: UNKNOWN_ACTIVITY, calibration: null, sharesMachine: false };
  return {
    async load(
      { intervalMs, load },
      hooks,
      { assigned, startMoment, onSoFar } = {},
    ): Promise<Loaded> {
      const own = Array.from({ length: assigned?.own ?? 1 }, (_, worker) => worker);
      hooks.onReady(own.length);
      const atMs = await startMoment?.(0) ?? nowMs();
      await sleep(Math.max(0, atMs - nowMs()));
      hooks.onStart(atMs);
      for (const [at, { part, health, soFar }] of intervals.entries()) {
        await sleep(Math.max(0, atMs + (at + 1) * intervalMs - nowMs()));
        for (const worker of own) {
          hooks.onInterval(worker, part, health);
          onSoFar?.(worker, soFar);
        }
      }
      const connections = own.map(() => Math.floor(load.connections / (assigned?.workers ?? 1)));
      return { driver, connections, reports: own.map(() => report), stage, agents: null };
    },
  };
}
