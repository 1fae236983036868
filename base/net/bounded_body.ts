/** Reads bodies of fetched responses up to a limit, because a server may never stop sending. */
import { beyond, isWithin, type LimitName, oneMoreThan } from "../limits.ts";
import { Buffer } from "node:buffer";

/** Reads a whole body. If it exceeds the limit, stops reading and throws an Error. Also throws errors of the stream. */
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
