/**
 * A WebSocket in an experiment file: the messages that are sent, and which message of the server answers each of them.
 */
import * as z from "zod";
import type { Offer } from "../../base/http/websocket/handshake.ts";
import type { WireBody } from "../../base/http/body.ts";
import type { WireRequest } from "../../base/http/request.ts";
import { beyond, isWithin } from "../../base/limits.ts";
import type { Conflict } from "../../base/problems.ts";
import { between } from "../../base/quantity.ts";
import { quotedOpenly } from "../../base/secrets.ts";
import { type BodySource, jsonSource, textSource } from "./values.ts";

const ANSWERS = ["echo", "push", "order"] as const;

/**
 * Which of the server's messages answers a sent message: the one with the same octets (echo), the next one (order), or
 * one that has a value in common with it (a BodySource). With "push", no message is an answer.
 */
export type MessageExpectation = typeof ANSWERS[number] | BodySource;

export const answer = z.enum(ANSWERS);
export const answerSpec = z.union([answer, jsonSource, textSource]);

/** Placeholders that each message may contain: the number of the message, and the number of its socket. */
export const SOCKET_NAMES: readonly string[] = ["n", "socket"];

function checkSize(bytes: number, context: z.core.$RefinementCtx): void {
  if (!isWithin("streamMessage", bytes)) {
    context.addIssue(`Cannot send this message: ${beyond("streamMessage", bytes)}`);
  }
}

const sizeOf = (text: string): number => new TextEncoder().encode(text).length;

export const every = between("1ms", "24h");

const sendSpec = z.strictObject({
  every: every.optional().describe(
    "Time between two messages on a socket; the first message is sent once the socket is open. When absent, only the first is sent",
  ),
  text: z.string().superRefine((text, context) => checkSize(sizeOf(text), context)).optional()
    .describe(
      "Text of each message, in which {{ n }} is its number on the socket from 0, and {{ socket }} the socket's name",
    ),
  json: z.json().superRefine((json, context) => checkSize(sizeOf(JSON.stringify(json)), context))
    .optional().describe("JSON of each message, in which {{ n }} and {{ socket }} mean the same"),
  binary: z.base64().superRefine((text, context) => checkSize(text.length * 3 / 4, context))
    .optional().describe("Octets of each message, as base64; sent as a binary message"),
}).superRefine(({ text, json, binary }, context) => {
  const given = Object.entries({ text, json, binary }).filter(([, value]) => value !== undefined);
  if (given.length === 0) {
    context.addIssue("Cannot send an empty message: write text, json or binary");
  }
  const [[first] = [], [second] = []] = given;
  if (second === undefined) return;
  const message = `Cannot send both ${first} and ${second}: leave one out`;
  context.addIssue({ code: "custom", path: [second], message });
});

type SendSpec = z.output<typeof sendSpec>;

/** A subprotocol, which must be a token (RFC 6455 §4.1). */
export const subprotocol = z.string().max(200).regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, {
  error: ({ input }) => `Cannot use ${quotedOpenly(input)} as a subprotocol`,
});

export const socketFields = {
  send: sendSpec.optional().describe(
    "What a virtual user sends on the WebSocket: { every: 100ms, text: … }, json or binary",
  ),
  subprotocol: z.union([
    subprotocol.transform((one) => [one]),
    z.array(subprotocol).min(1).max(100),
  ]).optional().describe("Subprotocol that is offered, or several, of which the server chooses"),
  deflate: z.boolean().optional().describe(
    "Whether to offer compression of messages (permessage-deflate); not when absent",
  ),
};

/** The keys of a request that concern a WebSocket, as they stand in the file. */
interface SocketRequest {
  readonly websocket?: string;
  readonly send?: SendSpec;
  readonly hold?: unknown;
  readonly subprotocol?: readonly string[];
  readonly deflate?: boolean;
  readonly expect?: object & { readonly message?: MessageExpectation };
  readonly capture?: Readonly<Record<string, unknown>>;
}

/** A WebSocket as a load's script describes it. */
export interface SocketUse {
  readonly send?: { readonly everyMs?: number; readonly isText: boolean };
  readonly answer: MessageExpectation;
  readonly holdMs?: number;
  readonly subprotocols: readonly string[];
  readonly deflate: boolean;
}

export function socketUse(
  { send, expect, subprotocol = [], deflate = false }: SocketRequest,
  holdMs: number | undefined,
): SocketUse {
  return {
    ...send && {
      send: {
        ...send.every !== undefined && { everyMs: send.every },
        isText: send.binary === undefined,
      },
    },
    answer: expect?.message ?? (send === undefined ? "push" : "echo"),
    ...holdMs !== undefined && { holdMs },
    subprotocols: subprotocol,
    deflate,
  };
}

