/**
 * Servers of the tests' own, on every way.
 */
import { dirname } from "node:path";
import type { Endpoint } from "../../base/net/endpoint.ts";
import type { Place, Way } from "./ways.ts";

export interface Server {
  readonly endpoint: Endpoint;
  /** Resolves when it is gone. */
  readonly stop: () => Promise<void>;
}

/** A Deno server that counts what it is asked. */
export function counting(
  way: Way,
  answer: (
    request: Request,
    info: Deno.ServeHandlerInfo<Deno.Addr>,
  ) => Response | Promise<Response>,
  hostname?: string,
): Server & { readonly seen: () => number } {
  let seen = 0;
  const place = way.place(hostname);
  const server = Deno.serve({ ...place, onListen: () => {} }, (request, info) => {
    seen++;
    return answer(request, info);
  });
  const stop = async (): Promise<void> => {
    await server.shutdown();
    leave(place);
  };
  return { endpoint: way.endpoint(server.addr), seen: () => seen, stop };
}

/** What a server does with a connection, which is closed when it is done or breaks. */
export type Act = (conn: Deno.Conn) => Promise<void>;

/** A server that does with each connection what the test says, after the handshake if there is one. */
export function raw(way: Way, act: Act): Server {
  const place = way.place();
  const listener = listen(place);
  const conns: Deno.Conn[] = [];
  const serveOne = async (conn: Deno.Conn): Promise<void> => {
    conns.push(conn);
    await serve(conn, act).catch(() => {}); // the peer may hang up at any time
    conn[Symbol.dispose](); // closes what is still open
  };
  const ended = (async () => {
    const served: Promise<void>[] = [];
    for await (const conn of listener) served.push(serveOne(conn));
    await Promise.all(served);
  })();
  const stop = async (): Promise<void> => {
    listener.close();
    for (const conn of conns) conn[Symbol.dispose]();
    await ended;
    leave(place);
  };
  return { endpoint: way.endpoint(listener.addr), stop };
}

function listen(place: Place): Deno.Listener<Deno.Conn> {
  if ("path" in place) return Deno.listen({ ...place, transport: "unix" });
  return "cert" in place ? Deno.listenTls(place) : Deno.listen(place);
}

function leave(place: Place): void {
  if ("path" in place) Deno.removeSync(dirname(place.path), { recursive: true });
}

async function serve(conn: Deno.Conn, act: Act): Promise<void> {
  if ("handshake" in conn) await (conn as Deno.TlsConn).handshake();
  await act(conn);
}

/** Reads what has been asked; false when the peer has gone. */
export async function isAsked(conn: Deno.Conn): Promise<boolean> {
  return await conn.read(new Uint8Array(4_096)) !== null;
}

export async function say(conn: Deno.Conn, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += await conn.write(bytes.subarray(at));
}

export function pause(ms: number): Promise<void> {
  return new Promise((wake) => setTimeout(wake, ms));
}
