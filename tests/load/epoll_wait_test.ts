import assert from "node:assert/strict";
import { monotonicClock } from "../../base/system/clock.ts";
import { openEpoll } from "../../runner/load/transports/epoll_sockets.ts";
import { waiterFor } from "../../runner/load/transports/epoll_wait.ts";
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

const TIMER = "Workers wait with epoll_wait and a timerfd, which is as punctual: the system denies";
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
