/** The head of an answer, and how its body ends (RFC 9112 §6.3). Pure. */
import { type Fields, listed } from "./fields.ts";

export interface AnswerHead {
  readonly status: number;
  /** Names in lower case. */
  readonly fields: Fields;
  readonly framing: Framing;
  /** Whether the connection can be used again after the body. */
  readonly keepAlive: boolean;
}

/** A body of so many bytes, in chunks, or until the connection ends. */
export type Framing = { readonly bytes: number } | "chunks" | "end";

const NO_BODY: Framing = { bytes: 0 };

/** @param text Status line and fields, without the empty line. Throws when it is no HTTP/1.1. */
export function parseAnswerHead(text: string, method: string): AnswerHead {
  const [statusLine, ...lines] = text.split("\r\n");
  const match = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/.exec(statusLine);
  if (match === null) throw new Error("it does not answer in HTTP/1.1");
  const fields = framedOnce(lines.map(parseField));
  const status = Number(match[2]);
  const framing = framingOf(status, fields, method);
  return { status, fields, framing, keepAlive: isKept(match[1], fields) && framing !== "end" };
}

/** Names are tokens, right before the colon (RFC 9112 §5.1); what ends a line stands in no value. */
const FIELD = /^([!#$%&'*+.^_`|~\dA-Za-z-]+):([^\0\r\n]*)$/;

function parseField(line: string): [string, string] {
  const [, name, value] = FIELD.exec(line) ?? [];
  if (name === undefined) throw new Error("it answers with a header that is none");
  return [name.toLowerCase(), value.trim()];
}

/** A coding counts for more than a length, which must not go on beside it (RFC 9112 §6.3). */
function framedOnce(fields: Fields): Fields {
  const isCoded = fields.some(([name]) => name === "transfer-encoding");
  return isCoded ? fields.filter(([name]) => name !== "content-length") : fields;
}

function framingOf(status: number, fields: Fields, method: string): Framing {
  if (method === "HEAD" || status < 200 || status === 204 || status === 304) return NO_BODY;
  const coding = listed(fields, "transfer-encoding").toLowerCase();
  if (coding !== "") return coding === "chunked" ? "chunks" : "end";
  const length = listed(fields, "content-length");
  if (length === "") return "end";
  if (!/^\d+$/.test(length)) throw new Error("it answers with a content-length that is no number");
  return { bytes: Number(length) };
}

function isKept(minor: string, fields: Fields): boolean {
  const options = listed(fields, "connection").toLowerCase();
  return minor === "1" ? !/\bclose\b/.test(options) : /\bkeep-alive\b/.test(options);
}
