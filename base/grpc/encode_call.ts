/** Encodes the messages of a gRPC call, which are JSON in the parts of the request's body. */
import type { BodyPart } from "../http/body.ts";
import type { WireRequest } from "../http/request.ts";
import { parseJson } from "../yaml/json_text.ts";
import type { Json } from "../yaml/json_text.ts";
import { encodeMessage } from "./encode_message.ts";
import { inEnvelopes } from "./envelope.ts";
import type { RootType } from "./message_types.ts";

/** Throws with the reason if a message does not fit its type. */
export function encodedCall(wire: WireRequest, input: RootType): WireRequest {
  const { body, headers } = wire;
  if (body === null || typeof body === "string") return wire;
  const isCompressed = headers["grpc-encoding"] !== undefined;
  return { ...wire, body: body.map((part) => encoded(part, input, isCompressed)) };
}

function encoded(part: BodyPart, input: RootType, isCompressed: boolean): BodyPart {
  if (!("message" in part)) return part;
  const message = encodeMessage(input, parseJson(part.message) as Json);
  return { base64: inEnvelopes([message], isCompressed).toBase64() };
}
