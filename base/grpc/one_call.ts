/** Makes a single gRPC call with one message on its own connection, outside of any load. */
import type { ReceivedResponse } from "../http/received.ts";
import { encodeRequest } from "../http/request.ts";
import { dial } from "../net/dial.ts";
import { connectionOptions, type Endpoint } from "../net/endpoint.ts";
import { exchangeOn } from "../net/one_exchange.ts";
import { inEnvelopes } from "./envelope.ts";

export interface CallServer {
  readonly origin: string;
  readonly endpoint: Endpoint;
}

interface OneCall {
  /** Path of the method: `/package.Service/Method`. */
  readonly path: string;
  /** The message, encoded as protobuf. */
  readonly message: Uint8Array<ArrayBuffer>;
}

/**
 * Rejects with a DialError if no connection can be opened, and with another error if the response is incomplete.
 * @param signal Abandons the call when aborted.
 */
export async function callOnce(
  { origin, endpoint }: CallServer,
  { path, message }: OneCall,
  signal: AbortSignal,
): Promise<ReceivedResponse> {
  const headers = { "content-type": "application/grpc", te: "trailers" };
  const body = [{ base64: inEnvelopes([message], false).toBase64() }];
  const bytes = encodeRequest(
    { method: "POST", path, headers, body },
    connectionOptions(origin, endpoint, true),
  );
  const connection = await dial(endpoint, signal);
  const close = (): void => connection.close();
  signal.addEventListener("abort", close, { once: true });
  if (signal.aborted) close(); // aborted just as the connection opened
  try {
    return await exchangeOn(connection, endpoint, {
      bytes,
      head: false,
      isStream: false,
      streams: 1,
    });
  } finally {
    signal.removeEventListener("abort", close);
    close();
  }
}
