/** Frames as a server writes them, right or wrong. */
export const ascii = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text, (one) => one.charCodeAt(0));
export const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
export const hex = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.fromHex(text.replaceAll(" ", ""));

export function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** @param first Opcode, and bits above it. */
export function frame(
  first: number,
  payload: Uint8Array | string = "",
): Uint8Array<ArrayBuffer> {
  const octets = typeof payload === "string" ? utf8(payload) : payload;
  return joined(head(first, octets.length), octets);
}

export function head(first: number, length: number): Uint8Array<ArrayBuffer> {
  if (length < 126) return Uint8Array.of(first, length);
  if (length < 65_536) return Uint8Array.of(first, 126, length >> 8, length);
  const octets = new Uint8Array(10);
  octets.set([first, 127]);
  new DataView(octets.buffer).setBigUint64(2, BigInt(length));
  return octets;
}

/** @param code Null: a close frame without one. */
export function close(
  code: number | null,
  reason: Uint8Array | string = "",
): Uint8Array<ArrayBuffer> {
  if (code === null) return frame(0x88);
  const text = typeof reason === "string" ? utf8(reason) : reason;
  return frame(0x88, joined(Uint8Array.of(code >> 8, code), text));
}
