/** Whether a server of gRPC responds: over HTTP/2, which is all that most of them speak. */
import { messageOf } from "../../base/errors.ts";
import { inEnvelopes } from "../../base/grpc/envelope.ts";
import { encodeRequest } from "../../base/http/request.ts";
import { dial } from "../../base/net/dial.ts";
import { connectionOptions, endpointOf } from "../../base/net/endpoint.ts";
import { exchangeOn } from "../../base/net/one_exchange.ts";

/** A method that many servers have; the others respond that they do not have it. */
const HEALTH = "/grpc.health.v1.Health/Check";

/** Null if it does, else its status; throws an error that says why there is no response. */
export async function callFailure(origin: string, signal: AbortSignal): Promise<string | null> {
  const endpoint = endpointOf(origin, { http2: true });
  const headers = { "content-type": "application/grpc", te: "trailers" };
  const body = [{ base64: inEnvelopes([new Uint8Array(0)], false).toBase64() }];
  const bytes = encodeRequest(
    { method: "POST", path: HEALTH, headers, body },
    connectionOptions(origin, endpoint, true),
  );
  const connection = await dial(endpoint, signal).catch((error) => {
    throw new Error(`${origin} can't be reached: ${messageOf(error)}`);
  });
  const close = (): void => connection.close();
  signal.addEventListener("abort", close);
  try {
    const exchange = { bytes, head: false, isStream: false, streams: 1 };
    const { status } = await exchangeOn(connection, endpoint, exchange);
    return status < 500 ? null : `status ${status}`;
  } finally {
    signal.removeEventListener("abort", close);
    close();
  }
}
