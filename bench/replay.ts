/**
 * Measures how late the requests of a log are replayed, on one worker: the time from the moment in the log to the send.
 * The log has 5,000 requests a second at random moments, to 1,000 different paths.
 */
import { drawBy } from "../base/random.ts";
import { replayLoadOf } from "../scenarios/load/load.ts";
import { DEFAULT_KEYS } from "../scenarios/replay/choice.ts";
import { readReplay } from "../scenarios/replay/read_replay.ts";
import { replayScript } from "../scenarios/request/script.ts";
import type { Replay } from "../scenarios/replay/schedule.ts";
import type { Measurement } from "../runner/result/result.ts";
import { atMost } from "./bar.ts";
import type { Bench, Section } from "./bench.ts";
import { interleaved } from "./rounds.ts";
import { loadHere } from "./stage/here.ts";
import { startNginx } from "./stage/nginx.ts";

const PER_SEC = 5_000;
const PATHS = 1_000;
const DRIVERS = ["epoll", "tcp"] as const;
const BAR = atMost(1);

/** A log of requests at random moments, as lines of JSON. */
function logged(seconds: number): string[] {
  const draw = drawBy(1);
  const moments = Array.from({ length: PER_SEC * seconds }, () => draw(0, seconds * 1_000_000));
  return moments.sort((a, b) => a - b).map((us) =>
    JSON.stringify({ time: 1_700_000_000 + us / 1e6, method: "GET", path: `/${draw(1, PATHS)}` })
  );
}

function replayOf(lines: readonly string[]): Replay {
  const choice = { format: "json", keys: DEFAULT_KEYS, speed: 1, writes: false } as const;
  const read = readReplay("a log", choice, (visit) => lines.forEach(visit));
  if ("problem" in read) throw new Error(read.problem);
  return read.replay;
}

export const replay: Bench = {
  about: "how late the requests of a log are sent, at 5,000 a second",
  rounds: 5,
  async run({ rounds, short }): Promise<Section[]> {
    await using nginx = await startNginx();
    const log = replayOf(logged(short ? 2 : 10));
    const script = replayScript({ headers: {}, expect: {} }, log);
    const fields = { connections: 100, timeout: 5_000, keepAlive: true, workers: 1 };
    const seen = await interleaved(
      DRIVERS,
      rounds,
      (driver) =>
        loadHere({ origin: nginx.origin, script, driver, load: replayLoadOf(fields, log) }, {}),
    );
    return [{
      caption: `Lag of the requests of a log at ${PER_SEC} a second on one worker`,
      unit: "ms",
      rows: DRIVERS.flatMap((driver) =>
        (["p50", "p99", "max"] as const).map((figure) => ({
          what: `${driver}, ${figure}`,
          samples: seen[driver].map(({ generator }: Measurement) => generator.lag[figure]),
          ...figure === "p99" && { bar: BAR },
        }))
      ),
      notes: DRIVERS.flatMap((driver) => seen[driver].flatMap(lostBy(driver, log.dueUs.length))),
    }];
  },
};

/** Returns a function that describes how a run fell short if not all due requests were completed. */
function lostBy(driver: string, due: number): (run: Measurement) => string[] {
  return ({ requests, generator }) => {
    const { completed, failed, unfinished, dropped } = requests;
    if (completed === due) return [];
    return [
      `A run over ${driver}, up to ${
        Math.round(generator.lag.max)
      } ms late, completed ${completed} of ${due} ` +
      `requests: ${failed} failed, ${unfinished} were unfinished and ${dropped} dropped at its end.`,
    ];
  };
}
