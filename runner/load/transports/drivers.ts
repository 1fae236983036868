/** The drivers, as the workers make them. */
import { dialedAt, type Endpoint } from "../../../base/net/endpoint.ts";
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
    if ("path" in endpoint) throw new Error("The epoll driver speaks TCP alone");
    const address = await resolve(dialedAt(endpoint));
    const { tls } = endpoint;
    if (tls === undefined) return new EpollDriver(address, slots, now, busy);
    const { EpollTls } = await import("./epoll_tls.ts");
    const { TunneledTls } = await import("./tunneled_tls.ts");
    const layer = endpoint.proxy === undefined
      ? new EpollTls(slots, tls)
      : new TunneledTls(slots, { ...endpoint, tls });
    const driver = new EpollDriver(address, slots, now, busy, (sockets) => layer.on(sockets));
    return Object.assign(driver, { tls: layer });
  },
  tcp: ({ endpoint, slots, now, busy }) =>
    Promise.resolve(new TcpDriver(endpoint, slots, now, busy)),
} satisfies Record<DriverName, (setting: DriverSetting) => Promise<Driver>>;
