/** Measures what `ceilings` of an experiment asks for, once, before its runs. What can't be had is a note. */
import { messageOf } from "../../base/errors.ts";
import type { Experiment } from "../../scenarios/file/experiment.ts";
import type { ProvidedRedis } from "../../targets/redis/provide.ts";
import { benchmarkRedis } from "../../targets/redis/benchmark.ts";
import type { Ceiling, Ceilings } from "../result/ceilings.ts";
import type { OnProgress } from "../result/progress.ts";
import type { FirstCalibration } from "../calibration/calibration.ts";

export interface CeilingsRequest {
  readonly asked: Experiment["ceilings"];
  readonly generator: FirstCalibration;
  readonly redis: Pick<ProvidedRedis, "url"> | null;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
}

/** Gives what was asked for, and nothing else. */
export async function measureCeilings(request: CeilingsRequest): Promise<Ceilings> {
  const { asked } = request;
  return {
    ...asked.includes("generator") && { generator: generatorCeiling(request) },
    ...asked.includes("redis") && { redis: await redisCeiling(request) },
  };
}

function generatorCeiling({ generator, onProgress }: CeilingsRequest): Ceiling | null {
  const { calibration, driver } = generator;
  if (calibration === null) {
    onProgress({ kind: "note", text: "The load generator could not be measured by itself" });
    return null;
  }
  const by = `one worker (${driver}), 50 connections, against a server that does nothing`;
  return { perSec: calibration.ceiling, by };
}

async function redisCeiling(
  { redis, onProgress, signal }: CeilingsRequest,
): Promise<Ceiling | null> {
  const note = (text: string): void => onProgress({ kind: "note", text });
  try {
    if (redis === null) throw new Error("there is no Redis");
    note("Measuring what Redis can answer with redis-benchmark, some seconds");
    return await benchmarkRedis(redis.url, { signal });
  } catch (error) {
    note(`Cannot measure what Redis can answer: ${messageOf(error)}`);
    return null;
  }
}
