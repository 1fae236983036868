/** The results of an experiment before the first run of a sitting: empty, or those that it goes on from. */
import { TargetError } from "../../base/errors.ts";
import type { Experiment } from "../../scenarios/file/experiment.ts";
import type { Cell } from "../../scenarios/plan/plan.ts";
import type { ProvidedRedis } from "../../targets/redis/provide.ts";
import type { OnProgress } from "../result/progress.ts";
import { openExperiment, type Provenance } from "./provenance.ts";
import type { Results } from "../result/result.ts";
import { commitNote, continued, EarlierRuns } from "./resume.ts";
import { VERSION } from "../../base/version.ts";

export interface StartingRequest {
  readonly experiment: Experiment;
  readonly source: string;
  readonly seed: number;
  /** The command line, for whoever repeats it. */
  readonly invocation: Pick<Results, "file" | "flags">;
  /** What an earlier sitting left, to go on from; null: nothing. */
  readonly kept: Results | null;
}

interface StartingFacts {
  readonly provenance: Provenance;
  readonly redis: Pick<ProvidedRedis, "kind"> | null;
}

export function startingResults(
  { experiment, source, seed, invocation, kept }: StartingRequest,
  { provenance, redis }: StartingFacts,
): Results {
  const now = new Date().toISOString();
  if (kept !== null) {
    return { ...continued(kept, now), redis: redis?.kind ?? kept.redis };
  }
  return {
    schema: "plateau.results/2",
    version: VERSION,
    experiment: openExperiment({ ...experiment }),
    source,
    ...invocation,
    seed,
    ...provenance,
    redis: redis?.kind ?? null,
    startedAt: now,
    finishedAt: null,
    state: "running",
    planned: 0,
    runs: [],
    missing: [],
  };
}

/** Throws a TargetError when a cell has runs and now missing what it needs, or would use another Redis. */
export function assertAsBefore(
  before: Results,
  now: Pick<StartingFacts, "redis"> & {
    readonly missing: ReadonlyMap<Cell, { readonly reason: string }>;
  },
): void {
  const kept = new EarlierRuns(before);
  const gone = [...now.missing].filter(([cell]) => kept.countOf(cell) > 0);
  if (gone.length > 0) {
    const reasons = new Set(gone.map(([, { reason }]) => reason));
    throw new TargetError("Cannot resume: something is gone that earlier runs had", [...reasons]);
  }
  if (before.redis === null || now.redis === null || before.redis === now.redis.kind) return;
  throw new TargetError(
    `Cannot resume with another Redis: the runs so far used ${
      REDIS[before.redis] ?? before.redis
    }, and this would be ${REDIS[now.redis.kind]}`,
  );
}

const REDIS: Readonly<Record<string, string>> = {
  given: "one named with --redis or REDIS_URL",
  found: "the one found on 127.0.0.1:6379",
  private: "a private one",
};

/** Notes how many runs there are, and what has changed. */
export function noteResume(
  kept: Results,
  { commit }: Provenance,
  onProgress: OnProgress,
): void {
  const text = `Goes on after ${kept.runs.length} of ${kept.planned} runs`;
  const change = kept.file?.folder === null ? null : commitNote(kept.commit, commit);
  for (const line of [text, change]) {
    if (line !== null) onProgress({ kind: "note", text: line });
  }
}
