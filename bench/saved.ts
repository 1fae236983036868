/** Saves the figures of a bench to a file, from which the benchmarks page is made. */
import { join } from "node:path";
import * as z from "zod";
import { describeMachine } from "../base/system/describe.ts";
import type { Bench, Section } from "./bench.ts";
import { isKept } from "./table.ts";

const row = z.strictObject({
  what: z.string(),
  /** One value per round. */
  samples: z.array(z.number()),
  baseline: z.number().nullable(),
  /** The bar as text, and whether the median keeps it; null without a bar. */
  bar: z.string().nullable(),
  kept: z.boolean().nullable(),
});

const savedFigures = z.strictObject({
  schema: z.literal("plateau.figures/1"),
  bench: z.string(),
  about: z.string(),
  measuredAt: z.iso.datetime(),
  /** The commit of the sources, followed by `+` if they had uncommitted changes. */
  commit: z.string(),
  rounds: z.int().min(1),
  machine: z.strictObject({
    cpu: z.string(),
    cores: z.int(),
    os: z.string(),
    kernel: z.string(),
    arch: z.string(),
    deno: z.string(),
  }),
  sections: z.array(z.strictObject({
    caption: z.string(),
    unit: z.string(),
    baseline: z.string().nullable(),
    rows: z.array(row),
    notes: z.array(z.string()),
  })),
});

export type SavedFigures = z.output<typeof savedFigures>;

export function parseFigures(text: string): SavedFigures {
  return savedFigures.parse(JSON.parse(text));
}

interface Measured extends Pick<Bench, "about"> {
  readonly bench: string;
  readonly rounds: number;
  readonly sections: readonly Section[];
}

/** Writes the figures to `NAME.json` in the folder, where NAME is that of the bench. */
export function saveFigures(folder: string, { sections, ...measured }: Measured): void {
  const { cpu, cores, os, kernel, arch, deno } = describeMachine();
  const figures: SavedFigures = {
    schema: "plateau.figures/1",
    ...measured,
    measuredAt: new Date().toISOString(),
    commit: commit(),
    machine: { cpu, cores, os, kernel, arch, deno },
    sections: sections.map(({ caption, unit, baseline = null, rows, notes = [] }) => ({
      caption,
      unit,
      baseline,
      notes: [...notes],
      rows: rows.map((row) => ({
        what: row.what,
        samples: row.samples.filter(Number.isFinite),
        baseline: Number.isFinite(row.baseline) ? row.baseline ?? null : null,
        bar: row.bar?.text ?? null,
        kept: isKept(row),
      })),
    })),
  };
  Deno.mkdirSync(folder, { recursive: true });
  const path = join(folder, `${measured.bench}.json`);
  Deno.writeTextFileSync(path, `${JSON.stringify(figures, null, 2)}\n`);
}

function commit(): string {
  const git = (...args: string[]): string => {
    const { stdout } = new Deno.Command("git", { args, cwd: import.meta.dirname }).outputSync();
    return new TextDecoder().decode(stdout).trim();
  };
  const changes = git("status", "--porcelain", "--untracked-files=no", "--", ":/**.ts", ":/deno.*");
  return `${git("rev-parse", "--short", "HEAD")}${changes === "" ? "" : "+"}`;
}

/** Restores the sections from the saved figures. */
export function sectionsOf({ sections }: SavedFigures): Section[] {
  return sections.map(({ baseline, rows, ...section }) => ({
    ...section,
    ...baseline !== null && { baseline },
    rows: rows.map(({ bar, kept, baseline, ...row }) => ({
      ...row,
      ...baseline !== null && { baseline },
      ...bar !== null && { bar: { text: bar, holds: () => kept === true } },
    })),
  }));
}
