/**
 * Checks whether a gRPC server responds. Uses HTTP/2 without an upgrade, because most such servers speak nothing else.
 */
import { PREFIX_BYTES } from "../../base/grpc/envelope.ts";
import { callOnce } from "../../base/grpc/one_call.ts";
import { MalformedMessage, VARINT, WireReader } from "../../base/grpc/wire.ts";
import type { KeptResponse } from "../../base/http/kept.ts";
import type { ReceivedResponse } from "../../base/http/received.ts";
import { DialError } from "../../base/net/dial_error.ts";
import { endpointOf } from "../../base/net/endpoint.ts";

/** A method that many servers have. The others respond that they do not have it, which also shows that they are up. */
const HEALTH = "/grpc.health.v1.Health/Check";
/** An empty message names no service, so it asks for the health of the whole server. */
const REQUEST = new Uint8Array(0);

/** The gRPC status of a server that is up while services that it depends on are not. */
const UNAVAILABLE = 14;

/**
 * HealthCheckResponse's only field, and its value for a healthy service
 * (https://github.com/grpc/grpc/blob/master/doc/health-checking.md).
 */
const HEALTH_FIELD = 1;
const SERVING = 1;
const HEALTHS = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"];

/**
 * Why the server is not ready, taken from its response; null if it is ready. Throws an error that says why there is no
 * response.
 */
export async function callFailure(origin: string, signal: AbortSignal): Promise<string | null> {
  const server = { origin, endpoint: endpointOf(origin, { http2: true }) };
  const response = await callOnce(server, { path: HEALTH, message: REQUEST }, signal)
    .catch((error) => {
      if (!(error instanceof DialError)) throw error;
      throw new Error(`${origin} can't be reached: ${error.message}`);
    });
  return failureOf(response);
}

function failureOf({ status, kept }: ReceivedResponse): string | null {
  const type = kept?.field("content-type") ?? "";
  if (kept === null || !/^application\/grpc\b/i.test(type)) {
    return `status ${status}, which is no gRPC response`;
  }
  const text = kept.trailer("grpc-status") ?? kept.field("grpc-status") ?? "";
  if (!/^\d+$/.test(text)) return `status ${status} without a grpc-status`;
  const callStatus = Number(text);
  if (callStatus === UNAVAILABLE) return `grpc-status ${UNAVAILABLE} (UNAVAILABLE)`;
  if (callStatus !== 0) return null;
  const health = healthIn(kept);
  return health === SERVING ? null : `health ${HEALTHS[health] ?? health}`;
}

/** The health status in the message: 0 if absent, as in protobuf; NaN if the bytes are not a valid message. */
function healthIn(kept: KeptResponse): number {
  try {
    const reader = new WireReader(kept.body().subarray(PREFIX_BYTES));
    let health = 0;
    while (!reader.isOver) {
      const { id, wireType } = reader.tag();
      if (id === HEALTH_FIELD && wireType === VARINT) health = Number(reader.varint());
      else reader.skip(wireType);
    }
    return health;
  } catch (error) {
    if (error instanceof MalformedMessage) return NaN;
    throw error;
  }
}
