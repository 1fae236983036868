/** The stored results, and what is rendered of each: a file added to `results/` is rendered without another line. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { basename, join } from "node:path";

const TESTS = join(import.meta.dirname ?? "", "..");

export interface Stored {
  readonly name: string;
  readonly text: string;
  /** `plateau.results/2` and the like. */
  readonly schema: string;
}

const FOLDERS = ["results_v1", "fuzz/samples", "facts/results"];

export function storedResults(): Stored[] {
  return FOLDERS.map((folder) => join(TESTS, folder)).filter((path) => existsSync(path))
    .flatMap((path) => readdirSync(path).sort().map((name) => join(path, name)))
    .filter((path) => /\.json(?:\.gz)?$/.test(path))
    .map(readStored);
}

function readStored(path: string): Stored {
  const bytes = readFileSync(path);
  const text = new TextDecoder().decode(path.endsWith(".gz") ? gunzipSync(bytes) : bytes);
  const { schema } = JSON.parse(text);
  const prefix = path.includes("results_v1") ? "v1_" : path.includes("samples") ? "sample_" : "";
  return { name: prefix + basename(path).replace(/\.json(?:\.gz)?$/, ""), text, schema };
}

/** One folder of rendering, done by a few calls of the program. */
export type Case =
  | { readonly kind: "results"; readonly name: string; readonly stored: Stored }
  | {
    readonly kind: "compare";
    readonly name: string;
    /** Of one session, or of several. */
    readonly sides: readonly [readonly Stored[], readonly Stored[]];
    /** Beside the files. */
    readonly flags?: readonly string[];
    /** Earlier ones. */
    readonly sessions?: readonly Stored[];
  }
  | { readonly kind: "trend"; readonly name: string; readonly all: readonly Stored[] }
  /** Of the repository of `repository.ts`. */
  | {
    readonly kind: "ab";
    readonly name: string;
    readonly stored: Stored;
    readonly confirmation: Stored;
  };

/** Results that belong together: of `trend_1` to `trend_5`, for one. */
const TREND = /^(.+)_\d+$/;
/** `NAME_base` and `NAME_new`. */
const BASE = /^(.+)_base$/;

/** Of a series, whose members are alike, the first. */
function isRenderedAlone({ name }: Stored): boolean {
  return !TREND.test(name) || /_0*1$/.test(name);
}

export function casesOf(all: readonly Stored[]): Case[] {
  const results = all.filter(({ schema }) => schema.startsWith("plateau.results/"));
  const measurements = all.filter(({ schema }) => schema.startsWith("plateau.bench/"));
  return [
    ...results.filter(isRenderedAlone)
      .map((stored): Case => ({ kind: "results", name: stored.name, stored })),
    ...measurements.map((stored, i): Case => ({
      kind: "compare",
      name: stored.name,
      sides: [[measurements[Math.max(0, i - 1)]], [stored]],
    })),
    ...results.flatMap((base): Case[] => {
      const [, pair] = BASE.exec(base.name) ?? [];
      const next = results.find(({ name }) => name === `${pair}_new`);
      return next === undefined ? [] : comparisons(pair, [base, next], results);
    }),
    ...[...Map.groupBy(results, ({ name }) => TREND.exec(name)?.[1])].flatMap(([name, of]) =>
      name === undefined ? [] : series(name, of)
    ),
    ...results.flatMap((stored): Case[] => {
      const confirmation = results.find(({ name }) => name === `${stored.name}_confirmation`);
      return confirmation === undefined
        ? []
        : [{ kind: "ab", name: `${stored.name}_compared`, stored, confirmation }];
    }),
  ];
}

/** All of them in time; where they are many enough, the earlier against the later, too. */
function series(name: string, all: readonly Stored[]): Case[] {
  const half = all.length / 2;
  const sides = [all.slice(0, half), all.slice(half)] as const;
  return [
    { kind: "trend", name: `${name}_trend`, all },
    ...half < 4 ? [] : [{ kind: "compare" as const, name: `${name}_halves`, sides }],
  ];
}

function comparisons(
  pair: string,
  [base, next]: readonly [Stored, Stored],
  results: readonly Stored[],
): Case[] {
  const sessions = results.filter(({ name }) => name.startsWith(`${pair}_session`));
  const sides = [[base], [next]] as const;
  const rule = "p99 not worse than baseline by 5%";
  return [
    { kind: "compare", name: pair, sides },
    { kind: "compare", name: `${pair}_itself`, sides: [[base], [base]] },
    {
      kind: "compare",
      name: `${pair}_gated`,
      sides,
      flags: ["--margin", "5%", "--threshold", rule, "--threshold", "success >= 99.9%"],
    },
    ...sessions.length === 0
      ? []
      : [{ kind: "compare" as const, name: `${pair}_among_sessions`, sides, sessions }],
  ];
}
