/** An HTTP proxy of the test: tunnels by CONNECT, and whole URLs for plain HTTP. It notes what it is asked for. */
import { pause } from "./servers.ts";

export interface HttpProxy extends AsyncDisposable {
  /** `http://host:port`. */
  readonly url: string;
  /** Request lines, each with its Proxy-Authorization if there is one. */
  readonly asked: string[];
}

const HEAD_END = "\r\n\r\n";

/** @param answer What it says to CONNECT, in place of opening a tunnel; null opens it. */
export function startHttpProxy(answer: string | null = null): HttpProxy {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const asked: string[] = [];
  const open = new Set<Deno.Conn>();
  const served = (async () => {
    for await (const conn of listener) {
      open.add(conn);
      void serve(conn, { asked, open, answer }).catch(() => {}).finally(() => close(conn, open));
    }
  })();
  return {
    url: `http://127.0.0.1:${listener.addr.port}`,
    asked,
    async [Symbol.asyncDispose](): Promise<void> {
      listener.close();
      for (const conn of open) close(conn, open);
      await served;
      while (open.size > 0) await pause(1);
    },
  };
}

function close(conn: Deno.Conn, open: Set<Deno.Conn>): void {
  if (open.delete(conn)) conn.close();
}

interface Serving {
  readonly asked: string[];
  readonly open: Set<Deno.Conn>;
  readonly answer: string | null;
}

async function serve(conn: Deno.Conn, { asked, open, answer }: Serving): Promise<void> {
  let text = "";
  for (;;) {
    const buffer = new Uint8Array(4_096);
    const length = await conn.read(buffer);
    if (length === null) return;
    text += new TextDecoder("latin1").decode(buffer.subarray(0, length));
    for (let at; (at = text.indexOf(HEAD_END)) >= 0;) {
      const head = text.slice(0, at);
      text = text.slice(at + HEAD_END.length);
      const [line] = head.split("\r\n", 1);
      const [, credentials] = /^proxy-authorization: (.*)$/im.exec(head) ?? [];
      asked.push([line, credentials].filter((part) => part !== undefined).join(" · "));
      if (!line.startsWith("CONNECT ")) {
        await say(conn, "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nby");
      } else if (answer !== null) return await say(conn, answer);
      else return await tunnel(conn, line.split(" ")[1], open);
    }
  }
}

async function tunnel(conn: Deno.Conn, target: string, open: Set<Deno.Conn>): Promise<void> {
  const [, host, port] = /^\[?([^\]]*)\]?:(\d+)$/.exec(target) ?? [];
  const there = await Deno.connect({ hostname: host, port: Number(port) });
  open.add(there);
  await say(conn, "HTTP/1.1 200 Connection established\r\nvia: test\r\n\r\n");
  await Promise.race([pipe(conn, there), pipe(there, conn)]);
  close(there, open);
}

async function pipe(from: Deno.Conn, to: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(64 * 1024);
  for (let length; (length = await from.read(buffer).catch(() => null)) !== null;) {
    for (let at = 0; at < length;) at += await to.write(buffer.subarray(at, length));
  }
}

async function say(conn: Deno.Conn, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += await conn.write(bytes.subarray(at));
}
