/**
 * Gathers the facts that `plateau doctor` judges: reads the machine's settings, and measures its idle load and its
 * clock.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { ExpectedError } from "../../base/errors.ts";
import { processTableOn, ticksIn } from "../../base/system/process_table.ts";
import { type BusyProcess, watchProcesses } from "../../base/system/processes.ts";
import { monotonicClock, stepUsOf } from "../../base/system/clock.ts";
import { describeMachine, TURBO_SWITCHES } from "../../base/system/describe.ts";
import { readSystemFile } from "../../base/system/linux.ts";
import type { Machine } from "../../base/system/facts.ts";
import { cleanEnv } from "../../targets/launch/environment.ts";
import { runtimeOf } from "../../targets/launch/runtime.ts";
import { provideRedis } from "../../targets/redis/provide.ts";
import { calibrate } from "../calibration/calibration.ts";
import type { Calibration } from "../host/calibration_cache.ts";
import { watchHostActivity } from "../host/host_activity.ts";
import { chooseDriver, type DriverChoice } from "../load/transports/choose_driver.ts";

/** The machine's activity while Plateau does nothing, on the cores that Plateau may use. */
export interface Idle {
  readonly seconds: number;
  /** Share of the cores in use; null if unknown. */
  readonly busyRatio: number | null;
  /** Share of the cores' time that the hypervisor gave to other machines; null if unknown. */
  readonly stealRatio: number | null;
  /** The processes, other than Plateau's own, that used the most CPU time. */
  readonly busiest: readonly BusyProcess[];
}

/** The Redis that a run would use, or what is wrong with it; null if there is none. */
type RedisFound =
  | { readonly version: string; readonly kind: "given" | "found" | "private" }
  | { readonly problem: string }
  | null;

export interface HostFacts {
  readonly machine: Machine;
  /** Path of the file that switches turbo on and off; null if the machine has none. */
  readonly turboSwitch: string | null;
  readonly idle: Idle;
  readonly clock: {
    readonly stepUs: number;
    /** Clock source, such as tsc; null if unknown. */
    readonly source: string | null;
  };
  readonly driver: DriverChoice;
  readonly calibration: Calibration | null;
  readonly redis: RedisFound;
  /** Version, such as nginx/1.22.1; null if nginx is not found. */
  readonly nginx: string | null;
}

interface LookOptions {
  /** URL of the Redis that the user named, or null. */
  readonly redisUrl: string | null;
  readonly signal: AbortSignal;
}

const IDLE_MS = 1_000;

export async function gatherFacts({ redisUrl, signal }: LookOptions): Promise<HostFacts> {
  const idle = await watchIdle(signal); // first, because everything below makes the machine busy
  const tls = { serverName: "127.0.0.1", insecure: false, caCerts: [] };
  const driver = await chooseDriver("auto", { hostname: "127.0.0.1", port: 80 });
  const secured = await chooseDriver("auto", { hostname: "127.0.0.1", port: 443, tls });
  return {
    machine: describeMachine(),
    turboSwitch: Object.values(TURBO_SWITCHES).find((path) => readSystemFile(path) !== null) ??
      null,
    idle,
    clock: {
      stepUs: stepUsOf(monotonicClock()),
      source: readSystemFile(CLOCK_SOURCE)?.trim() ?? null,
    },
    driver: { ...driver, tls: secured.tls },
    calibration: await calibrate({ driver: driver.driver, signal }),
    redis: await findRedis(redisUrl, signal),
    nginx: await runtimeOf(["nginx"], { env: cleanEnv(), cwd: Deno.cwd() }),
  };
}

const CLOCK_SOURCE = "/sys/devices/system/clocksource/clocksource0/current_clocksource";

async function watchIdle(signal: AbortSignal): Promise<Idle> {
  const table = processTableOn();
  const processes = watchProcesses(table === null ? undefined : () => ticksIn(table()));
  const activity = watchHostActivity();
  const startMs = performance.now();
  await sleep(IDLE_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  const { busy, steal } = activity();
  const seconds = (performance.now() - startMs) / 1_000;
  return { seconds, busyRatio: busy, stealRatio: steal, busiest: processes(seconds) };
}

/**
 * Finds the Redis that a run would use. A private one is started and stopped again, because a program that is on PATH
 * may still not work.
 */
async function findRedis(url: string | null, signal: AbortSignal): Promise<RedisFound> {
  try {
    const redis = await provideRedis({ url, signal });
    if (redis === null) return null;
    await redis.stop();
    return { version: redis.version, kind: redis.kind };
  } catch (error) {
    if (error instanceof ExpectedError) return { problem: error.lines[0] };
    throw error;
  }
}
