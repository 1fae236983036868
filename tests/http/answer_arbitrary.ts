/**
 * Random answers for property tests: what is meant, and the octets that a server may say it with.
 */
import fc from "fast-check";
import { COMPLETE } from "../../base/http/response.ts";
import type { Outcome } from "./feed.ts";

export interface Answer {
  readonly wire: string;
  readonly answersHead: boolean;
  readonly untilClose: boolean;
  readonly outcome: Outcome;
}

const FRAMINGS = ["length", "chunks", "close", "none"] as const;

const token = fc.string({ unit: fc.constantFrom(..."abcXYZ09-_!~"), minLength: 1, maxLength: 12 });
const value = fc.string({ unit: fc.constantFrom(..."ab 0,;=\t\xe9\"'"), maxLength: 20 });
const fields = fc.array(fc.tuple(token.map((name) => `x${name}`), value), { maxLength: 4 });
const body = fc.string({ unit: fc.constantFrom(..."ab\r\n0\0\xff"), maxLength: 40 });

const parts = fc.record({
  framing: fc.constantFrom(...FRAMINGS),
  isHead: fc.boolean(),
  interim: fc.array(fields, { maxLength: 2 }),
  minor: fc.constantFrom(0, 1),
  status: fc.integer({ min: 200, max: 999 }).filter((status) => status !== 204 && status !== 304),
  phrase: value,
  fields,
  option: fc.constantFrom(null, "close", "Close, x", "keep-alive", "x,  KEEP-alive ,", "closed"),
  upperCase: fc.boolean(),
  body,
  /** Size of each chunk in turn. */
  sizes: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 }),
  extension: fc.constantFrom("", ";a", ';a="b"'),
  trailers: fields,
});
type Parts = typeof parts extends fc.Arbitrary<infer T> ? T : never;

export const answers: fc.Arbitrary<Answer> = parts.map(sayAnswer);

function sayAnswer(meant: Parts): Answer {
  const { framing, minor, option } = meant;
  const answersHead = framing === "none" && meant.isHead;
  const status = framing === "none" && !meant.isHead ? 204 : meant.status;
  const body = framing === "none" ? "" : meant.body;
  const interim = meant.interim.map((lines) => `HTTP/1.1 103 \r\n${sayFields(lines)}\r\n`);
  const head = `HTTP/1.${minor} ${status} ${meant.phrase}\r\n${sayFields(fieldsOf(meant))}\r\n`;
  const wire = interim.join("") + head + (framing === "chunks" ? sayChunks(meant) : body);
  const closes = /\bclose\b/i.test(option ?? "") || framing === "close" ||
    (minor === 0 && (framing === "chunks" || !/keep-alive/i.test(option ?? "")));
  const outcome = { state: COMPLETE, status, body, bodyBytes: body.length, keepAlive: !closes };
  return {
    ...{ wire, answersHead, untilClose: framing === "close" },
    outcome: { ...outcome, reason: "", taken: wire.length },
  };
}

function fieldsOf({ framing, fields, option, body, upperCase }: Parts): [string, string][] {
  const said: [string, string][] = [...fields];
  if (framing === "length") said.push(["content-length", ` ${body.length} `]);
  if (framing === "chunks") said.push(["transfer-encoding", " Chunked"]);
  if (framing === "none") said.unshift(["content-length", "7"]);
  if (option !== null) said.unshift(["connection", ` ${option}`]);
  return upperCase ? said.map(([name, value]) => [name.toUpperCase(), value]) : said;
}

function sayFields(fields: readonly (readonly [string, string])[]): string {
  return fields.map(([name, value]) => `${name}:${value}\r\n`).join("");
}

function sayChunks({ body, sizes, extension, trailers }: Parts): string {
  const chunks: string[] = [];
  for (let at = 0, i = 0; at < body.length; i++) {
    const data = body.slice(at, at += sizes[i % sizes.length]);
    chunks.push(`${data.length.toString(16)}${extension}\r\n${data}\r\n`);
  }
  return `${chunks.join("")}0${extension}\r\n${sayFields(trailers)}\r\n`;
}
