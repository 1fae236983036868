/** Makes the protocols for workers. */
import type { Driver } from "../engine/driver.ts";
import { Http1 } from "./http1/http1.ts";
import type { ProtocolOf } from "../engine/protocol.ts";
import type { SocketParts } from "./websocket/websocket_http1.ts";

interface ProtocolSetting {
  readonly slots: number;
  /** Concurrent streams, and so slots, of each connection; absent: HTTP/1.1. */
  readonly streams?: number;
  /** Requests after which a connection over HTTP/2 is replaced; absent: no limit. */
  readonly requests?: number;
  /** The scheme of each host, in the order of the hosts; every host has an equal share of the connections. */
  readonly schemes: readonly ("http" | "https")[];
  /** Whether responses are read as they arrive; absent: as a whole. */
  readonly isStreamed?: boolean;
  /** Absent if no exchange is a WebSocket. */
  readonly sockets?: Omit<SocketParts, "slots">;
}

export async function protocolOver(
  driver: Driver,
  { slots, streams, requests, schemes, isStreamed = false, sockets }: ProtocolSetting,
): Promise<ProtocolOf> {
  if (sockets !== undefined) {
    if (streams !== undefined) throw new Error("A WebSocket is opened only over HTTP/1.1");
    const { WebSocketHttp1 } = await import("./websocket/websocket_http1.ts");
    return (exchanges) => new WebSocketHttp1(driver, exchanges, { slots, ...sockets });
  }
  if (streams === undefined && isStreamed) {
    const { StreamedHttp1 } = await import("./http1/streamed_http1.ts");
    return (exchanges) => new StreamedHttp1(driver, exchanges, slots);
  }
  if (streams === undefined) return (exchanges) => new Http1(driver, exchanges, slots);
  const { Http2 } = await import("./http2/http2.ts");
  const connections = slots / streams;
  return (exchanges) => new Http2(driver, exchanges, { connections, streams, requests, schemes });
}
