/**
 * How an epoll is waited for, to the microsecond. Linux has one call for it since 5.11, epoll_pwait2(2), and
 * glibc since 2.35; older ones, qemu-user and some sandboxes have not. There epoll_wait(2), which knows
 * milliseconds alone, is woken by a timerfd in the same epoll: a second call for each tick, and none for the
 * waits between. Which of them works is found by trying.
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

/** Slot in the data of the timer's events, which belong to no socket. The data is a slot and its socket's generation. */
const NO_SOCKET = -1;

/** Where nanoseconds lie in a struct timespec of 32-bit words, little-endian: only that word is ever set. */
const NANOSECONDS = 2;
/** struct itimerspec is two of them: the interval, and the time from now. */
const FROM_NOW_NANOSECONDS = 4 + NANOSECONDS;
const LONGEST_WAIT_US = 999_999;

/** Waits until there are events or it is `untilUs`, and at most a second. Gives how many events there are. */
export type Wait = (untilUs: number, nowUs: number) => number;

/**
 * A wait this short is spun: falling asleep and waking up takes as much CPU, and is 15 to 20 µs late. It was chosen
 * by trying: at 20,000 arrivals a second it brings the median lag from 20 to 1 µs, for 66 % of a core in place of 63 %.
 */
const SPUN_US = 25;

/** Where spins are counted (`recording/busy_periods.ts`). */
interface SpinCount {
  addSpin(fromUs: number, toUs: number): void;
}

/** `wait`, but short waits look again and again instead of falling asleep. */
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

/** The epoll to wait for, and the place for its events. */
interface EventQueue {
  readonly libc: Libc;
  readonly epoll: number;
  /** Where the kernel writes its `epoll_event` structs, of `EVENT_WORDS` each. */
  readonly events: Int32Array<ArrayBuffer>;
}

export interface Waiter {
  /** −1 on an error, as the system gives it. */
  readonly wait: Wait;
  /** What workers do instead, and which calls the system denies; null where it denies none. */
  readonly note: string | null;
  close(): void;
}

/** Opens a wait, or throws why it does not work here. */
type WaitMethod = (queue: EventQueue) => Omit<Waiter, "note">;

/**
 * The best way to wait that works here. Throws what is missing when none does.
 * @param isPunctual Whether the kernel wakes this thread to the microsecond (`wakesPunctually`).
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
    attempt(byTimer, "wait with epoll_wait and a timerfd, which is as punctual") ??
    (isPunctual ? null : attempt(byPwait2, "may send up to 0.05 ms late"));
  if (found === null) throw new Error(deniedText(denied));
  return found;
}

function deniedText(calls: readonly string[]): string {
  return `the system denies ${calls.join(" and ")}`;
}

/** Timers of this thread go off when they are due; else each wait oversleeps by some 50 µs. False where it can't be had. */
export function wakePunctually({ prctl }: Libc): boolean {
  return prctl(PR_SET_TIMERSLACK, 1n, 0n, 0n, 0n) === 0;
}

/** Whether a worker could have that. Tries alone: what this thread starts would inherit it. */
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
  /** A tick is set once, however often sockets wake the wait before it. */
  const set = (untilUs: number, timeUs: number): number => {
    setUs = untilUs;
    time[FROM_NOW_NANOSECONDS] = Math.max(1, timeUs * 1_000); // 0 would stop the timer
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

/** Adds a timer to the epoll. It is never read: each time that it goes off is one event (EPOLLET). */
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

/** A call that can't be had here, and why. */
class Denied extends Error {}
