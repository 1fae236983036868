/**
 * The drivers, and which one a load takes. `auto` takes the best that works here.
 */
import { type Problem, UserError } from "../../scenarios/errors.ts";
import type { Driver, DriverName } from "./driver.ts";
import { type Endpoint, isPlainTcp } from "../endpoint.ts";
import { EpollDriver } from "./epoll.ts";
import { libc } from "./libc.ts";
import { resolve } from "./resolve.ts";
import { TcpDriver } from "./tcp.ts";
import type { LoopWatch } from "../trust/loop_watch.ts";

export interface DriverSetting {
  readonly endpoint: Endpoint;
  readonly slots: number;
  /** Microseconds since the start of the run. */
  readonly now: () => number;
  readonly watch: LoopWatch;
}

export const DRIVERS = {
  epoll: async ({ endpoint, slots, now, watch }) => {
    if (!isPlainTcp(endpoint)) throw new Error("The epoll driver speaks plain TCP alone");
    return new EpollDriver(await resolve(endpoint), slots, now, watch);
  },
  tcp: ({ endpoint, slots, now, watch }) =>
    Promise.resolve(new TcpDriver(endpoint, slots, now, watch)),
} satisfies Record<DriverName, (setting: DriverSetting) => Promise<Driver>>;

export interface DriverChoice {
  readonly driver: DriverName;
  /** Why it is not the best one, or null. */
  readonly note: string | null;
}

/** Throws a UserError when the wish can't be granted for this endpoint on any machine. */
export function chooseDriver(wish: DriverName | "auto", endpoint: Endpoint): DriverChoice {
  if (wish === "epoll" && !isPlainTcp(endpoint)) throw new UserError([needsTcpDriver(endpoint)]);
  if (wish === "tcp" || !isPlainTcp(endpoint)) return { driver: "tcp", note: null };
  try {
    libc();
    return { driver: "epoll", note: null };
  } catch (error) {
    const why = error instanceof Error ? error.message.split("\n", 1)[0] : String(error);
    return { driver: "tcp", note: `The tcp driver is used, as epoll can't be had here: ${why}` };
  }
}

function needsTcpDriver(endpoint: Endpoint): Problem {
  const what = "path" in endpoint ? "on a unix socket" : "with TLS";
  const message = `Cannot use the epoll driver ${what}: it speaks plain TCP alone`;
  return { place: "--driver", message, fix: "use tcp or auto" };
}
