/**
 * A worker's code starts cold: for its first 50 ms V8 would compile the load loop at the target's expense, and the
 * target would look slow to warm up. So before its first run a worker plays the loop through once, with a driver that
 * responds at once and does no I/O. It hands on intervals, too, because that takes ten times as long the first time as
 * later.
 */
import { monotonicClock } from "../../../base/system/clock.ts";
import type { Driver, DriverEvents } from "../engine/driver.ts";
import type { Job, PacerSpec } from "../engine/job.ts";
import { BusyPeriods } from "../recording/busy_periods.ts";
import { protocolOver } from "../protocols/protocols.ts";
import { Recorder } from "../recording/recorder.ts";
import { SessionRecorder } from "../recording/totals.ts";
import { RequestLoop, RequestScript } from "../engine/request_loop.ts";
import { pacerOf } from "../engine/pacers.ts";
import { HandOver } from "./hand_over.ts";
import { Usage } from "./usage.ts";

/** Enough exchanges to trigger the optimizing compiler. */
const EXCHANGES = 5_000;
const SLOTS = 8;
const STEP_US = 10;
const PER_SEC = 1e6 / STEP_US;

const RESPONSE = new TextEncoder().encode(
  "HTTP/1.1 200 OK\r\nServer: rehearsal\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n" +
    "Content-Type: text/plain\r\nContent-Length: 13\r\nConnection: keep-alive\r\n\r\nHello, World!",
);

/** A driver that opens every dial and responds to every request, in order. */
class Echo implements Driver {
  readonly #dialed: number[] = [];
  readonly #requested: number[] = [];

  connect(slot: number): void {
    this.#dialed.push(slot);
  }

  send(slot: number): void {
    this.#requested.push(slot);
  }

  unsentBytes(): number {
    return 0;
  }

  isSent(): boolean {
    return true;
  }

  close(): void {}

  run(handler: DriverEvents): Promise<void> {
    let nowUs = 0;
    for (let nextUs = 0; nextUs < Infinity; nowUs += STEP_US) {
      if (nowUs >= nextUs) nextUs = handler.onTick(nowUs);
      for (const slot of this.#dialed.splice(0)) handler.onOpen(slot, nowUs);
      for (const slot of this.#requested.splice(0)) {
        handler.onBytes(slot, RESPONSE, RESPONSE.length, nowUs);
      }
    }
    return Promise.resolve();
  }
}

const JOB: Omit<Job, "driver" | "endpoint" | "script" | "pacer" | "durationUs"> = {
  steps: 0,
  connections: SLOTS,
  pipeline: 1,
  keepAlive: true,
  timeoutUs: 1e6,
  intervalUs: EXCHANGES * STEP_US / 8,
  log: null,
  waitsForLast: false,
  stop: new Int32Array(new SharedArrayBuffer(4)),
};

const AT_A_RATE_US = EXCHANGES * STEP_US;

/** The loads of the rehearsal: one as fast as responses come, and one at a rate. */
const LOADS: readonly { readonly pacer: PacerSpec; readonly durationUs: number }[] = [
  { pacer: { kind: "closed", requests: EXCHANGES }, durationUs: Infinity },
  {
    pacer: {
      kind: "open",
      phases: [{ durationUs: AT_A_RATE_US, fromPerSec: PER_SEC, toPerSec: PER_SEC }],
      arrivals: { kind: "uniform", seed: 1, first: 0, stride: 1 },
    },
    durationUs: AT_A_RATE_US,
  },
];

export async function rehearse(): Promise<void> {
  const requests = [{ bytes: RESPONSE, head: false, step: 0, check: null }];
  const script = { kind: "requests" as const, requests, sequence: Uint32Array.of(0) };
  const endpoint = { hostname: "", port: 0 };
  for (const { pacer, durationUs } of LOADS) {
    const protocol = await protocolOver(new Echo(), { slots: SLOTS, schemes: ["http"] });
    const job = { ...JOB, driver: "tcp" as const, endpoint, script, pacer, durationUs };
    const recorder = new Recorder(JOB.intervalUs, (part, nowUs) => {
      structuredClone(handOver.messageAt(part, nowUs));
    });
    const { exchanges } = new RequestLoop(job, {
      protocol,
      recorder,
      pacer: pacerOf(pacer),
      script: new RequestScript(script),
    });
    const usage = new Usage(monotonicClock(), new BusyPeriods(), 1);
    const sessions = new SessionRecorder();
    const inFlight = exchanges.ending;
    const handOver = new HandOver({
      recorder,
      inFlight,
      sessions,
      usage,
      tls: () => undefined,
      hooks: () => undefined,
    });
    await exchanges.protocol.run();
  }
}
