/** Streams that stay open in the loop of a worker, without sockets, and what they hold of the heap. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Driver, DriverEvents } from "../../runner/load/engine/driver.ts";
import type { Job } from "../../runner/load/engine/job.ts";
import { pacerOf } from "../../runner/load/engine/pacers.ts";
import { RequestLoop, RequestScript } from "../../runner/load/engine/request_loop.ts";
import { withStreams } from "../../runner/load/engine/streams/streams.ts";
import { StreamedHttp1 } from "../../runner/load/protocols/http1/streamed_http1.ts";
import { StreamingRecorder } from "../../runner/load/recording/streaming_recorder.ts";

const STEP_US = 10;

/** What makes the engine collect all garbage now. */
export function collector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc");
}

/** What lives on the heap and in buffers. */
export function usedBytes(collect: () => void): number {
  for (let i = 0; i < 3; i++) collect();
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

class Silent implements Driver {
  events: DriverEvents | null = null;
  readonly dialed: number[] = [];

  run(events: DriverEvents): Promise<void> {
    this.events = events;
    return Promise.resolve();
  }

  connect(slot: number): void {
    this.dialed.push(slot);
  }

  send(): void {}

  unsentBytes(): number {
    return 0;
  }

  isSent(): boolean {
    return true;
  }

  close(): void {}
}

const encoder = new TextEncoder();
const HEAD = encoder.encode(
  "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n" +
    "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\nTransfer-Encoding: chunked\r\n\r\n",
);
const EVENT = 'event: tick\nid: 17\ndata: {"price":101.25,"at":1700000000}\n\n';
const CHUNK = encoder.encode(`${EVENT.length.toString(16)}\r\n${EVENT}\r\n`);
const HALF = CHUNK.subarray(0, CHUNK.length >> 1);

/** @returns What keeps them, and how many are open. */
export async function openStreams(count: number): Promise<{ readonly open: number }> {
  const stream = { kind: "events" as const };
  const bytes = encoder.encode("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const check = { statuses: [200], body: null, contains: null, isStream: true as const };
  const requests = [{ bytes, head: false, step: 0, check, stream }];
  const script = { kind: "requests" as const, requests, sequence: Uint32Array.of(0) };
  const job: Job = {
    ...{ driver: "tcp" as const, endpoint: { hostname: "", port: 0 }, script, steps: 0 },
    ...{ connections: count, pipeline: 1, keepAlive: true, timeoutUs: 1e9, intervalUs: 250_000 },
    ...{ durationUs: 1e9, pacer: { kind: "closed" as const, requests: Infinity }, log: null },
    ...{ waitsForLast: false, stop: new Int32Array(new SharedArrayBuffer(4)) },
  };
  const setting = { slots: count, steps: new Set([0]) };
  const recorder = new StreamingRecorder(setting, job.intervalUs, () => {});
  const driver = new Silent();
  const protocol = await withStreams(
    (events) => new StreamedHttp1(driver, events, count),
    { slots: count, recorder, specs: [stream] },
  );
  const parts = {
    protocol,
    recorder,
    script: new RequestScript(script),
    pacer: pacerOf(job.pacer),
  };
  const { exchanges } = new RequestLoop(job, parts);
  void exchanges.protocol.run();
  const { events } = driver;
  if (events === null) throw new Error("The driver has not begun");
  let nowUs = 0;
  for (let opened = 0; opened < count; nowUs += STEP_US) {
    events.onTick(nowUs);
    for (const slot of driver.dialed.splice(0)) {
      events.onOpen(slot, nowUs);
      opened++;
    }
  }
  events.onTick(nowUs);
  for (const part of [HEAD, CHUNK, CHUNK, CHUNK, HALF]) {
    nowUs += STEP_US;
    for (let slot = 0; slot < count; slot++) events.onBytes(slot, part, part.length, nowUs);
  }
  return {
    get open(): number {
      const { unfinished, received } = recorder.messages.totals(nowUs);
      return received === 3 * count ? unfinished : driver.dialed.length;
    },
  };
}
