/** A server that keeps what clients send it, octet by octet, and counts their connections. */

/** One request, with its User-Agent left out. */
export interface Recorded {
  /** Method, path and version. */
  readonly line: string;
  /** `name: value`, the name in lower case, sorted. */
  readonly fields: readonly string[];
  readonly body: string;
}

export interface Recorder extends AsyncDisposable {
  readonly origin: string;
  readonly requests: readonly Recorded[];
  connections(): number;
}

export function startRecorder(): Recorder {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const open = new Set<Deno.Conn>();
  const requests: Recorded[] = [];
  let connections = 0;
  const accepting = (async () => {
    for await (const connection of listener) {
      connections++;
      open.add(connection);
      answer(connection, requests).catch(() => {}).finally(() => open.delete(connection));
    }
  })();
  return {
    origin: `http://127.0.0.1:${listener.addr.port}`,
    requests,
    connections: () => connections,
    async [Symbol.asyncDispose](): Promise<void> {
      listener.close();
      for (const connection of open) connection.close();
      await accepting;
    },
  };
}

const END = "\r\n\r\n";

async function answer(connection: Deno.Conn, requests: Recorded[]): Promise<void> {
  const decoder = new TextDecoder("latin1");
  const chunk = new Uint8Array(65_536);
  let text = "";
  for (
    let read = await connection.read(chunk);
    read !== null;
    read = await connection.read(chunk)
  ) {
    text += decoder.decode(chunk.subarray(0, read));
    for (let end = text.indexOf(END); end >= 0; end = text.indexOf(END)) {
      const head = text.slice(0, end);
      const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
      const bodyStart = end + END.length;
      if (text.length < bodyStart + length) break;
      requests.push(recorded(head, text.slice(bodyStart, bodyStart + length)));
      text = text.slice(bodyStart + length);
      const isLast = /^connection: *close/im.test(head) || isOld(head);
      await write(connection, head, isLast);
      if (isLast) return connection.close();
    }
  }
}

/** HTTP/1.0 closes unless it is asked not to. */
function isOld(head: string): boolean {
  return / HTTP\/1\.0/.test(head) && !/^connection: *keep-alive/im.test(head);
}

async function write(connection: Deno.Conn, head: string, isLast: boolean): Promise<void> {
  const field = `connection: ${isLast ? "close" : "keep-alive"}`;
  const body = head.startsWith("HEAD ") ? "" : "ok";
  const answer = `HTTP/1.1 200 OK\r\ncontent-length: 2\r\n${field}${END}${body}`;
  await connection.write(new TextEncoder().encode(answer));
}

function recorded(head: string, body: string): Recorded {
  const [line, ...lines] = head.split("\r\n");
  const fields = lines.map((field) => {
    const at = field.indexOf(":");
    return `${field.slice(0, at).toLowerCase()}: ${field.slice(at + 1).trim()}`;
  });
  return { line, fields: fields.filter((field) => !/^user-agent:/.test(field)).sort(), body };
}
