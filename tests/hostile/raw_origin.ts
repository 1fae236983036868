/** An origin on a raw socket that records byte for byte what it is asked, and answers what it is told to. */

export interface Recorded {
  /** Request line, such as `GET /a HTTP/1.1`. */
  readonly line: string;
  /** Line and fields as they came. */
  readonly head: string;
  readonly body: string;
}

export interface RawOrigin extends AsyncDisposable {
  readonly url: string;
  readonly recorded: Recorded[];
  /** What it answers whoever asks for a path, in place of the echo. */
  readonly answers: Map<string, string>;
}

const END = "\r\n\r\n";

export function startRawOrigin(): RawOrigin {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const recorded: Recorded[] = [];
  const answers = new Map<string, string>();
  const connections = new Set<Deno.Conn>();
  const serve = async (conn: Deno.Conn): Promise<void> => {
    const buffer = new Uint8Array(65_536);
    let text = "";
    for (let length; (length = await conn.read(buffer)) !== null;) {
      text += new TextDecoder("latin1").decode(buffer.subarray(0, length));
      for (let taken = takeRequest(text); taken !== null; taken = takeRequest(text)) {
        recorded.push(taken.request);
        text = taken.rest;
        const path = taken.request.line.split(" ")[1];
        const answer = answers.get(path) ?? echo(taken.request);
        await conn.write(Uint8Array.from(answer, (char) => char.charCodeAt(0)));
      }
    }
  };
  const serving = (async () => {
    for await (const conn of listener) {
      connections.add(conn);
      void serve(conn).catch(() => {}).finally(() => {
        if (connections.delete(conn)) conn.close();
      });
    }
  })();
  return {
    ...{ url: `http://127.0.0.1:${port}`, recorded, answers },
    [Symbol.asyncDispose]: async () => {
      listener.close();
      await serving;
      for (const conn of connections) conn.close();
      connections.clear();
    },
  };
}

/** What follows a request's length or last chunk is the next request: so one that is smuggled is seen. */
function takeRequest(text: string): { request: Recorded; rest: string } | null {
  const at = text.indexOf(END);
  if (at < 0) return null;
  const head = text.slice(0, at);
  const bodyAt = at + END.length;
  const length = bodyLength(head, text.slice(bodyAt));
  if (length === null || text.length < bodyAt + length) return null;
  const body = text.slice(bodyAt, bodyAt + length);
  return {
    request: { line: head.split("\r\n")[0], head, body },
    rest: text.slice(bodyAt + length),
  };
}

function bodyLength(head: string, rest: string): number | null {
  if (!/^transfer-encoding:/im.test(head)) {
    return Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
  }
  const end = /(?:^|\r\n)0\r\n\r\n/.exec(rest);
  return end === null ? null : end.index + end[0].length;
}

/** A page that shows what it was asked, as an application does that makes links of its headers. */
function echo({ head }: Recorded): string {
  return answerOf("200 OK", "", head);
}

export function answerOf(status: string, fields: string, body: string): string {
  return `HTTP/1.1 ${status}\r\n${fields}content-length: ${body.length}\r\n\r\n${body}`;
}