/**
 * The request of the opening handshake. Its body is not sent with it, but holds the message for the WebSocket, because
 * values are filled into the request and the message alike.
 */
export function socketWire(
  { websocket = "/", send, subprotocol = [], deflate = false }: SocketRequest,
  headers: Readonly<Record<string, string>>,
): WireRequest {
  return {
    method: "GET",
    path: websocket,
    headers: {
      ...handshakeFields({ subprotocols: subprotocol, deflate }),
      ...headers,
      // Never sent: it only determines how values are escaped in the message.
      ...send?.json !== undefined && { "content-type": "application/json" },
    },
    body: payloadOf(send),
  };
}

function payloadOf(send: SendSpec | undefined): WireBody {
  if (send?.binary !== undefined) return [{ base64: send.binary }];
  if (send?.json !== undefined) return JSON.stringify(send.json);
  return send?.text ?? null;
}

/** Offers compression in which the client compresses each message independently (RFC 7692 §7.1.1.2). */
const DEFLATE = "permessage-deflate; client_no_context_takeover";
/** A placeholder for the key, which is 16 octets in base64. */
const NO_KEY = "A".repeat(22) + "==";

/** The header fields of the opening handshake (RFC 6455 §4.1), with a placeholder for the key. */
export function handshakeFields({ subprotocols, deflate }: Offer): Record<string, string> {
  return {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": NO_KEY,
    ...deflate && { "sec-websocket-extensions": DEFLATE },
    ...subprotocols.length > 0 && { "sec-websocket-protocol": subprotocols.join(", ") },
  };
}

/** The keys of a request that are allowed only for a WebSocket. */
export const SOCKET_KEYS = ["send", "subprotocol", "deflate"] as const;
const OTHER_KEYS = [
  "body",
  "json",
  "form",
  "multipart",
  "stream",
  "until",
  "token",
  "after",
] as const;
/** Header fields that `socketWire` sets itself, so that an experiment file may not set them. */
const OWN_FIELDS = /^(?:connection|upgrade|sec-websocket-.*|content-type)$/i;

/**
 * Conflicts in a request. With a WebSocket: keys that are missing or not allowed. Without one: keys that need a
 * WebSocket.
 */
export function socketContradictions(request: SocketRequest): Conflict[] {
  const { websocket, expect = {}, capture = {} } = request;
  const has = (key: string): boolean => Reflect.get(request, key) !== undefined;
  if (websocket === undefined) {
    return [
      ...SOCKET_KEYS.filter(has).map((key) => ({
        path: [key],
        message:
          `Cannot use ${key} without a WebSocket: write websocket with a path, as in websocket: /chat`,
      })),
      ...expect.message === undefined ? [] : [{
        path: ["expect"],
        message:
          "Cannot expect echo, push, order or a message without a WebSocket: write websocket with a path",
      }],
    ];
  }
  const fields = Object.keys(Reflect.get(request, "headers") ?? {});
  return [
    ...OTHER_KEYS.filter(has).map((key) => ({
      path: [key],
      message: `Cannot use ${key} with a WebSocket: write what it sends as send: { text: … }`,
    })),
    ...["status", "body"].filter((key) => Reflect.get(expect, key) !== undefined).map((key) => ({
      path: ["expect", key],
      message: `Cannot expect ${
        key === "body" ? "a body" : "a status other than 101"
      } of a WebSocket: contains, json and matches are about its messages`,
    })),
    ...fields.filter((name) => OWN_FIELDS.test(name)).map((name) => ({
      path: ["headers", name],
      message: "Cannot set this header field of a WebSocket: its handshake sets it",
    })),
    ...Object.keys(capture).slice(0, 1).map((name) => ({
      path: ["capture", name],
      message: "Cannot capture a value from a WebSocket: its messages are not kept",
    })),
    ...request.send === undefined && expect.message !== undefined && expect.message !== "push"
      ? [{ path: ["expect"], message: "Cannot expect an answer when nothing is sent: write send" }]
      : [],
  ];
}

/** The keys of a load that can't be combined with WebSockets in its scenario, with the reasons. */
export const SOCKET_CONFLICTS = {
  http2: "Cannot open a WebSocket over HTTP/2 (RFC 8441): leave out http2",
  pipeline: "Cannot have several requests in flight on a connection that becomes a WebSocket",
  requests:
    "Cannot end after a number of requests if a WebSocket has no hold: write hold, or duration",
  capacity:
    "Cannot search for a capacity with WebSockets that stay open, because the search is for their rate: write hold",
  calls: "Cannot open a WebSocket beside gRPC calls, which use HTTP/2: give it its own scenario",
} as const;
