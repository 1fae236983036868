/** `plateau ab` on a repository of a bench, to its end. */
import { join } from "node:path";
import * as z from "zod";
import { TargetError } from "../../base/errors.ts";
import { selfCommand } from "../../targets/launch/child.ts";
import { temporaryFolder } from "./folder.ts";

export interface AbPlace {
  /** Of the repository, with its `experiment.yaml`. */
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

const bound = z.number().nullable();
const figure = z.object({
  base: bound,
  ratio: bound,
  low: bound,
  high: bound,
  verdict: z.string(),
  reason: z.string().nullable(),
});
const comparisonShape = z.object({
  cells: z.array(z.object({
    fault: z.string().nullable(),
    figures: z.object({ rate: figure, p99: figure, cpuPerRequest: figure }),
  })).length(1),
});

/** Milliseconds. */
const spentShape = z.object({ spent: z.number() });

interface AbEnded {
  readonly code: number;
  /** From its start, builds included. */
  readonly seconds: number;
  /** Without the builds: of starts, of the load that shows the lengths of slices, and of all others. */
  readonly measuredS: number;
  readonly stdout: string;
  /** Of its one cell. */
  readonly figures: z.output<typeof comparisonShape>["cells"][number]["figures"];
  /** Why its verdicts are of the responses, and not of the figures. */
  readonly fault: string | null;
}

/** Verdicts by exit code: worse, inconclusive, neither. */
const VERDICTS: readonly number[] = [0, 1, 5];

/** Throws a TargetError where it ends without a verdict. */
export async function runAb(place: AbPlace, flags: string, range: string): Promise<AbEnded> {
  const { path: cwd, env } = place;
  using folder = temporaryFolder();
  const json = join(folder.path, "comparison.json");
  const out = join(folder.path, "out");
  const [program, args] = selfCommand([
    ...["ab", range, "experiment.yaml", ...flags.split(" ")],
    ...["--json", json, "--out", out, "--quiet"],
  ]);
  const since = performance.now();
  const ended = await new Deno.Command(program, { args, cwd, env, stdin: "null" }).output();
  const seconds = (performance.now() - since) / 1_000;
  const [stdout, stderr] = [ended.stdout, ended.stderr].map((bytes) =>
    new TextDecoder().decode(bytes)
  );
  if (!VERDICTS.includes(ended.code)) {
    const last = stderr.trim().split("\n").slice(-5);
    throw new TargetError(`Cannot measure: plateau ab exited with code ${ended.code}`, last);
  }
  const { cells: [cell] } = comparisonShape.parse(JSON.parse(Deno.readTextFileSync(json)));
  const { spent } = spentShape.parse(JSON.parse(Deno.readTextFileSync(join(out, "results.json"))));
  return { code: ended.code, seconds, measuredS: spent / 1_000, stdout, ...cell };
}
