/**
 * Interprets the field lines of a response (RFC 9113 §8.3.2), as strictly as §8.1.1 and §8.2.1 require: a malformed
 * response fails its stream. The result depends on the lines alone, so it can be reused for equal lines.
 */
import { servedIn } from "../framing_fields.ts";
import { TEXT, TOKEN } from "../octets.ts";
import { OF_A_CONNECTION } from "../request.ts";
import { type Field, fieldBytes } from "./fields.ts";

export interface ResponseHead {
  readonly status: number;
  /** The value of content-length; −1 if the field is absent. */
  readonly lengthBytes: number;
  /** Instance that served the response and its cache status, in the form of `FramingFields.served`. */
  readonly served: number;
  /** All fields except `:status`. */
  readonly fields: readonly Field[];
  /** Size of the field list (§10.5.1). */
  readonly listBytes: number;
}

/** Thrown for a malformed response; its message says why. */
export class MalformedResponse extends Error {}

/**
 * Reads the fields of a head, of which `:status` must be the first. Throws MalformedResponse if they break the rules of
 * HTTP/2.
 */
export function responseHead([first, ...fields]: readonly Field[]): ResponseHead {
  if (first?.name !== ":status") {
    throw new MalformedResponse("a response that does not begin with its status");
  }
  if (!/^[1-9]\d\d$/.test(first.value)) throw new MalformedResponse("malformed status");
  checkFields(fields);
  return {
    status: Number(first.value),
    lengthBytes: lengthIn(fields),
    served: servedIn(fields),
    fields,
    listBytes: fields.reduce((sum, field) => sum + fieldBytes(field), 0),
  };
}

/**
 * Checks the fields of a head except `:status`, or trailers. Throws MalformedResponse if one is malformed or forbidden
 * in HTTP/2.
 */
export function checkFields(fields: readonly Field[]): void {
  fields.forEach(checkField);
}

function checkField({ name, value }: Field): void {
  if (name.startsWith(":")) throw new MalformedResponse("a misplaced pseudo-header field");
  if (!isName(name)) throw new MalformedResponse("malformed field name");
  if (OF_A_CONNECTION.has(name)) {
    throw new MalformedResponse(`the field ${name}, which HTTP/2 forbids`);
  }
  if (!isValue(value)) throw new MalformedResponse("malformed field value");
}

/** Whether a name is a token without capital letters, as HTTP/2 requires. */
function isName(name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    const octet = name.charCodeAt(i);
    if (octet === 0 || TOKEN[octet] !== octet) return false;
  }
  return name.length > 0;
}

/** Whether a value is text without white space around it. */
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
