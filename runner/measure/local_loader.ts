/** A loader with the workers of this process: for a whole load, or an agent's part of one. */
import { messageOf, UserError } from "../../base/errors.ts";
import type { TurnsSpec } from "../../scenarios/pace/slices.ts";
import { type Endpoint, hasTls } from "../../base/net/endpoint.ts";
import { epochNowMs } from "../../base/system/clock.ts";
import { makeRoomFor } from "../../base/system/open_files.ts";
import { isStream, openStream, replaceFile, writeAll } from "../../base/whole_file.ts";
import {
  type Calibration,
  forgetCalibration,
  refutes,
  rememberedCalibration,
  undercuts,
} from "../host/calibration_cache.ts";
import { isHere, ownNames, UNKNOWN_ACTIVITY } from "../host/host_activity.ts";
import type { HostUse } from "../host/host_watch.ts";
import type { DriverName } from "../load/engine/driver.ts";
import { slotsOf } from "../load/engine/job.ts";
import { chooseDriver, type DriverChoice } from "../load/transports/choose_driver.ts";
import type { SoFarReport, WorkerReport } from "../load/worker/messages.ts";
import { WorkerPool } from "../load/worker/pool.ts";
import { mergeHistograms, type SparseHistogram } from "../stats/histogram/histogram.ts";
import {
  type Loaded,
  type Loader,
  type LoaderHooks,
  type LoadRequest,
  originsOfLoad,
} from "./loader.ts";
import { type AssignedWorkers, shareOut } from "./share.ts";
import { quotedOpenly } from "../../base/secrets.ts";

/**
 * Settings for workers that don't make a load alone: they are part of a fleet, or their load takes turns with another.
 */
export interface FleetPart {
  /** Which workers of the whole load these are; absent: all. */
  readonly assigned?: AssignedWorkers;
  /**
   * Called once all workers are ready; returns the start in milliseconds since the epoch by this machine's clock
   * (`epochNowMs`). If it throws, nothing is loaded and `load` throws the same error. Absent: the load starts as soon
   * as all workers can start.
   * @param delayMs How long the workers need from the announcement to the start.
   */
  readonly startMoment?: (delayMs: number) => Promise<number>;
  /** Called right after each `onInterval`, with the same worker number: worker 0 is the first of this process. */
  readonly onSoFar?: (worker: number, report: SoFarReport) => void;
}

/** A timer with this delay, or a longer one, would fire immediately. */
const LONGEST_TIMER_MS = 2 ** 31;

/** A note if the server allows fewer streams than the load has; otherwise null. */
function streamLimit(reports: readonly WorkerReport[], streams = 1): string | null {
  const fewest = Math.min(...reports.map(({ fewestStreams = Infinity }) => fewestStreams));
  if (fewest === Infinity) return null;
  const taken = fewest === 1 ? "1 stream" : `${fewest} streams`;
  return `The server allows ${taken} at a time on a connection, but the load asks for ${streams}, ` +
    "so requests waited for a stream, and their latency includes that wait";
}

/** How much time of a load that takes turns with another load was measured, microseconds. */
async function ownUsOf(turns: TurnsSpec, lastedUs: number): Promise<number> {
  const { Turns } = await import("../../scenarios/pace/slices.ts");
  return new Turns(turns).ownUs(lastedUs);
}

export class LocalLoader implements Loader {
  #lostLog: string | null = null;

  constructor(private readonly pool: WorkerPool = new WorkerPool()) {}

