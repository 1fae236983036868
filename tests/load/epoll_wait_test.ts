import assert from "node:assert/strict";
import { monotonicClock } from "../../base/system/clock.ts";
import { openEpoll } from "../../runner/load/transports/epoll_sockets.ts";
import { spinning, type Wait, waiterFor } from "../../runner/load/transports/epoll_wait.ts";
import { EVENT_WORDS, type Libc, libc } from "../../base/system/libc.ts";
import { testWith } from "../needs.ts";

type Call = "epoll_pwait2" | "timerfd_create" | "timerfd_settime";

/** libc on a system that denies `calls`. */
function libcWithout(calls: readonly Call[]): Libc {
  const denied = Object.fromEntries(calls.map((call) => [call, () => -1]));
  return { ...libc(), ...denied, errno: () => 1, explain: () => "denied" };
}

/** Opens libc for good, before the resources of a test are counted. */
const now = monotonicClock();

/** What waits with this libc, closed again by `close`; an epoll of its own. */
function waiterWith(calls: Libc, isPunctual: boolean): ReturnType<typeof waiterFor> {
  const epoll = openEpoll(calls);
  try {
    const queue = { libc: calls, epoll, events: new Int32Array(EVENT_WORDS) };
    const { wait, note, close } = waiterFor(queue, isPunctual);
    return { wait, note, close: () => [close(), calls.close(epoll)] };
  } catch (error) {
    calls.close(epoll);
    throw error;
  }
}

const TIMER =
  "Workers wait with epoll_wait and a timerfd, which is just as punctual: the system denies";
const LATE = "Workers may send up to 0.05 ms late: the system denies prctl and";

const NOTES: { calls: Call[]; isPunctual: boolean; note: string | null }[] = [
  { calls: [], isPunctual: true, note: null },
  { calls: ["timerfd_create"], isPunctual: true, note: null },
  { calls: ["epoll_pwait2"], isPunctual: true, note: `${TIMER} epoll_pwait2 (denied)` },
  { calls: [], isPunctual: false, note: `${TIMER} prctl` },
  { calls: ["timerfd_create"], isPunctual: false, note: `${LATE} timerfd_create (denied)` },
  { calls: ["timerfd_settime"], isPunctual: false, note: `${LATE} timerfd_settime (denied)` },
];

for (const { calls, isPunctual, note } of NOTES) {
  const lacks = [...(isPunctual ? [] : ["prctl"]), ...calls].join(" and ") || "nothing";
  testWith(["linux"], `waiterFor waits until it is time without ${lacks}`, () => {
    const waiter = waiterWith(libcWithout(calls), isPunctual);
    assert.equal(waiter.note, note);
    for (const lengthUs of [1, 300, 1_000, 2_500]) {
      const startUs = now();
      assert.ok(waiter.wait(startUs + lengthUs, startUs) >= 0);
      const lastedUs = now() - startUs;
      assert.ok(lastedUs >= lengthUs, `${lastedUs} µs of ${lengthUs}`);
    }
    waiter.close();
  });
}

testWith(["linux"], "waiterFor names all that is denied where nothing waits", () => {
  const calls = libcWithout(["epoll_pwait2", "timerfd_create"]);
  assert.throws(() => waiterWith(calls, true), {
    message: "the system denies epoll_pwait2 (denied) and timerfd_create (denied)",
  });
});

testWith(["linux"], "waiterFor does without a libc that is too old", () => {
  const waiter = waiterWith({ ...libc(), epoll_pwait2: null }, true);
  assert.equal(waiter.note, `${TIMER} epoll_pwait2 (libc has none)`);
  waiter.close();
});

/** A wait on a clock that goes on by 5 µs with each look, and by a whole wait otherwise; `readyAtUs` is the first event. */
function playedWait(readyAtUs: number): { wait: Wait; now: () => number; waits: string[] } {
  let timeUs = 100;
  const waits: string[] = [];
  const wait: Wait = (untilUs, nowUs) => {
    waits.push(untilUs > nowUs ? `sleeps for ${untilUs - nowUs} µs` : "looks");
    timeUs = untilUs > nowUs ? Math.min(untilUs, readyAtUs) : timeUs + 5;
    return timeUs >= readyAtUs ? 1 : 0;
  };
  return { wait, now: () => timeUs, waits };
}

const SPINS = [
  { says: "sleeps through a long wait", untilUs: 1_100, ready: 0, waits: ["sleeps for 1000 µs"] },
  {
    says: "spins through a short one",
    untilUs: 112,
    ready: 0,
    waits: ["looks", "looks", "looks"],
    spun: 15,
  },
  { says: "looks once at what is overdue", untilUs: 90, ready: 0, waits: ["looks"] },
  {
    says: "ends a short wait with an event, which is no spinning",
    untilUs: 120,
    readyAtUs: 110,
    ready: 1,
    waits: ["looks", "looks"],
    spun: 5,
  },
];

for (const { says, untilUs, readyAtUs = Infinity, ready, waits, spun = 0 } of SPINS) {
  Deno.test(`a spinning wait ${says}`, () => {
    const played = playedWait(readyAtUs);
    let spunUs = 0;
    const addSpin = (fromUs: number, toUs: number): void => void (spunUs += toUs - fromUs);
    assert.equal(spinning(played.wait, played.now, { addSpin })(untilUs, 100), ready);
    assert.deepEqual(played.waits, waits);
    assert.equal(spunUs, spun);
  });
}

testWith(["linux"], "spinning waits until it is time, and counts what it spun", () => {
  const waiter = waiterWith(libc(), true);
  let spunUs = 0;
  const addSpin = (fromUs: number, toUs: number): void => void (spunUs += toUs - fromUs);
  const wait = spinning(waiter.wait, now, { addSpin });
  const startUs = now();
  assert.equal(wait(startUs + 20, startUs), 0);
  assert.ok(now() - startUs >= 20);
  assert.ok(spunUs >= 20);
  waiter.close();
});

Deno.test("off Linux there is no epoll, whatever libraries there are", () => {
  assert.throws(() => libc("darwin"), { message: "only Linux has it" });
});
