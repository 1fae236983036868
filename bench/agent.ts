/**
 * Measures the cost of generating a load through an agent. The same load runs alternately with and without an agent, by
 * one worker on the same core.
 */
import process from "node:process";
import { openLink } from "../runner/fleet/protocol/redis_link.ts";
import { roster } from "../runner/fleet/coordinator/roster.ts";
import { medianOf } from "../runner/stats/quantile.ts";
import { selfCommand } from "../targets/launch/child.ts";
import { TargetError } from "../base/errors.ts";
import { atLeastTimes } from "./bar.ts";
import type { Bench, Section } from "./bench.ts";
import { interleaved } from "./rounds.ts";
import { startNginx } from "./stage/nginx.ts";
import { runPlateau } from "./stage/plateau.ts";
import { placed, start } from "./stage/programs.ts";
import { privateRedis } from "./stage/redis.ts";

const WAYS = ["at once", "through an agent"] as const;
const READY_MS = 20_000;
const LOOK_MS = 100;

export const agent: Bench = {
  about: "full speed of one worker, directly and through one agent",
  rounds: 5,
  async run({ rounds, short }): Promise<Section[]> {
    await using stack = new AsyncDisposableStack();
    const nginx = stack.use(await startNginx());
    const redis = await privateRedis(stack);
    await startAgent(redis, stack);
    const flags = `-w 1 -d ${short ? 2 : 10}s`.split(" ");
    const fleet = ["--agents", "1", "--redis", redis];
    const seen = await interleaved(WAYS, rounds, (way) => {
      const more = way === "at once" ? [] : fleet;
      return runPlateau(`${nginx.origin}/`, [...flags, ...more]);
    });
    const rates = (way: typeof WAYS[number]): number[] => seen[way].map(({ rate }) => rate);
    const baseline = medianOf(rates("at once"));
    return [{
      caption: "Requests at full speed",
      unit: "1/s",
      baseline: "at once",
      rows: [
        { what: "at once", samples: rates("at once") },
        {
          what: "through one agent",
          samples: rates("through an agent"),
          ...{ baseline, bar: atLeastTimes(0.95) },
        },
      ],
    }];
  },
};

/** Starts an agent and resolves once it accepts jobs. Disposing of the stack stops the agent. */
async function startAgent(redis: string, stack: AsyncDisposableStack): Promise<void> {
  const [program, args] = selfCommand(["agent", "--redis", redis, "--workers", "1", "--quiet"]);
  const { pid, output } = start(placed("rest", [program, ...args]));
  stack.defer(async () => {
    process.kill(pid, "SIGTERM");
    // Ignored: an agent exits with an error code if it is stopped while it delivers its last run.
    await output.catch(() => {});
  });
  const link = await openLink({ url: redis });
  stack.defer(link.close);
  for (let waitedMs = 0; waitedMs < READY_MS; waitedMs += LOOK_MS) {
    if ((await roster(link.client)).length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new TargetError(`Cannot measure: no agent was ready within ${READY_MS / 1_000} s`);
}
