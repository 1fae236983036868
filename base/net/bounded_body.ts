/** Bodies of responses that this program fetches, within a limit: a server may send without end. */
import { beyond, isWithin, type LimitName, oneMoreThan } from "../limits.ts";
import { Buffer } from "node:buffer";

/** Throws an Error beyond the limit, and then reads no more; or whatever ends the stream. */
export async function boundedBody(
  stream: ReadableStream<Uint8Array> | null,
  limit: LimitName,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream ?? []) {
    length += chunk.length;
    if (!isWithin(limit, length)) throw new Error(beyond(limit, oneMoreThan(limit)));
    chunks.push(chunk);
  }
  return Uint8Array.from(Buffer.concat(chunks));
}
