/**
 * The drivers, and which one a load takes. `auto` takes the best that works here.
 */
import type { Driver, DriverName } from "./driver.ts";
import { EpollDriver } from "./epoll.ts";
import type { Endpoint } from "./job.ts";
import { openLibc } from "./libc.ts";
import { resolve } from "./resolve.ts";
import { TcpDriver } from "./tcp.ts";

export interface DriverSetting {
  readonly endpoint: Endpoint;
  readonly slots: number;
  /** Microseconds since the start of the run. */
  readonly now: () => number;
}

export const DRIVERS = {
  epoll: async ({ endpoint, slots, now }) => new EpollDriver(await resolve(endpoint), slots, now),
  tcp: ({ endpoint, slots, now }) => Promise.resolve(new TcpDriver(endpoint, slots, now)),
} satisfies Record<DriverName, (setting: DriverSetting) => Promise<Driver>>;

export interface DriverChoice {
  readonly driver: DriverName;
  /** Why it is not the best one, or null. */
  readonly note: string | null;
}

export function chooseDriver(wish: DriverName | "auto"): DriverChoice {
  if (wish === "tcp") return { driver: "tcp", note: null };
  try {
    openLibc();
    return { driver: "epoll", note: null };
  } catch (error) {
    const why = error instanceof Error ? error.message.split("\n", 1)[0] : String(error);
    return { driver: "tcp", note: `The tcp driver is used, as epoll can't be had here: ${why}` };
  }
}
