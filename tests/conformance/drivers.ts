/**
 * For each driver that works here: servers of the test's own, and what must hold after every load.
 */
import assert from "node:assert/strict";
import net from "node:net";
import type { DriverName } from "../../runner/load/driver.ts";
import { DRIVERS } from "../../runner/load/drivers.ts";
import { mergeHistograms } from "../../runner/stats/histogram.ts";
import type { Loaded } from "./loading.ts";

const names = (Object.keys(DRIVERS) as DriverName[]).filter((name) =>
  name !== "epoll" || Deno.build.os === "linux"
);

export function each(sentence: string, test: (driver: DriverName) => Promise<void>): void {
  for (const driver of names) Deno.test(`${driver}: ${sentence}`, () => test(driver));
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

/** A raw TCP server. */
export async function raw(
  onConnection: (socket: net.Socket) => void,
): Promise<{ port: number; stop: () => Promise<void> }> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    onConnection(socket);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const stop = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    server.close(); // without waiting for its event, which Deno 2.6 may not send
    await new Promise((done) => setTimeout(done, 5));
  };
  return { port: (server.address() as net.AddressInfo).port, stop };
}
