/**
 * Tests, on each runtime, whether Plateau names the causes of slowness that were planted in servers, and whether it
 * accuses healthy servers of none.
 */
import { printError } from "../cli/terminal/terminal.ts";
import { textLines } from "../report/writing/terminal.ts";
import { atLeast } from "./bar.ts";
import type { Bench, Row, Section } from "./bench.ts";
import { type Cause, GROUPS, type Runtime, RUNTIMES } from "./causes/cases.ts";
import { type Frames, isPlanted, type Named, runGroup, runProfiles } from "./causes/runs.ts";
import { temporaryFolder } from "./stage/folder.ts";

export const causes: Bench = {
  about: "whether planted causes of slowness are named, on Node, Deno, Go and Python",
  rounds: 10,
  async run({ rounds, only = "" }): Promise<Section[]> {
    using folder = temporaryFolder();
    const isAsked = (runtime: Runtime, part: string): boolean =>
      `${runtime.name}: ${part}`.includes(only);
    const sections: Section[] = [];
    for (const runtime of RUNTIMES) {
      const groups = GROUPS.filter(({ name }) => isAsked(runtime, name));
      const isProfiled = isAsked(runtime, PROFILES);
      if (groups.length === 0 && !isProfiled) continue;
      const command = await runtime.command(folder.path);
      const stage = { runtime, command, folder: folder.path, rounds };
      const named: Named[] = [];
      for (const group of groups) {
        tell(runtime, group.name);
        named.push(...await runGroup(group, stage));
      }
      if (isProfiled) tell(runtime, PROFILES);
      sections.push(sectionOf(runtime, named, isProfiled ? await runProfiles(stage) : null));
    }
    return sections;
  },
};

const PROFILES = "profiles";

function tell({ name }: Runtime, part: string): void {
  printError(textLines([`  ${name}: ${part}`]));
}

function sectionOf({ name }: Runtime, named: readonly Named[], frames: Frames | null): Section {
  const rows = named.map(({ cause, kinds }): Row =>
    rowOf(cause.what, kinds.map((kind) => isNamed(cause, kind)))
  );
  const wrong = named.flatMap(({ cause, kinds }) => {
    const others = kinds.filter((kind) => !isNamed(cause, kind));
    return others.length === 0 ? [] : [`${cause.what}: ${others.join(", ")}.`];
  });
  return {
    caption: `${name}: runs in which the cause was named`,
    unit: "%",
    rows: [...rows, ...frames === null ? [] : frameRows(frames)],
    notes: [...wrong, ...frames === null ? [] : frameNotes(frames)],
  };
}

function isNamed({ kinds }: Cause, said: string): boolean {
  return kinds.some((kind) => kind === said);
}

function rowOf(what: string, right: readonly boolean[]): Row {
  const share = 100 * right.filter((is) => is).length / right.length;
  return { what: `${what} (${right.length} runs)`, samples: [share], bar: atLeast(100) };
}

function frameRows({ hot, grown }: Frames): Row[] {
  return [
    rowOf("a hot function is the first by own time", hot.map(isPlanted)),
    rowOf("the function that was slowed down is the first to grow", grown.map(isPlanted)),
  ];
}

function frameNotes({ hot, grown, hotShares }: Frames): string[] {
  const others = [...hot, ...grown].filter((name) => !isPlanted(name));
  const [low, high] = [Math.min(...hotShares), Math.max(...hotShares)]
    .map((share) => `${(100 * share).toFixed(0)} %`);
  return [
    `The hot function has ${low} to ${high} of the own time.`,
    ...others.length === 0 ? [] : [`Other functions that were first: ${others.join(", ")}.`],
  ];
}
