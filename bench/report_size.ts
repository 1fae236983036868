/**
 * Measures the size of a report, the time until its first screen is usable in a browser, and the time that `report` and
 * `compare` take.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { EXIT, TargetError } from "../base/errors.ts";
import { reportModel } from "../report/model.ts";
import { renderReportPage } from "../report/render/html/page.ts";
import { selfCommand } from "../targets/launch/child.ts";
import { atMost } from "./bar.ts";
import type { Bench, Effort, Section } from "./bench.ts";
import { interleaved } from "./rounds.ts";
import { openBrowser } from "./stage/browser.ts";
import { temporaryFolder } from "./stage/folder.ts";
import { paperResults, type PaperSpec, writeResults } from "./stage/paper.ts";

interface Promised {
  readonly paper: PaperSpec;
  readonly mostMb: number;
  readonly mostMs: number;
}

const PAGES = {
  "a small experiment: 30 runs of 1.25 s": {
    paper: { frameworks: 2, runs: 3, duration: 1.25 },
    mostMb: 0.7,
    mostMs: 300,
  },
  "the whole of a paper: 450 runs of 10 s": {
    paper: {},
    mostMb: 4.5,
    mostMs: 300,
  },
} satisfies Record<string, Promised>;

type Name = keyof typeof PAGES;
const NAMES = Object.keys(PAGES).filter((name): name is Name => name in PAGES);

export const report: Bench = {
  about: "how large a report is, how soon it can be used, how long commands take",
  rounds: 5,
  async run({ rounds, short }): Promise<Section[]> {
    const names = short ? NAMES.slice(0, 1) : NAMES;
    await using browser = await openBrowser();
    using folder = temporaryFolder();
    const html = new Map(names.map((name) => [name, pageOf(PAGES[name].paper)]));
    const seen = await interleaved(names, rounds, (name) => {
      const file = join(folder.path, "report.html");
      writeFileSync(file, html.get(name) ?? "");
      return browser.readyMs(pathToFileURL(file).href);
    });
    const megabytes = (name: Name): number => new TextEncoder().encode(html.get(name)).length / 1e6;
    return [{
      caption: "Size of a report",
      unit: "MB",
      rows: names.map((what) => ({
        what,
        samples: [megabytes(what)],
        bar: atMost(PAGES[what].mostMb),
      })),
    }, {
      caption: "From the start of loading a report until it is ready in Chromium",
      unit: "ms",
      rows: names.map((what) => ({ what, samples: seen[what], bar: atMost(PAGES[what].mostMs) })),
      notes: ["Ready: every chart on the screen is drawn, and controls answer."],
    }, await commandsSection({ rounds, short })];
  },
};

function pageOf(paper: PaperSpec): string {
  return renderReportPage([reportModel(paperResults(paper))]);
}

/**
 * The commands that read results, with bars in seconds from the start of the process to its exit. `report` reads 450
 * runs of 10 s each; `compare` reads twice as many.
 */
const COMMANDS = { "plateau report": atMost(1), "plateau compare": atMost(1.5) };
type CommandName = keyof typeof COMMANDS;

async function commandsSection({ rounds, short }: Effort): Promise<Section> {
  using folder = temporaryFolder();
  const [base, next] = ["base", "next"].map((name) => join(folder.path, name));
  const size: PaperSpec = short ? { frameworks: 2, runs: 3 } : {};
  writeResults(base, paperResults(size));
  writeResults(next, paperResults({ ...size, ...LATER }));
  const calls = {
    "plateau report": ["report", base],
    "plateau compare": ["compare", base, next],
  } satisfies Record<CommandName, string[]>;
  const names = Object.keys(calls).filter((name): name is CommandName => name in calls);
  const seen = await interleaved(names, rounds, (name) => secondsOf(calls[name]));
  return {
    caption: `Commands over ${short ? "30" : "450"} runs a side, from start to end`,
    unit: "s",
    rows: names.map((what) => ({ what, samples: seen[what], bar: COMMANDS[what] })),
  };
}

/**
 * The exit codes that count as success. They include every verdict, because a comparison of generated results may end
 * with any.
 */
const ENDS = [EXIT.done, EXIT.failedCheck, EXIT.inconclusive];

/** Results of the same programs a day later, when they are 3 % slower. */
const LATER: PaperSpec = { seed: 43, startedAt: "2031-05-05T10:18:00.000Z", slower: 1.03 };

async function secondsOf(args: readonly string[]): Promise<number> {
  const [program, all] = selfCommand(args);
  const startMs = performance.now();
  const { code } = await new Deno.Command(program, { args: all, stdout: "null", stderr: "null" })
    .output();
  if (!ENDS.some((end) => end === code)) {
    throw new TargetError(`Cannot measure: ${args[0]} exited with code ${code}`);
  }
  return (performance.now() - startMs) / 1_000;
}
