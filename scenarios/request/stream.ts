/** What makes a response a stream of messages, as written in the file. */
import * as z from "zod";
import { between } from "../../base/quantity.ts";
import type { Conflict } from "../../base/problems.ts";
import { jsonSource, textSource } from "./body_source.ts";
import { LIMITS } from "../../base/limits.ts";

/** Events of `text/event-stream`; lines of text; or lines each of which is JSON. */
export const STREAM_KINDS = ["events", "lines", "json-lines"] as const;
export type StreamKind = typeof STREAM_KINDS[number];

/** The type of event streams, and what a request for one accepts. */
export const EVENT_STREAM = "text/event-stream";

export const streamKind = z.enum(STREAM_KINDS);
export const until = z.string().min(1).max(LIMITS.sentence.most);
export const hold = between("1ms", "24h");

export const streamFields = {
  stream: streamKind.optional().describe(
    "The response is read as it comes, as messages: events of text/event-stream, lines, or lines of JSON; " +
      "as a whole when absent",
  ),
  until: until.optional().describe(
    'The data of the message that ends the stream, such as "[DONE]"; a stream that ends without it is wrong',
  ),
  hold: hold.optional().describe(
    "How long a virtual user holds the stream before it leaves; until it ends when absent",
  ),
  token: z.xor([jsonSource, textSource]).optional().describe(
    "Where in a message of a model server its token stands: { json: choices[0].delta.content }, or { pattern: … }; " +
      "a message without it has none",
  ),
};

interface StreamedRequest {
  readonly stream?: StreamKind;
  readonly until?: unknown;
  readonly hold?: unknown;
  readonly token?: unknown;
  readonly head?: unknown;
  readonly capture?: Readonly<Record<string, unknown>>;
  readonly expect?: { readonly body?: string };
}

/** Parts of a request that a stream needs, or can't have. */
export function streamContradictions(request: StreamedRequest): Conflict[] {
  const { stream, head, capture = {}, expect } = request;
  if (stream === undefined) {
    return (["until", "hold", "token"] as const).filter((key) => request[key] !== undefined)
      .map((key) => ({
        path: [key],
        message: `Cannot use ${key} without a stream: write stream: events, lines or json-lines`,
      }));
  }
  const found: Conflict[] = [];
  if (head !== undefined) {
    found.push({ path: ["stream"], message: "Cannot read a stream from the response to head" });
  }
  if (expect?.body !== undefined) {
    const message =
      "Cannot expect a whole body of a stream: contains, json and matches are about " +
      "its messages, one of which at least must be so";
    found.push({ path: ["expect", "body"], message });
  }
  const [captured] = Object.keys(capture);
  if (captured !== undefined) {
    const message = "Cannot capture a value from a stream: its messages are not kept";
    found.push({ path: ["capture", captured], message });
  }
  return found;
}

/** Of a load, what a scenario with streams can't have: a key, and why. */
export const STREAM_CONFLICTS = {
  pipeline:
    "Cannot have several requests in flight on a connection of HTTP/1.1 whose responses are " +
    "streams: use http2, or one request at a time",
  follow: "Cannot follow redirects of requests whose responses are streams: write where they lead",
} as const;
