/** Runs `plateau ab` to its end, in a bench's repository. */
import { join } from "node:path";
import * as z from "zod";
import { TargetError } from "../../base/errors.ts";
import { selfCommand } from "../../targets/launch/child.ts";
import { temporaryFolder } from "./folder.ts";

export interface AbPlace {
  /** The path of the repository, in whose root `experiment.yaml` is. */
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

/** `spent` is in milliseconds. */
const spentShape = z.object({ spent: z.number() });

interface AbEnded {
  readonly code: number;
  /** The seconds from the start of `ab` to its end, builds included. */
  readonly seconds: number;
  /**
   * The seconds without builds. They include starts and all loads, also the trial load from which the length of slices
   * is chosen.
   */
  readonly measuredS: number;
  readonly stdout: string;
  /** The figures of the comparison's only cell (a target under a scenario). */
  readonly figures: z.output<typeof comparisonShape>["cells"][number]["figures"];
  /** The fault if the verdict is about the responses and not about figures; otherwise null. */
  readonly fault: string | null;
}

/** The exit codes with which `ab` gives a verdict: neither worse nor inconclusive (0), worse (1), inconclusive (5). */
const VERDICTS: readonly number[] = [0, 1, 5];

/** Throws a TargetError if `ab` ends without a verdict. */
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