  /** Throws a UserError or a TargetError if the load can't be begun. */
  async load(request: LoadRequest, hooks: LoaderHooks, part: FleetPart = {}): Promise<Loaded> {
    const endpoints = originsOfLoad(request).map(({ endpoint }) => endpoint);
    const [endpoint] = endpoints;
    const { driver, note } = await driverFor(request, endpoints);
    if (note !== null) hooks.onNote(note);
    const shares = shareOut(request, driver, part.assigned);
    const connections = shares.map((share) => share.connections);
    makeRoomFor(shares.reduce((sum, share) => sum + slotsOf(share), 0));
    const log = request.logPath === null ? null : await beginLog(request.logPath);
    this.#lostLog = null;
    const sharesMachine = isHere(endpoint, ownNames());
    // While the workers get ready, the target's processes are found, by code that is loaded only
    // now.
    const finding = import("../host/host_watch.ts")
      .then(({ hostWatch }) => hostWatch(endpoint, sharesMachine, request));
    let hostUse = (): HostUse => ({ hostActivity: UNKNOWN_ACTIVITY });
    let begin = (_: number): () => HostUse => hostUse;
    let deadline: ReturnType<typeof setTimeout> | undefined; // ends the observation of the host
    const { reports, ended } = await this.pool.run(shares, {
      startMoment: async (delayMs) => {
        begin = await finding;
        return await part.startMoment?.(delayMs) ??
          epochNowMs() + delayMs;
      },
      onSoFar: part.onSoFar,
      onReady: hooks.onReady,
      onStart: (atMs) => {
        const look = begin(atMs);
        let seen: HostUse | null = null;
        hostUse = () => seen ??= look();
        const { durationUs, waitsForLast } = shares[0];
        const leftMs = Math.max(0, atMs + durationUs / 1_000 - epochNowMs());
        if (!waitsForLast && leftMs < LONGEST_TIMER_MS) deadline = setTimeout(hostUse, leftMs);
        hooks.onStart(atMs);
      },
      onUnreached: hooks.onUnreached,
      onInterval: hooks.onInterval,
      onLostLog: (why) => {
        this.#lostLog = why;
      },
      signal: hooks.signal,
    }).finally(() => {
      clearTimeout(deadline);
      hostUse(); // stops observing, even after a failure
      log?.close();
    });
    const stage = {
      ...hostUse(),
      calibration: await this.#calibrationOf(driver, request, reports),
      sharesMachine,
      ...ended.length > 0 && { ended },
    };
    const limit = streamLimit(reports, shares[0].streams);
    if (limit !== null) hooks.onNote(limit);
    const driverNote = [note, limit].filter((text) => text !== null).join("; ") || undefined;
    return { driver, driverNote, connections, reports, stage, agents: null };
  }

  /**
   * The calibration. It is looked up only after the load, so as not to delay its start, and after every load, because
   * another load may have refuted it. A calibration that this load refutes is forgotten.
   */
  async #calibrationOf(
    driver: DriverName,
    { load, turns }: LoadRequest,
    reports: readonly WorkerReport[],
  ): Promise<Calibration | null> {
    const known = rememberedCalibration(driver);
    if (known === null) return null;
    const totals = reports.map((report) => report.totals);
    const inTime = totals.reduce(
      (sum, { completed, drain }) => sum + completed - drain.completed,
      0,
    );
    const lastedUs = Math.max(...reports.map(({ elapsedUs }) => elapsedUs));
    const elapsedS = (turns === undefined ? lastedUs : await ownUsOf(turns, lastedUs)) / 1e6;
    const pipeline = load.kind === "closed" ? load.pipeline : 1;
    const completedPerSec = inTime / elapsedS;
    const service = mergeHistograms(totals.map((part) => part.service));
    const isFaster = refutes(
      { completedPerSec, elapsedS, workers: reports.length, pipeline },
      known,
    );
    const isRefuted = isFaster || undercuts(service.valueAtPercentile(50) / 1_000, known);
    if (isRefuted) forgetCalibration(driver);
    return isRefuted ? null : known;
  }

  inFlight(): readonly SparseHistogram[] {
    return this.pool.inFlight;
  }

  incompleteLogReason(): string | null {
    return this.#lostLog;
  }

  close(): Promise<void> {
    this.pool.close();
    return Promise.resolve();
  }
}

/** One driver serves all hosts: the portable one if any of them needs it. */
async function driverFor(
  { driver: wish, load }: LoadRequest,
  endpoints: readonly Endpoint[],
): Promise<DriverChoice> {
  const resumes = load.tls === "resume";
  const choices = await Promise.all(endpoints.map((endpoint, at) => {
    const isElsewhere = at > 0; // a redirect's destination, perhaps without TLS
    return chooseDriver(wish, endpoint, resumes && (!isElsewhere || hasTls(endpoint)));
  }));
  return choices.find(({ driver }) => driver === "tcp") ?? choices[0];
}

/**
 * Creates the request log with its header. Returns null for a file. A stream, such as a named pipe, is returned open,
 * because its reader would take closing it for the end of the log. Throws a UserError if the log can't be written.
 */
async function beginLog(path: string): Promise<Deno.FsFile | null> {
  const { LOG_HEADER } = await import("../load/recording/request_log.ts");
  try {
    if (!isStream(path)) {
      await replaceFile(path, LOG_HEADER);
      return null;
    }
    const stream = await openStream(path);
    writeAll(stream, new TextEncoder().encode(LOG_HEADER));
    return stream;
  } catch (error) {
    const message = `Cannot write the request log to ${quotedOpenly(path)}: ${messageOf(error)}`;
    throw new UserError([{ place: "--log", message }]);
  }
}
