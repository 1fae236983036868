/** The workers of this process as a loader: all of a load, or an agent's part of it. */
import { messageOf, UserError } from "../scenarios/errors.ts";
import { endpointOf } from "../targets/dial/endpoint.ts";
import type { Surroundings } from "./generator.ts";
import { chooseDriver } from "./load/choose_driver.ts";
import type { SoFarReport } from "./load/job.ts";
import { makeRoomFor } from "./load/open_files.ts";
import { WorkerPool } from "./load/pool.ts";
import { LOG_HEADER } from "./load/request_log.ts";
import type { LoadRequest } from "./load_request.ts";
import type { Loaded, Loader, LoaderHooks } from "./loader.ts";
import { type Place, shareOut } from "./share.ts";
import { rememberedCalibration } from "./trust/calibration_cache.ts";
import { isHere, ownNames } from "./trust/sharing.ts";
import { UNKNOWN, watchSurroundings } from "./trust/surroundings.ts";

/** What is different where these workers are some of a fleet's. */
export interface FleetPart {
  /** Which workers of the whole these are; absent: all. */
  readonly place?: Place;
  /**
   * Asked once everybody is ready: when to start, milliseconds since the epoch by this machine's clock
   * (`performance.timeOrigin + performance.now()`). When it throws, nothing is loaded and `load` throws the
   * same. Absent: as soon as everybody can.
   *
   * @param delayMs How long the workers need from being told to the start.
   */
  readonly startMoment?: (delayMs: number) => Promise<number>;
  /** Called right after each `onInterval`. Worker 0 is the first own one, as there. */
  readonly onSoFar?: (worker: number, report: SoFarReport) => void;
}

export class LocalLoader implements Loader {
  readonly #pool = new WorkerPool();
  #lostLog: string | null = null;

  /** Throws a UserError or a TargetError when the load can't be begun. */
  async load(request: LoadRequest, hooks: LoaderHooks, part: FleetPart = {}): Promise<Loaded> {
    const endpoint = endpointOf(request.origin, request);
    const { driver, note } = chooseDriver(request.driver, endpoint);
    if (note !== null) hooks.onNote(note);
    const shares = shareOut(request, driver, part.place);
    const connections = shares.map((share) => share.connections);
    makeRoomFor(connections.reduce((sum, share) => sum + share, 0));
    if (request.logPath !== null) await beginLog(request.logPath);
    this.#lostLog = null;
    let surroundings = (): Surroundings => UNKNOWN;
    let deadline: ReturnType<typeof setTimeout> | undefined; // they count until then
    const reports = await this.#pool.run(shares, {
      startMoment: part.startMoment,
      onSoFar: part.onSoFar,
      onReady: hooks.onReady,
      onStart: (atMs) => {
        const look = watchSurroundings();
        let seen: Surroundings | null = null;
        surroundings = () => seen ??= look();
        const { durationUs, waitsForLast } = shares[0];
        const endMs = atMs + durationUs / 1_000 - performance.timeOrigin - performance.now();
        if (!waitsForLast && endMs < Infinity) deadline = setTimeout(surroundings, endMs);
        hooks.onStart(atMs);
      },
      onInterval: hooks.onInterval,
      onLostLog: (why) => {
        this.#lostLog = why;
      },
      signal: hooks.signal,
    }).finally(() => clearTimeout(deadline));
    const stage = {
      surroundings: surroundings(),
      calibration: await rememberedCalibration(driver),
      sharesMachine: isHere(endpoint, ownNames()),
    };
    return { driver, connections, reports, stage, agents: null };
  }

  lostLog(): string | null {
    return this.#lostLog;
  }

  close(): Promise<void> {
    this.#pool.close();
    return Promise.resolve();
  }
}

/** Throws a UserError when the file can't be written. */
async function beginLog(path: string): Promise<void> {
  try {
    await Deno.writeTextFile(path, LOG_HEADER);
  } catch (error) {
    const message = `Cannot write the request log to "${path}": ${messageOf(error)}`;
    throw new UserError([{ place: "--log", message }]);
  }
}
