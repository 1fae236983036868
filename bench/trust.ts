/**
 * Tests whether Plateau knows when it has not measured its target. In eleven kinds of run something else is in the way,
 * and Plateau must report the right cause. Quiet runs must be valid.
 */
import { printError } from "../cli/terminal/terminal.ts";
import { textLines } from "../report/writing/terminal.ts";
import type { Measurement } from "../runner/result/result.ts";
import { calibrate } from "../runner/calibration/calibration.ts";
import { atLeast, atMost } from "./bar.ts";
import type { Bench, Row, Section } from "./bench.ts";
import { measureQuiet, QUIET } from "./trust/quiet.ts";
import { type Seen, STARVED, type Starved } from "./trust/starved.ts";
import { undisturbed } from "./trust/undisturbed.ts";

/** The number of quiet runs per round. */
const QUIET_A_ROUND = 2;

export const trust: Bench = {
  about: "whether starved runs are doubted, with the right cause, and quiet runs are not",
  rounds: 10,
  async run({ rounds, short }): Promise<Section[]> {
    const duration = short ? "1s" : "2s";
    // Measures the generator's peak rate and the baseline latency, against which runs are judged.
    await calibrate({ driver: "epoll", signal: new AbortController().signal });
    const starved = STARVED.map((scenario) => ({ scenario, seen: [] as Seen[] }));
    const quiet: Measurement[] = [];
    for (let round = 0; round < rounds; round++) {
      for (const { scenario, seen } of starved) {
        printError(textLines([`  round ${round + 1} of ${rounds}: ${scenario.what}`]));
        seen.push(await undisturbed(() => scenario.measure(duration)));
      }
      for (let i = 0; i < QUIET_A_ROUND; i++) {
        const load = QUIET[(round * QUIET_A_ROUND + i) % QUIET.length];
        printError(
          textLines([
            `  round ${round + 1} of ${rounds}: ${load.server}${load.path} ${load.flags}`,
          ]),
        );
        quiet.push(await undisturbed(() => measureQuiet(load, duration)));
      }
    }
    return [starvedSection(starved), quietSection(quiet)];
  },
};

interface Seens {
  readonly scenario: Starved;
  readonly seen: readonly Seen[];
}

function starvedSection(all: readonly Seens[]): Section {
  return {
    caption: "Runs that measured something other than the target",
    unit: "%",
    rows: all.flatMap(rowsOf),
    notes: all.flatMap(notesOf),
  };
}

function rowsOf({ scenario: { what, causes }, seen }: Seens): Row[] {
  const measured = measuredOf(seen);
  if (measured.length === 0) return [];
  const found = measured.filter(({ generator }) => generator.trust !== "valid");
  const right = found.filter(({ generator }) => causes.some((is) => is === firstCause(generator)));
  const share = (some: readonly Measurement[]): number => some.length / measured.length * 100;
  return [
    { what: `${what}: found`, samples: [share(found)], bar: atLeast(100) },
    { what: `${what}: cause`, samples: [share(right)], bar: atLeast(90) },
  ];
}

function measuredOf(seen: readonly Seen[]): Measurement[] {
  return seen.filter((one) => typeof one !== "string");
}

function firstCause({ findings }: Measurement["generator"]): string {
  return findings[0]?.code ?? "none";
}

/** Notes on findings that were reported in place of the correct one, and on why a scenario was skipped. */
function notesOf({ scenario: { what, causes }, seen }: Seens): string[] {
  const skipped = seen.find((one) => typeof one === "string");
  if (skipped !== undefined) return [`${what}: skipped, because ${skipped}.`];
  const wrong = measuredOf(seen).map(({ generator }) =>
    generator.findings.map(({ code }) => code).join(" + ") || "none"
  )
    .filter((said) => !causes.some((cause) => said.startsWith(cause)));
  return wrong.length === 0 ? [] : [`${what}: ${wrong.join(", ")}.`];
}

function quietSection(runs: readonly Measurement[]): Section {
  const doubted = runs.filter(({ generator }) => generator.trust !== "valid");
  return {
    caption: `${runs.length} runs on a quiet machine`,
    unit: "false alarms",
    rows: [{
      what: "not valid",
      samples: [doubted.length],
      bar: atMost(Math.ceil(runs.length / 20)),
    }],
    notes: doubted.map(({ url, generator }) =>
      `${url}: ${generator.findings.map(({ code }) => code).join(" ")}`
    ),
  };
}
