/** The drivers, as the workers make them. */
import { dialedAt, type Endpoint, hasTls } from "../../../base/net/endpoint.ts";
import { resolve } from "../../../base/net/resolve.ts";
import type { Driver, DriverName } from "../engine/driver.ts";
import type { BusyPeriods } from "../recording/busy_periods.ts";
import { EpollDriver } from "./epoll.ts";
import type { EpollSockets, TlsLayer } from "./epoll_sockets.ts";
import type { EpollTls } from "./epoll_tls.ts";
import type { MixedTls } from "./mixed_tls.ts";
import { TcpDriver } from "./tcp.ts";

interface DriverSetting {
  /** The hosts, each with an equal share of the slots: that of the first begins with slot 0, and so on. */
  readonly endpoints: readonly Endpoint[];
  readonly slots: number;
  /** Microseconds since the start of the run. */
  readonly now: () => number;
  readonly busy: BusyPeriods;
  /** Of the largest request. */
  readonly requestBytes: number;
}

export const DRIVERS = {
  epoll: async ({ endpoints, slots, now, busy, requestBytes }) => {
    const addresses = await Promise.all(endpoints.map((endpoint) => {
      if ("path" in endpoint) throw new Error("The epoll driver speaks TCP alone");
      return resolve(dialedAt(endpoint));
    }));
    if (!endpoints.some(hasTls)) return new EpollDriver(addresses, slots, now, busy, requestBytes);
    const layer = await tlsLayer(endpoints, slots);
    const onSockets = (sockets: EpollSockets): TlsLayer => layer.on(sockets);
    const driver = new EpollDriver(addresses, slots, now, busy, requestBytes, onSockets);
    return Object.assign(driver, { tls: layer });
  },
  tcp: ({ endpoints, slots, now, busy, requestBytes }) =>
    Promise.resolve(new TcpDriver(endpoints, slots, now, busy, requestBytes)),
} satisfies Record<DriverName, (setting: DriverSetting) => Promise<Driver>>;

/** Its code is loaded only where it is needed. */
async function tlsLayer(
  endpoints: readonly Endpoint[],
  slots: number,
): Promise<EpollTls | MixedTls> {
  const { EpollTls } = await import("./epoll_tls.ts");
  const { TunneledTls } = await import("./tunneled_tls.ts");
  const layers = endpoints.map((endpoint) => {
    if ("path" in endpoint || endpoint.tls === undefined) return null;
    const { tls } = endpoint;
    return endpoint.proxy === undefined
      ? new EpollTls(slots, tls)
      : new TunneledTls(slots, { ...endpoint, tls });
  });
  const [only] = layers;
  if (layers.length === 1 && only !== null) return only;
  const { MixedTls } = await import("./mixed_tls.ts");
  return new MixedTls(layers, slots);
}
