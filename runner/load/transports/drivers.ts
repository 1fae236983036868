/** The drivers, as the workers make them. */
import { type Endpoint, isPlainTcp } from "../../../base/net/endpoint.ts";
import { resolve } from "../../../base/net/resolve.ts";
import type { Driver, DriverName } from "../engine/driver.ts";
import type { BusyPeriods } from "../recording/busy_periods.ts";
import { EpollDriver } from "./epoll.ts";
import { TcpDriver } from "./tcp.ts";

interface DriverSetting {
  readonly endpoint: Endpoint;
  readonly slots: number;
  /** Microseconds since the start of the run. */
  readonly now: () => number;
  readonly busy: BusyPeriods;
}

export const DRIVERS = {
  epoll: async ({ endpoint, slots, now, busy }) => {
    if (!isPlainTcp(endpoint)) throw new Error("The epoll driver speaks plain TCP alone");
    return new EpollDriver(await resolve(endpoint), slots, now, busy);
  },
  tcp: ({ endpoint, slots, now, busy }) =>
    Promise.resolve(new TcpDriver(endpoint, slots, now, busy)),
} satisfies Record<DriverName, (setting: DriverSetting) => Promise<Driver>>;
