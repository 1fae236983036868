/** The protocols, as the workers make them. */
import type { Driver } from "../engine/driver.ts";
import { Http1 } from "./http1/http1.ts";
import type { ProtocolOf } from "../engine/protocol.ts";

interface ProtocolSetting {
  readonly slots: number;
  /** At a time on each connection, which have that many slots each; absent: HTTP/1.1. */
  readonly streams?: number;
  /** Of the hosts, each with an equal share of the connections, in their order. */
  readonly schemes: readonly ("http" | "https")[];
  /** Whether responses are read as they come; absent: as a whole. */
  readonly isStreamed?: boolean;
}

export async function protocolOver(
  driver: Driver,
  { slots, streams, schemes, isStreamed = false }: ProtocolSetting,
): Promise<ProtocolOf> {
  if (streams === undefined && isStreamed) {
    const { StreamedHttp1 } = await import("./http1/streamed_http1.ts");
    return (exchanges) => new StreamedHttp1(driver, exchanges, slots);
  }
  if (streams === undefined) return (exchanges) => new Http1(driver, exchanges, slots);
  const { Http2 } = await import("./http2/http2.ts");
  const connections = slots / streams;
  return (exchanges) => new Http2(driver, exchanges, { connections, streams, schemes });
}
