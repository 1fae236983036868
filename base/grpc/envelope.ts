/**
 * Envelopes of messages in a gRPC body (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md): each message
 * is preceded by an octet that says whether it is compressed, and by its length in four octets.
 */
import process from "node:process";
import { beyond, isWithin } from "../limits.ts";

export const PREFIX_BYTES = 5;

/** Throws if a message is too large. */
export function inEnvelopes(
  messages: readonly Uint8Array<ArrayBuffer>[],
  isCompressed: boolean,
): Uint8Array<ArrayBuffer> {
  const contents = messages.map((message) => {
    if (!isWithin("grpcMessage", message.length)) {
      throw new Error(beyond("grpcMessage", message.length));
    }
    return isCompressed ? gzipped(message) : message;
  });
  const body = new Uint8Array(contents.reduce((sum, { length }) => sum + PREFIX_BYTES + length, 0));
  const view = new DataView(body.buffer);
  let at = 0;
  for (const content of contents) {
    body[at] = isCompressed ? 1 : 0;
    view.setUint32(at + 1, content.length);
    body.set(content, at + PREFIX_BYTES);
    at += PREFIX_BYTES + content.length;
  }
  return body;
}

function gzipped(message: Uint8Array<ArrayBuffer>): Uint8Array {
  return process.getBuiltinModule("node:zlib").gzipSync(message);
}
