/**
 * The body of a request before it is encoded: text, which may have placeholders (`{{ name }}`), and files, which have
 * none. Pure.
 */

/**
 * Part of a body. The values of placeholders are inserted unchanged into `text`. In `quoted`, a quoted name of a
 * multipart form, they are escaped.
 */
export type BodyPart =
  | { readonly text: string }
  | { readonly quoted: string }
  /** Octets without placeholders, as base64 (RFC 4648 §4), so that they can be stored as JSON. */
  | { readonly base64: string }
  /** A gRPC message as JSON, which can't be encoded before its type is known. */
  | { readonly message: string };

/** A bare string is text whose placeholders are escaped for the request's content-type; null means no body. */
export type WireBody = string | readonly BodyPart[] | null;

/** The texts that may contain placeholders. */
export function bodyTexts(body: WireBody): string[] {
  return partsOf(body).flatMap((part) => "base64" in part ? [] : [textOf(part)]);
}

/** Length of the body's parts as stored, in characters; base64 is counted without decoding it. */
export function bodyLength(body: WireBody): number {
  return partsOf(body).reduce((sum, part) => sum + textOf(part).length, 0);
}

/** Throws if the base64 of a part is malformed, or if a part is a gRPC message that is still JSON. */
export function bodyOctets(body: WireBody): Uint8Array<ArrayBuffer> {
  if (body === null || typeof body === "string") return new TextEncoder().encode(body ?? "");
  const parts = body.map(octetsOf);
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Decoded parts, kept because a flow sends the same file again and again. */
const decoded = new WeakMap<BodyPart, Uint8Array<ArrayBuffer>>();

function octetsOf(part: BodyPart): Uint8Array<ArrayBuffer> {
  if ("message" in part) throw new Error("A gRPC message cannot be encoded without its type");
  if (!("base64" in part)) return new TextEncoder().encode(textOf(part));
  const known = decoded.get(part);
  if (known !== undefined) return known;
  const octets = Uint8Array.fromBase64(part.base64);
  decoded.set(part, octets);
  return octets;
}

function partsOf(body: WireBody): readonly BodyPart[] {
  if (body === null) return [];
  return typeof body === "string" ? [{ text: body }] : body;
}

function textOf(part: BodyPart): string {
  if ("text" in part) return part.text;
  if ("message" in part) return part.message;
  return "quoted" in part ? part.quoted : part.base64;
}
