/** Which driver a load takes. `auto` takes the best that works here, which is found by trying. */
import { messageOf, type Problem, TargetError, UserError } from "../../../base/errors.ts";
import { type Endpoint, isPlainTcp } from "../../../base/net/endpoint.ts";
import { EVENT_WORDS, libc } from "../../../base/system/libc.ts";
import type { DriverName } from "../engine/driver.ts";
import { openEpoll } from "./epoll_sockets.ts";
import { canWakePunctually, waiterFor } from "./epoll_wait.ts";

export interface DriverChoice {
  readonly driver: DriverName;
  /** What is missing here and what stands in for it, or null. */
  readonly note: string | null;
}

/** Throws a UserError when the wish can't be granted for this endpoint on any machine. */
export function checkDriver(wish: DriverName | "auto", endpoint: Endpoint): void {
  if (wish === "epoll" && !isPlainTcp(endpoint)) throw new UserError([needsTcpDriver(endpoint)]);
}

/** Throws as `checkDriver` does, and a TargetError when the wish can't be granted on this machine. */
export function chooseDriver(wish: DriverName | "auto", endpoint: Endpoint): DriverChoice {
  checkDriver(wish, endpoint);
  if (wish === "tcp" || !isPlainTcp(endpoint)) return { driver: "tcp", note: null };
  try {
    return { driver: "epoll", note: tryEpoll() };
  } catch (error) {
    const [why] = messageOf(error).split("\n", 1);
    const note = `Workers use the tcp driver, as epoll cannot be had here: ${why}`;
    if (wish === "auto") return { driver: "tcp", note };
    throw new TargetError(`Cannot use the epoll driver: ${why}`, ["use --driver tcp or auto"]);
  }
}

/**
 * Opens an epoll and waits for nothing, as a worker would: 10 µs. Gives what stands in for what is
 * missing, or null; throws why it does not work.
 */
function tryEpoll(): string | null {
  const calls = libc();
  const epoll = openEpoll(calls);
  try {
    const queue = { libc: calls, epoll, events: new Int32Array(EVENT_WORDS) };
    const { note, close } = waiterFor(queue, canWakePunctually(calls));
    close();
    return note;
  } finally {
    calls.close(epoll);
  }
}

function needsTcpDriver(endpoint: Endpoint): Problem {
  const what = "path" in endpoint ? "on a unix socket" : "with TLS";
  const message = `Cannot use the epoll driver ${what}: it speaks plain TCP alone`;
  return { place: "--driver", message, fix: "use tcp or auto" };
}
