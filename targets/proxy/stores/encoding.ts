/** A kept answer as bytes: the length of its head in four bytes, the head as JSON, the body as it is. */
import { z } from "zod";
import type { KeptAnswer } from "./store.ts";

const head = z.object({
  status: z.int(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  keptAtMs: z.number(),
  freshUntilMs: z.number(),
});

const LENGTH_BYTES = 4;

export function encodeAnswer({ body, ...rest }: KeptAnswer): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(rest));
  const bytes = new Uint8Array(LENGTH_BYTES + text.length + body.length);
  new DataView(bytes.buffer).setUint32(0, text.length);
  bytes.set(text, LENGTH_BYTES);
  bytes.set(body, LENGTH_BYTES + text.length);
  return bytes;
}

/** Null when the bytes are no answer of ours. */
export function decodeAnswer(bytes: Uint8Array): KeptAnswer | null {
  if (bytes.length < LENGTH_BYTES) return null;
  const bodyAt = LENGTH_BYTES + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  try {
    const text = new TextDecoder().decode(bytes.subarray(LENGTH_BYTES, bodyAt));
    return {
      ...head.parse(JSON.parse(text)),
      body: Uint8Array.from(bytes.subarray(bodyAt)),
    };
  } catch {
    return null;
  }
}
