/**
 * The head of a response of HTTP/2 as one of HTTP/1.1, so that whatever reads responses reads both: checks, captures,
 * cookies and redirects. As strict as RFC 9113 §8.1.1 and §8.2.1 want it: what is malformed there fails its stream.
 */
import { TEXT, TOKEN } from "../octets.ts";
import type { Field } from "./fields.ts";

// How its content is framed in HTTP/1.1.
export const NO_CONTENT = 0;
export const SIZED = 1;
export const UNSIZED = 2;

export interface FramedHead {
  /** Another head follows (RFC 9110 §15.2). */
  readonly isInterim: boolean;
  readonly framing: number;
  /** What content-length says; −1 where none does. */
  readonly lengthBytes: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Why a response is malformed. */
export class MalformedResponse extends Error {}

const OF_A_CONNECTION = /^(?:connection|proxy-connection|keep-alive|transfer-encoding|upgrade)$/;

/**
 * @param isForHead It responds to a HEAD.
 * @param isEnd The stream ends with it.
 * Throws MalformedResponse.
 */
export function responseHead(
  fields: readonly Field[],
  isForHead: boolean,
  isEnd: boolean,
): FramedHead {
  const [first, ...rest] = fields;
  if (first?.name !== ":status") throw new MalformedResponse("a response without its status first");
  if (!/^[1-9]\d\d$/.test(first.value)) throw new MalformedResponse("malformed status");
  rest.forEach(checkField);
  const status = Number(first.value);
  const isInterim = status < 200;
  if (status === 101 || isInterim && isEnd) {
    throw new MalformedResponse("an interim response that ends");
  }
  const lengthBytes = lengthIn(rest);
  const hasNone = isForHead || isInterim || status === 204 || status === 304;
  if (isEnd && !hasNone && lengthBytes > 0) {
    throw new MalformedResponse("content of another length than content-length says");
  }
  const framing = hasNone ? NO_CONTENT : lengthBytes >= 0 || isEnd ? SIZED : UNSIZED;
  const added = framing === UNSIZED
    ? ["transfer-encoding: chunked"]
    : framing === SIZED && lengthBytes < 0
    ? ["content-length: 0"]
    : [];
  const lines = [
    `HTTP/1.1 ${first.value} `,
    ...rest.map(({ name, value }) => `${name}: ${value}`),
    ...added,
  ];
  return { isInterim, framing, lengthBytes, bytes: octetsOf(`${lines.join("\r\n")}\r\n\r\n`) };
}

/** The fields after the content, as the end of a chunked body. Throws MalformedResponse. */
export function trailerSection(fields: readonly Field[]): Uint8Array<ArrayBuffer> {
  fields.forEach(checkField);
  return octetsOf([...fields.map(({ name, value }) => `${name}: ${value}\r\n`), "\r\n"].join(""));
}

function checkField({ name, value }: Field): void {
  if (name.startsWith(":")) throw new MalformedResponse("a pseudo-header field out of its place");
  if (!isName(name)) throw new MalformedResponse("malformed field name");
  if (OF_A_CONNECTION.test(name)) {
    throw new MalformedResponse(`the field ${name}, which HTTP/2 forbids`);
  }
  if (!isValue(value)) throw new MalformedResponse("malformed field value");
}

/** A token without capital letters. */
function isName(name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    const octet = name.charCodeAt(i);
    if (octet === 0 || TOKEN[octet] !== octet) return false;
  }
  return name.length > 0;
}

/** Text without space around it. */
function isValue(value: string): boolean {
  for (let i = 0; i < value.length; i++) {
    if (TEXT[value.charCodeAt(i)] === 0) return false;
  }
  return !/^[ \t]|[ \t]$/.test(value);
}

function lengthIn(fields: readonly Field[]): number {
  const lengths = fields.filter(({ name }) => name === "content-length");
  if (lengths.length === 0) return -1;
  const [{ value }] = lengths;
  if (lengths.some((other) => other.value !== value)) {
    throw new MalformedResponse("conflicting content-lengths");
  }
  if (!/^\d{1,15}$/.test(value)) throw new MalformedResponse("malformed content-length");
  return Number(value);
}

function octetsOf(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}
