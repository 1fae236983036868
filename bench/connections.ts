/**
 * Tests whether ten thousand connections from one machine either work, or fail with one line that names the limit on
 * open files. Also measures the cost of as many connections as the machine allows.
 */
import { formatCount } from "../report/writing/units.ts";
import type { Measurement } from "../runner/result/result.ts";
import { ExpectedError } from "../base/errors.ts";
import { atMost, equal } from "./bar.ts";
import type { Bench, Section } from "./bench.ts";
import { sectionsOfMany } from "./connections/many.ts";
import { interleaved } from "./rounds.ts";
import { startNginx } from "./stage/nginx.ts";
import { runPlateau } from "./stage/plateau.ts";

const CONNECTIONS = 10_000;
const DRIVERS = ["epoll", "tcp"] as const;

export const connections: Bench = {
  about: "10,000 connections from one machine, and what 100,000 cost",
  rounds: 1,
  async run({ rounds, short }): Promise<Section[]> {
    await using nginx = await startNginx();
    const flags = `-c ${CONNECTIONS} -d ${short ? 3 : 10}s`.split(" ");
    const seen = await interleaved(
      DRIVERS,
      rounds,
      (driver) => runPlateau(`${nginx.origin}/`, [...flags, "--driver", driver]).catch(refusal),
    );
    return [
      ...DRIVERS.map((driver) => sectionOf(driver, seen[driver])),
      ...await sectionsOfMany(rounds, short),
    ];
  },
};

/**
 * Returns the line of the error that names the limit on open files, because such a refusal counts as success; rethrows
 * any other error.
 */
function refusal(error: unknown): string {
  const said = error instanceof ExpectedError ? error.lines.join("\n") : "";
  const line = said.split("\n").find((line) => /open files/i.test(line));
  if (line === undefined) throw error;
  return line.trim();
}

function sectionOf(driver: string, runs: readonly (Measurement | string)[]): Section {
  const measured = runs.filter((run) => typeof run !== "string");
  const refused = runs.filter((run) => typeof run === "string");
  return {
    caption: `${formatCount(CONNECTIONS)} connections, ${driver}`,
    unit: "count",
    baseline: "asked for",
    rows: measured.length === 0 ? [] : [
      {
        what: "connections opened",
        samples: measured.map(({ connect }) => connect.count),
        baseline: CONNECTIONS,
        bar: equal,
      },
      {
        what: "requests failed",
        samples: measured.map(({ requests }) => requests.failed),
        bar: atMost(0),
      },
      { what: "requests per second", samples: measured.map(({ rate }) => rate) },
    ],
    notes: [...new Set(refused)],
  };
}
