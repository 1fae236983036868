/** What hostile servers do with a connection: each breaks another rule of HTTP, of TCP, or of manners. */
import { type Act, isAsked, pause, say } from "../conformance/servers.ts";

export const OK = "HTTP/1.1 200 OK\r\n";
export const EMPTY = `${OK}Content-Length: 0\r\n\r\n`;

/** Says `text` to every request. */
export async function answerAll(conn: Deno.Conn, text: string): Promise<void> {
  while (await isAsked(conn)) await say(conn, text);
}

/** Says `text` to the first request, and hangs up. */
async function answerOnce(conn: Deno.Conn, text: string): Promise<void> {
  if (await isAsked(conn)) await say(conn, text);
}

/** Says piece after piece, until the peer has had enough. */
export async function goOn(
  conn: Deno.Conn,
  pieces: Iterable<string>,
  everyMs: number,
): Promise<void> {
  for (const piece of pieces) {
    await say(conn, piece);
    await pause(everyMs);
  }
}

function* endless(text: string): Generator<string> {
  for (;;) yield text;
}

/** Begins an answer that has no end. */
async function answerWithoutEnd(conn: Deno.Conn, head: string, piece: string): Promise<void> {
  if (!await isAsked(conn)) return;
  await say(conn, head);
  await goOn(conn, endless(piece), 1);
}

/** Hangs up while bytes of the peer are unread, so that the system sends a reset. */
async function reset(conn: Deno.Conn, text: string): Promise<void> {
  await conn.read(new Uint8Array(1));
  await say(conn, text);
}

export interface Hostile {
  readonly act: Act;
  /**
   * What its requests come to: `nothing` where none gets an answer; `answers` where some do; `wrong` where their status
   * is one that only `run` calls wrong.
   */
  readonly ends: "nothing" | "answers" | "wrong";
  /** The only kinds of failure that may come of it. */
  readonly errors: readonly string[];
}

function failing(errors: readonly string[], act: Act): Hostile {
  return { act, errors, ends: "nothing" };
}

/** To every request, and no HTTP. */
function malformed(text: string): Hostile {
  return failing(["protocol"], (conn) => answerAll(conn, text));
}

/** Servers that let every request fail, and no way of it is another. */
export const FAILING = {
  "answers with garbage": malformed("garbage\r\n\r\n"),
  "hangs up at once": failing(["closed", "reset"], () => Promise.resolve()),
  "hangs up on the request": failing(["closed"], async (conn) => void await isAsked(conn)),
  "hangs up within the head": failing(["closed"], (conn) => answerOnce(conn, `${OK}Con`)),
  "hangs up within the body": failing(
    ["closed"],
    (conn) => answerOnce(conn, `${OK}Content-Length: 9\r\n\r\nabc`),
  ),
  "sends fields without end": failing(["protocol"], async (conn) => {
    if (!await isAsked(conn)) return;
    await goOn(conn, [OK, ...new Array(500).fill(`X: ${"y".repeat(9_000)}\r\n`)], 2);
  }),
  "says nothing": failing(["timeout"], async (conn) => {
    while (await isAsked(conn));
  }),
  "sends a byte now and then": failing(
    ["timeout"],
    (conn) => goOn(conn, `${OK}Content-Length: 0\r\n\r\n`, 20),
  ),
} as const satisfies Record<string, Hostile>;

const MANY_DIGITS = "9".repeat(30);

/** All that are tried. */
export const HOSTILE: Readonly<Record<string, Hostile>> = {
  ...FAILING,
  "resets on the request": failing(["reset", "closed"], (conn) => reset(conn, "")),
  "resets within the body": failing(
    ["reset", "closed"],
    (conn) => reset(conn, `${OK}Content-Length: 9\r\n\r\nabc`),
  ),
  "speaks another protocol": failing(["protocol"], async (conn) => {
    await say(conn, "SSH-2.0-OpenSSH_9.2\r\n");
    while (await isAsked(conn));
  }),
  "speaks a version that is none": malformed("HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n"),
  "sends a status that is no number": malformed("HTTP/1.1 2OO OK\r\nContent-Length: 0\r\n\r\n"),
  "sends a negative length": malformed(`${OK}Content-Length: -1\r\n\r\n`),
  "sends a length beyond all numbers": malformed(`${OK}Content-Length: ${MANY_DIGITS}\r\n\r\n`),
  "sends two lengths": malformed(`${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`),
  "sends a length and chunks": malformed(
    `${OK}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ),
  "sends a chunk beyond all numbers": malformed(
    `${OK}Transfer-Encoding: chunked\r\n\r\n${"F".repeat(30)}\r\n`,
  ),
  "sends a NUL in a field": malformed(`${OK}X: a\0b\r\nContent-Length: 0\r\n\r\n`),
  "folds a field over two lines": malformed(`${OK}X: a\r\n b\r\nContent-Length: 0\r\n\r\n`),
  "promises a body and never sends it": failing(
    ["timeout"],
    (conn) => answerAll(conn, `${OK}Content-Length: 9007199254740991\r\n\r\n`),
  ),
  "sends chunks without end": failing(
    ["timeout"],
    (conn) =>
      answerWithoutEnd(
        conn,
        `${OK}Transfer-Encoding: chunked\r\n\r\n`,
        `400\r\n${"x".repeat(1_024)}\r\n`,
      ),
  ),
  "sends interim answers without end": failing(
    ["timeout", "protocol"],
    (conn) => answerWithoutEnd(conn, "", "HTTP/1.1 103 Early Hints\r\n\r\n"),
  ),
  "switches protocols that nobody asked for": malformed(
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
  ),
  "answers twice": {
    act: (conn) => answerAll(conn, EMPTY + EMPTY),
    errors: ["closed", "reset"],
    ends: "answers",
  },
  "hangs up after each answer without a word": {
    act: (conn) => answerOnce(conn, EMPTY),
    errors: ["closed", "reset"],
    ends: "answers",
  },
  "redirects to itself for ever": {
    act: (conn) =>
      answerAll(conn, "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"),
    errors: [],
    ends: "answers",
  },
  "answers nothing but errors": {
    act: (conn) => answerAll(conn, "HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n"),
    errors: [],
    ends: "wrong",
  },
};
