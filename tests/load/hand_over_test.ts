import assert from "node:assert/strict";
import { BusyPeriods } from "../../runner/load/recording/busy_periods.ts";
import { Recorder } from "../../runner/load/recording/recorder.ts";
import { MOST_SECONDS } from "../../runner/load/recording/second_counts.ts";
import { SocketRecorder } from "../../runner/load/recording/socket_messages.ts";
import { type StepPart, StepRecorder } from "../../runner/load/recording/steps.ts";
import { StreamingRecorder } from "../../runner/load/recording/streaming_recorder.ts";
import { SessionRecorder } from "../../runner/load/recording/totals.ts";
import { HandOver } from "../../runner/load/worker/hand_over.ts";
import type { IntervalMessage } from "../../runner/load/worker/messages.ts";
import { SoFarSum } from "../../runner/load/worker/so_far_sum.ts";
import { Usage } from "../../runner/load/worker/usage.ts";

const INTERVAL_US = 1_000;
const STEP_US = 10;

function handOverOf(recorder: Recorder, busy: BusyPeriods): HandOver {
  return new HandOver({
    recorder,
    inFlight: { forEachInFlight: () => {} },
    sessions: new SessionRecorder(),
    usage: new Usage(() => 0, busy, 1),
    tls: () => undefined,
    hooks: () => undefined,
  });
}

/** A worker that completes a request each 10 µs, every one slower than the one before. */
function messagesOf(requests: number): { messages: IntervalMessage[]; recorder: Recorder } {
  const messages: IntervalMessage[] = [];
  const busy = new BusyPeriods();
  const recorder: Recorder = new Recorder(INTERVAL_US, (part, nowUs) => {
    messages.push(structuredClone(handOver.messageAt(part, nowUs)));
  });
  const handOver = handOverOf(recorder, busy);
  for (let i = 0; i < requests; i++) {
    const nowUs = i * STEP_US;
    recorder.due++;
    recorder.sent(i);
    busy.add(nowUs, nowUs + 1);
    recorder.complete(0, 200, nowUs - i, nowUs - i, nowUs, nowUs);
  }
  return { messages, recorder };
}

Deno.test("with each interval a worker hands on the times of its requests, and not again those of the run", () => {
  const perInterval = INTERVAL_US / STEP_US;
  const { messages } = messagesOf(10 * perInterval + 1);
  assert.equal(messages.length, 10);
  for (const { soFar: { totals, busyPeriods } } of messages) {
    for (const times of [totals.service, totals.firstByte, totals.lag]) {
      assert.ok(times.indices.length <= perInterval + 1);
    }
    assert.ok(busyPeriods.count <= perInterval + 1);
  }
});

Deno.test("what was handed on is together what the worker has, how often somebody looks", () => {
  const { messages, recorder } = messagesOf(501);
  const sum = new SoFarSum();
  assert.deepEqual([sum.report, sum.elapsedUs], [null, 0]);
  const completed: (number | undefined)[] = [];
  for (const { soFar } of messages) {
    sum.add(soFar);
    completed.push(sum.report?.totals.service.count);
  }
  assert.deepEqual(completed, [100, 200, 300, 400, 500]);
  const { service, firstByte, lag } = recorder.totals();
  assert.deepEqual([service.count, firstByte.count, lag.count], [501, 501, 501]);
});

Deno.test("of the seconds of a step only those are handed on that have changed, and together they are all", () => {
  const everyUs = 7_000_000;
  const steps = new StepRecorder(1);
  const parts: StepPart[] = [];
  const sum = new SoFarSum();
  const recorder: Recorder = new Recorder(
    everyUs,
    (part, nowUs) => {
      const { soFar } = structuredClone(handOver.messageAt(part, nowUs));
      parts.push(...soFar.steps);
      sum.add(soFar);
      assert.deepEqual(sum.report?.totals.steps[0].seconds, steps.totals()[0].seconds);
    },
    null,
    steps,
  );
  const handOver = handOverOf(recorder, new BusyPeriods());
  // Long enough for the table to be widened twice.
  for (let doneUs = 0; doneUs < 2.5 * MOST_SECONDS * 1e6; doneUs += 900_000) {
    recorder.advance(doneUs);
    steps.complete(0, 200, doneUs, 1_000, null);
  }
  const whole = parts.filter(({ seconds }) => seconds.from === 0);
  assert.deepEqual(whole.map(({ seconds }) => seconds.everyS), [1, 2, 4]);
  const longest = Math.max(
    ...parts.flatMap(({ seconds }) => seconds.from === 0 ? [] : [seconds.counts.length]),
  );
  assert.ok(longest <= everyUs / 1e6 + 2, `${longest} of ${MOST_SECONDS} seconds`);
});

/** What happens to messages in the intervals of a worker. */
type Happening = (
  recorder: StreamingRecorder,
  sockets: SocketRecorder,
  interval: number,
) => void;

const INTERVALS = 8;
/** The steps whose responses are streams come first, then those that open WebSockets. */
const SLOTS = 4;

/** A worker in which the same happens in each interval, of a mix with so many steps of either kind. */
function messagesOfSteps(
  steps: number,
  happen: Happening,
): { messages: IntervalMessage[]; recorder: StreamingRecorder } {
  const messages: IntervalMessage[] = [];
  const numbers = Array.from({ length: 2 * steps }, (_, step) => step);
  const streamed = new Set(numbers.slice(0, steps));
  const sockets = new SocketRecorder(SLOTS, {
    steps: new Set(numbers.slice(steps)),
    pushed: new Set(),
  });
  const recorder: StreamingRecorder = new StreamingRecorder(
    { slots: SLOTS, steps: streamed, withTokens: streamed, sockets },
    INTERVAL_US,
    (part, nowUs) => {
      messages.push(structuredClone(handOver.messageAt(part, nowUs)));
    },
  );
  const handOver = handOverOf(recorder, new BusyPeriods());
  for (let interval = 0; interval < INTERVALS; interval++) {
    happen(recorder, sockets, interval);
    recorder.advance((interval + 1) * INTERVAL_US);
  }
  return { messages, recorder };
}

