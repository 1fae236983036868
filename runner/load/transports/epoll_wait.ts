/**
 * Waits for an epoll with microsecond precision. Linux has a call for this since 5.11, epoll_pwait2(2), and glibc since
 * 2.35; older systems, qemu-user and some sandboxes lack it. There, a timerfd in the same epoll wakes epoll_wait(2),
 * whose own time-out is in whole milliseconds. This takes one more call for each tick, but none for other waits. Which
 * way works is found by trying.
 */
import {
  CLOCK_MONOTONIC,
  DATA_WORD,
  EPOLL_CTL_ADD,
  EPOLLET,
  EPOLLIN,
  EVENT_WORDS,
  type Libc,
  PR_GET_TIMERSLACK,
  PR_SET_TIMERSLACK,
  TFD_NONBLOCK_CLOEXEC,
} from "../../../base/system/libc.ts";

/** The generation in events of the timer. No socket has it, so the driver ignores these events. */
const NO_SOCKET = -1;

/**
 * Index of the nanoseconds in a struct timespec seen as 32-bit words, little-endian. No other word is ever set, because
 * waits are shorter than a second.
 */
const NANOSECONDS = 2;
/** A struct itimerspec has two timespecs: the interval, and the time from now. */
const FROM_NOW_NANOSECONDS = 4 + NANOSECONDS;
const LONGEST_WAIT_US = 999_999;

/** Waits for events until `untilUs`, for at most a second. Returns the number of events. */
export type Wait = (untilUs: number, nowUs: number) => number;

/**
 * The longest wait that is spent spinning. For such a wait, falling asleep and waking up takes as much CPU time as
 * spinning, and ends 15 to 20 µs late. Chosen by trial: at 20,000 arrivals a second, spinning brings the median lag
 * from 20 to 1 µs, and takes 66 % of a core instead of 63 %.
 */
const SPUN_US = 25;

/** Where busy waiting is counted (`recording/busy_periods.ts`). */
interface SpinCount {
  addSpin(fromUs: number, toUs: number): void;
}

/** Wraps `wait` so that a short wait is spent polling instead of sleeping. */
export function spinning(wait: Wait, now: () => number, spins: SpinCount): Wait {
  return (untilUs, nowUs) => {
    if (untilUs - nowUs > SPUN_US || untilUs <= nowUs) return wait(untilUs, nowUs);
    let lookedUs = nowUs;
    let ready = wait(lookedUs, lookedUs);
    while (ready === 0) {
      lookedUs = now();
      if (lookedUs >= untilUs) break;
      ready = wait(lookedUs, lookedUs);
    }
    spins.addSpin(nowUs, lookedUs);
    return ready;
  };
}

/** The epoll to wait on, and the memory for its events. */
interface EventQueue {
  readonly libc: Libc;
  readonly epoll: number;
  /** The memory to which the kernel writes `epoll_event` structs of `EVENT_WORDS` each. */
  readonly events: Int32Array<ArrayBuffer>;
}

export interface Waiter {
  /** Returns −1 on an error, as the system does. */
  readonly wait: Wait;
  /** A note for the user on which calls the system denies and what workers do instead; null if it denies none. */
  readonly note: string | null;
  close(): void;
}

/** Opens a waiter that uses certain system calls; throws a `Denied` with the reason if they do not work here. */
type WaitMethod = (queue: EventQueue) => Omit<Waiter, "note">;

/**
 * The best way to wait that works here. Throws an error that says which calls are missing if none works.
 * @param isPunctual Whether the kernel wakes this thread to the microsecond (`wakePunctually`).
 */
export function waiterFor(queue: EventQueue, isPunctual: boolean): Waiter {
  const denied = isPunctual ? [] : ["prctl"];
  const attempt = (method: WaitMethod, what: string | null): Waiter | null => {
    try {
      return { ...method(queue), note: what && `Workers ${what}: ${deniedText(denied)}` };
    } catch (error) {
      if (!(error instanceof Denied)) throw error;
      denied.push(error.message);
      return null;
    }
  };
  const found = (isPunctual ? attempt(byPwait2, null) : null) ??
    attempt(byTimer, "wait with epoll_wait and a timerfd, which is just as punctual") ??
    (isPunctual ? null : attempt(byPwait2, "may send up to 0.05 ms late"));
  if (found === null) throw new Error(deniedText(denied));
  return found;
}

