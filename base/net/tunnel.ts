/**
 * A tunnel through an HTTP proxy: the request for it, and the meaning of the proxy's response (RFC 9110 §9.3.6). Pure.
 */
import { encodeRequest } from "../http/request.ts";
import { NEED_MORE, ResponseReader } from "../http/response.ts";
import type { TcpEndpoint } from "./endpoint.ts";
import { hostAndPort } from "./listen.ts";

export function tunnelRequest({ hostname, port, proxy }: TcpEndpoint): Uint8Array<ArrayBuffer> {
  const path = hostAndPort(hostname, port);
  const byProxy = { origin: "", authorization: proxy?.authorization ?? null };
  const wire = { method: "CONNECT", path, headers: {}, body: null };
  return encodeRequest(wire, { host: path, keepAlive: true, byProxy });
}

/**
 * Reads a proxy's response. The proxy must send nothing after it, because in a tunnel for TLS the client speaks first.
 */
export class TunnelResponse {
  readonly #reader = new ResponseReader();

  constructor() {
    this.#reader.begin(true); // like a response to HEAD, it has no body
  }

  /**
   * Returns "" until the response is complete; after that, null if the tunnel is open, otherwise the reason why it is
   * not.
   */
  read(bytes: Uint8Array, length: number): string | null {
    const reader = this.#reader;
    const end = reader.read(bytes, 0, length);
    if (reader.state === NEED_MORE) return "";
    if (reader.reason !== "") {
      return `the proxy's response to CONNECT is not valid: ${reader.reason}`;
    }
    const { status } = reader;
    if (status < 200 || status > 299) return `the proxy refused the tunnel with status ${status}`;
    return end === length ? null : "the proxy itself sent bytes into the tunnel";
  }
}

export const NO_TUNNEL = "the proxy hung up before the tunnel was open";