/** One stream of step 0 and one WebSocket of the last step, with messages that are slower in each interval. */
const busyEnds = (steps: number): Happening => ({ messages }, sockets, interval) => {
  const beganUs = interval * INTERVAL_US;
  messages.begin(0, 0, beganUs);
  for (let n = 1; n <= 9; n++) {
    const nowUs = beganUs + n * 50 + n * n * interval;
    messages.receive(0, `name ${n % 3}`, nowUs);
    messages.takeToken(0, nowUs);
  }
  messages.end(0, "whole", beganUs + 999);
  messages.close(0);
  const pace = { openUs: beganUs, untilUs: beganUs + INTERVAL_US, everyUs: 100, most: Infinity };
  const socket = sockets.open(1, 2 * steps - 1, { ...pace, isAnswered: true });
  for (let n = 0; n < 9; n++) {
    sockets.send(socket);
    sockets.come(socket);
    sockets.answer(socket, n, beganUs + n * 100 + 40 + n * interval);
  }
  sockets.closed(socket, 1_000);
  sockets.end(1, "whole", beganUs + 999);
};

/** How long a message is as text: its buffers count with all that they hold. */
function sizeOf({ part, soFar: { totals: { messages, sockets } } }: IntervalMessage): number {
  return JSON.stringify([messages, sockets, part.messages]).length;
}

Deno.test("what a worker hands on of messages grows neither with the steps that are idle nor with the run", () => {
  const sizes = [1, 40].map((steps) =>
    messagesOfSteps(steps, busyEnds(steps)).messages.map(sizeOf)
  );
  const [few, many] = sizes;
  // Numbers have more digits later, and with more steps; the first message says of each step that there is one.
  const margin = 100;
  assert.ok(many[0] > few[0] + 10 * margin);
  for (let i = 1; i < INTERVALS; i++) {
    assert.ok(many[i] < few[i] + margin, `${many[i]} and ${few[i]}`);
    assert.ok(few[i] < few[1] + 2 * margin, `${few[i]} after ${few[1]}`);
  }
});

Deno.test("a step of which a stream or WebSocket is open is handed on, as its wait grows, and once more after its end", () => {
  const { messages } = messagesOfSteps(2, ({ messages }, sockets, interval) => {
    const nowUs = interval * INTERVAL_US;
    if (interval === 2) {
      messages.begin(0, 1, nowUs);
      const pace = { openUs: nowUs, untilUs: Infinity, everyUs: 1e9, most: 1, isAnswered: true };
      sockets.send(sockets.open(1, 3, pace));
    }
    if (interval === 5) {
      messages.end(0, "cut", nowUs);
      messages.close(0);
      sockets.end(1, "cut", nowUs);
    }
  });
  const told = messages.map(({ soFar: { totals: { messages = [], sockets = [] } } }) =>
    [...messages, ...sockets].map(({ step, unfinished, failed }) => [step, unfinished, failed])
  );
  assert.deepEqual(told, [
    [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]],
    [],
    ...Array.from({ length: 3 }, () => [[1, 1, 0], [3, 1, 0]]),
    [[1, 0, 1], [3, 0, 1]],
    [],
    [],
  ]);
  const [open] = messages[4].soFar.totals.messages ?? [];
  assert.equal(open.first.open?.maxUs, 3 * INTERVAL_US);
});

/** Streams and WebSockets of which some are open at the end of each interval. */
const staggered: Happening = ({ messages }, sockets, interval) => {
  const nowUs = interval * INTERVAL_US;
  const slot = interval % 2;
  messages.end(slot, (["whole", "cut", "late", "left"] as const)[interval % 4], nowUs);
  messages.close(slot);
  messages.begin(slot, interval % 3, nowUs);
  for (let n = 1; n <= interval; n++) {
    messages.receive(slot, `name ${n}`, nowUs + n * 90);
    if (n % 2 === 0) messages.takeToken(slot, nowUs + n * 90);
  }
  if (interval % 3 === 0) messages.missUnsent(2, "dropped", 70);
  sockets.end(2 + slot, interval % 4 === 0 ? "late" : "left", nowUs);
  const pace = { openUs: nowUs, untilUs: Infinity, everyUs: 400, most: Infinity };
  const socket = sockets.open(2 + slot, 3 + interval % 3, { ...pace, isAnswered: true });
  for (let n = 0; n < 2; n++) sockets.send(socket);
  sockets.answer(socket, interval % 2, nowUs + 500);
};

Deno.test("what was handed on of messages is together what the worker has at each interval", () => {
  const sum = new SoFarSum();
  let last: unknown = null;
  const { messages, recorder } = messagesOfSteps(3, staggered);
  for (const { soFar } of messages) {
    sum.add(soFar);
    last = sum.report?.totals;
  }
  const { messages: streams, sockets } = recorder.totals();
  assert.ok(streams?.some(({ unfinished }) => unfinished > 0));
  assert.ok(sockets?.some(({ dropped }) => dropped > 0));
  assert.deepEqual(plain(last), plain({ ...Object(last), messages: streams, sockets }));
});

/** Counts alone, whatever array holds them. */
function plain(totals: unknown): unknown {
  const { messages, sockets } = Object(totals);
  const text = JSON.stringify(
    [messages, sockets],
    (_, value) => ArrayBuffer.isView(value) ? [...value as Uint16Array] : value,
  );
  return JSON.parse(text);
}