function deniedText(calls: readonly string[]): string {
  return `the system denies ${calls.join(" and ")}`;
}

/**
 * Makes timers of this thread fire exactly when they are due; by default, waits are some 50 µs too long. Returns false
 * if the system does not allow this.
 */
export function wakePunctually({ prctl }: Libc): boolean {
  return prctl(PR_SET_TIMERSLACK, 1n, 0n, 0n, 0n) === 0;
}

/**
 * Whether a worker could have punctual timers. Only asks, and sets nothing, because threads started from this one would
 * inherit the setting.
 */
export function canWakePunctually({ prctl }: Libc): boolean {
  return prctl(PR_GET_TIMERSLACK, 0n, 0n, 0n, 0n) >= 0;
}

function byPwait2({ libc, epoll, events }: EventQueue): ReturnType<WaitMethod> {
  const { epoll_pwait2 } = libc;
  if (epoll_pwait2 === null) throw new Denied("epoll_pwait2 (libc has none)");
  const timeout = new Int32Array(4);
  const most = events.length / EVENT_WORDS;
  const wait: Wait = (untilUs, nowUs) => {
    timeout[NANOSECONDS] = Math.max(0, Math.min(LONGEST_WAIT_US, untilUs - nowUs)) * 1_000;
    return epoll_pwait2(epoll, events, most, timeout, null, 0);
  };
  if (wait(0, 0) < 0) throw new Denied(`epoll_pwait2 (${reason(libc)})`);
  return { wait, close: () => {} };
}

function byTimer(queue: EventQueue): ReturnType<WaitMethod> {
  const { libc, epoll, events } = queue;
  const { epoll_wait, timerfd_settime } = libc;
  const timer = openTimer(queue);
  const time = new Int32Array(8);
  const most = events.length / EVENT_WORDS;
  let setUs = NaN;
  /** Sets the timer. `wait` does this once for each tick, however often sockets wake it before the tick. */
  const set = (untilUs: number, timeUs: number): number => {
    setUs = untilUs;
    time[FROM_NOW_NANOSECONDS] = Math.max(1, timeUs * 1_000); // 0 would disarm the timer
    return timerfd_settime(timer, 0, time, null);
  };
  const wait: Wait = (untilUs, nowUs) => {
    const timeUs = Math.max(0, Math.min(LONGEST_WAIT_US, untilUs - nowUs));
    if (timeUs > 0 && timeUs < LONGEST_WAIT_US && untilUs !== setUs) set(untilUs, timeUs);
    return epoll_wait(epoll, events, most, Math.ceil(timeUs / 1_000));
  };
  if (set(NaN, LONGEST_WAIT_US) < 0 || wait(0, 0) < 0) {
    const why = reason(libc);
    libc.close(timer);
    throw new Denied(`timerfd_settime (${why})`);
  }
  return { wait, close: () => void libc.close(timer) };
}

/** Adds a timer to the epoll. It is never read: each expiry is one event (EPOLLET). */
function openTimer({ libc, epoll }: EventQueue): number {
  const timer = libc.timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK_CLOEXEC);
  if (timer < 0) throw new Denied(`timerfd_create (${reason(libc)})`);
  const event = new Int32Array(EVENT_WORDS);
  event[0] = EPOLLIN | EPOLLET;
  event[DATA_WORD + 1] = NO_SOCKET;
  libc.epoll_ctl(epoll, EPOLL_CTL_ADD, timer, event);
  return timer;
}

function reason(libc: Libc): string {
  return libc.explain(libc.errno());
}

/** A call that is unavailable here, and the reason. */
class Denied extends Error {}
