/** How large a report is, and how long a browser takes until what is on its screen can be used. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { reportModel } from "../report/model/model.ts";
import { renderReportPage } from "../report/page/page.ts";
import { type CellSpec, resultsFixture } from "../tests/report/fixture.ts";
import { atMost } from "./bar.ts";
import type { Bench, Section } from "./bench.ts";
import { interleaved } from "./rounds.ts";
import { openBrowser } from "./stage/browser.ts";
import { temporaryFolder } from "./stage/folder.ts";

interface Promised {
  readonly cells: readonly CellSpec[];
  readonly mostMb: number;
  readonly mostMs: number;
}

/** Medians of Node frameworks and of what they are asked, as ratios to the fastest. */
const FRAMEWORKS = [4, 1.6, 3.2, 2.2, 5, 2, 12, 1.4, 0.9];
const QUESTIONS = { static: 1, fib: 6, redis: 1.5, error: 1.2, validation: 1.8 };

/** Every cell of targets and scenarios, with the given runs of so many seconds. */
function cellsOf(targets: readonly number[], runs: number, duration: number): CellSpec[] {
  return Object.entries(QUESTIONS).flatMap(([scenario, work]) =>
    targets.map((medianMs, i) => ({
      target: `target ${i + 1}`,
      scenario,
      medianMs: medianMs * work,
      connections: 20,
      warmUp: 1 + i % 2,
      runs,
      duration,
    }))
  );
}

const PAGES = {
  "a small experiment: 30 runs of 1.25 s": {
    cells: cellsOf(FRAMEWORKS.slice(0, 2), 3, 1.25),
    mostMb: 0.7,
    mostMs: 300,
  },
  "the whole of a paper: 450 runs of 10 s": {
    cells: cellsOf(FRAMEWORKS, 10, 10),
    mostMb: 8,
    mostMs: 1_500,
  },
} satisfies Record<string, Promised>;

type Name = keyof typeof PAGES;
const NAMES = Object.keys(PAGES).filter((name): name is Name => name in PAGES);

export const report: Bench = {
  about: "how large a report is, and how soon it can be used",
  rounds: 5,
  async run({ rounds, short }): Promise<Section[]> {
    const names = short ? NAMES.slice(0, 1) : NAMES;
    await using browser = await openBrowser();
    using folder = temporaryFolder();
    const html = new Map(names.map((name) => [name, pageOf(PAGES[name].cells)]));
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
    }];
  },
};

function pageOf(cells: readonly CellSpec[]): string {
  return renderReportPage([reportModel(resultsFixture({ name: "report", cells }))]);
}
