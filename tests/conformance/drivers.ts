/**
 * For each driver that works here: servers of the test's own, and what must hold after every load.
 */
import assert from "node:assert/strict";
import type { DriverName } from "../../runner/load/driver.ts";
import { DRIVERS } from "../../runner/load/drivers.ts";
import { mergeHistograms } from "../../runner/stats/histogram.ts";
import type { Loaded } from "./loading.ts";

/** Those that work here. */
export const drivers = (Object.keys(DRIVERS) as DriverName[]).filter((name) =>
  name !== "epoll" || Deno.build.os === "linux"
);

export function each(sentence: string, test: (driver: DriverName) => Promise<void>): void {
  for (const driver of drivers) Deno.test(`${driver}: ${sentence}`, () => test(driver));
}

export function assertNothingLost({ totals, parts }: Loaded): void {
  const { due, completed, failed, unfinished, dropped, censored } = totals;
  assert.equal(due, completed + failed + unfinished + dropped);
  assert.equal(mergeHistograms(parts.map((part) => part.latency)).count, completed + censored);
}

/** A Deno server that counts; `stop` waits until it is gone. */
export function counting(
  answer: (request: Request) => Response | Promise<Response>,
  hostname = "127.0.0.1",
): {
  port: number;
  seen: () => number;
  stop: () => Promise<void>;
} {
  let seen = 0;
  const abort = new AbortController();
  const server = Deno.serve(
    { hostname, port: 0, signal: abort.signal, onListen: () => {} },
    (request) => {
      seen++;
      return answer(request);
    },
  );
  const stop = async (): Promise<void> => {
    abort.abort();
    await server.finished;
  };
  return { port: server.addr.port, seen: () => seen, stop };
}

/** A raw TCP server: it closes a connection when `serve` is done with it or breaks. */
export function raw(serve: (conn: Deno.TcpConn) => Promise<void>): {
  port: number;
  stop: () => Promise<void>;
} {
  const conns = new Set<Deno.TcpConn>();
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serveOne = async (conn: Deno.TcpConn): Promise<void> => {
    conns.add(conn);
    await serve(conn).catch(() => {});
    if (conns.delete(conn)) conn.close();
  };
  const ended = (async () => {
    const served: Promise<void>[] = [];
    for await (const conn of listener) served.push(serveOne(conn));
    await Promise.all(served);
  })();
  const stop = async (): Promise<void> => {
    listener.close();
    for (const conn of conns) if (conns.delete(conn)) conn.close();
    await ended;
  };
  return { port: listener.addr.port, stop };
}

/** Reads what has been asked; false when the peer has gone. */
export async function isAsked(conn: Deno.TcpConn): Promise<boolean> {
  return await conn.read(new Uint8Array(4_096)) !== null;
}

export async function say(conn: Deno.TcpConn, text: string): Promise<void> {
  await conn.write(new TextEncoder().encode(text));
}
