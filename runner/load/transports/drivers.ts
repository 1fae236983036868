/** Makes the drivers for workers. */
import { dialedAt, type Endpoint, hasTls } from "../../../base/net/endpoint.ts";
import { resolve } from "../../../base/net/resolve.ts";
import type { Driver, DriverName } from "../engine/driver.ts";
import type { DialTurnsSpec } from "../engine/job.ts";
import type { BusyPeriods } from "../recording/busy_periods.ts";
import { EpollDriver } from "./epoll_driver.ts";
import type { EpollSockets, TlsLayer } from "./epoll_sockets.ts";
import type { EpollTls } from "./epoll_tls.ts";
import type { MixedTls } from "./mixed_tls.ts";
import { TcpDriver } from "./tcp.ts";

interface DriverSetting {
  /** The hosts. Each has an equal share of the slots, in order: those of the first host start at slot 0. */
  readonly endpoints: readonly Endpoint[];
  readonly slots: number;
  /** Microseconds since the start of the run. */
  readonly now: () => number;
  readonly busy: BusyPeriods;
  /** Size of the largest request in bytes. */
  readonly requestBytes: number;
  /** Whether TLS sessions are resumed, which only the epoll driver can do; absent: no. */
  readonly resumesTls?: boolean;
}

export const DRIVERS = {
  epoll: async ({ endpoints, slots, now, busy, requestBytes, resumesTls = false }) => {
    const addresses = await Promise.all(endpoints.map((endpoint) => {
      if ("path" in endpoint) throw new Error("The epoll driver supports only TCP");
      return resolve(dialedAt(endpoint));
    }));
    if (!endpoints.some(hasTls)) return new EpollDriver(addresses, slots, now, busy, requestBytes);
    const layer = await tlsLayer(endpoints, slots, resumesTls);
    const onSockets = (sockets: EpollSockets): TlsLayer => layer.on(sockets);
    const driver = new EpollDriver(addresses, slots, now, busy, requestBytes, onSockets);
    return Object.assign(driver, { tls: layer });
  },
  tcp: ({ endpoints, slots, now, busy, requestBytes }) =>
    Promise.resolve(new TcpDriver(endpoints, slots, now, busy, requestBytes)),
} satisfies Record<DriverName, (setting: DriverSetting) => Promise<Driver>>;

/** @param turns Absent: dials never wait. */
export async function openDriver(
  name: DriverName,
  setting: DriverSetting,
  turns?: DialTurnsSpec,
): Promise<Driver> {
  const driver = await DRIVERS[name](setting);
  if (turns === undefined) return driver;
  const { TurnsDriver } = await import("./dial_turns.ts");
  return new TurnsDriver(driver, setting, turns);
}

/** The TLS layer of all hosts, whose code is loaded only if TLS is needed. */
async function tlsLayer(
  endpoints: readonly Endpoint[],
  slots: number,
  resumes: boolean,
): Promise<EpollTls | MixedTls> {
  const { EpollTls } = await import("./epoll_tls.ts");
  const { TunneledTls } = await import("./tunneled_tls.ts");
  const layers = endpoints.map((endpoint) => {
    if ("path" in endpoint || endpoint.tls === undefined) return null;
    const { tls } = endpoint;
    return endpoint.proxy === undefined
      ? new EpollTls(slots, tls, resumes)
      : new TunneledTls(slots, { ...endpoint, tls }, resumes);
  });
  const [only] = layers;
  if (layers.length === 1 && only !== null) return only;
  const { MixedTls } = await import("./mixed_tls.ts");
  return new MixedTls(layers, slots);
}
