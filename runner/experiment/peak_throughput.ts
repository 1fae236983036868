/**
 * Measures the peak throughput of the generator and of Redis, if the experiment asks for it, once before its runs. A
 * failure becomes a note.
 */
import { messageOf } from "../../base/errors.ts";
import type { Experiment } from "../../scenarios/file/experiment_shape.ts";
import { benchmarkRedis } from "../../targets/redis/benchmark.ts";
import type { ProvidedRedis } from "../../targets/redis/provide.ts";
import type { FirstCalibration } from "../calibration/calibration.ts";
import type { MeasuredPeak, PeakThroughput } from "../result/generator.ts";
import { refutes } from "../host/calibration_cache.ts";
import type { OnProgress } from "../result/progress.ts";
import type { Results } from "../result/result.ts";

interface PeakThroughputRequest {
  readonly wanted: Experiment["ceilings"];
  readonly generator: FirstCalibration;
  readonly redis: Pick<ProvidedRedis, "url"> | null;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
}

export async function measurePeakThroughput(
  request: PeakThroughputRequest,
): Promise<PeakThroughput> {
  const { wanted } = request;
  return {
    ...wanted.includes("generator") && { generator: generatorPeak(request) },
    ...wanted.includes("redis") && { redis: await redisPeak(request) },
  };
}

function generatorPeak({ generator, onProgress }: PeakThroughputRequest): MeasuredPeak | null {
  const { calibration, driver } = generator;
  if (calibration === null) {
    onProgress({
      kind: "note",
      text: "The peak throughput of the load generator could not be measured",
    });
    return null;
  }
  const by = `one worker (${driver}), 50 connections, against a server that does nothing`;
  return { perSec: calibration.peakThroughput, by };
}

/**
 * Discards the generator's peak if a run has exceeded it, because the generator must have been disturbed when it was
 * measured alone.
 */
export function discardRefutedPeak(
  { peakThroughput, runs }: Pick<Results, "peakThroughput" | "runs">,
  onProgress: OnProgress,
): Pick<Results, "peakThroughput"> {
  const peak = peakThroughput?.generator;
  if (!peak) return {};
  const isRefuted = runs.some(({ rate: completedPerSec, elapsedS, load, generator }) =>
    refutes({
      completedPerSec,
      elapsedS,
      workers: generator.workers,
      pipeline: load.kind === "closed" ? load.pipeline : 1,
    }, { peakThroughput: peak.perSec })
  );
  if (!isRefuted) return {};
  const text =
    "The peak throughput of the load generator is left out, because a run was faster: the machine " +
    "must have been busy when that peak was measured";
  onProgress({ kind: "note", text });
  return { peakThroughput: { ...peakThroughput, generator: null } };
}

async function redisPeak(
  { redis, onProgress, signal }: PeakThroughputRequest,
): Promise<MeasuredPeak | null> {
  const note = (text: string): void => onProgress({ kind: "note", text });
  try {
    if (redis === null) throw new Error("there is no Redis");
    note("Measuring the peak throughput of Redis with redis-benchmark (takes some seconds)");
    return await benchmarkRedis(redis.url, { signal });
  } catch (error) {
    note(`Cannot measure the peak throughput of Redis: ${messageOf(error)}`);
    return null;
  }
}
