/** What a collector of OpenTelemetry responds, by a socket; pauses pass at once. */
import { TargetError } from "../../../base/errors.ts";
import { type SendingClock, sendMetrics } from "../../../cli/output/otlp.ts";
import { jsonText } from "../../../report/writing/json.ts";
import { octetsOf } from "../../http/feed.ts";
import type { Decoder } from "../decoder.ts";

const REQUEST = jsonText({ resourceMetrics: [] });

class FastClock implements SendingClock {
  #nowMs = 0;
  nowMs = (): number => this.#nowMs;
  dateMs = (): number => 1_800_000_000_000 + this.#nowMs;
  random = (): number => 1;
  late = (): AbortSignal => new AbortController().signal;
  pause = (ms: number): Promise<void> => {
    this.#nowMs += ms;
    return Promise.resolve();
  };
}

/** Says it to each request, and hangs up. */
async function listen(listener: Deno.Listener, said: Uint8Array): Promise<void> {
  const responses: Promise<void>[] = [];
  for await (const conn of listener) responses.push(respond(conn, said));
  await Promise.all(responses);
}

async function respond(conn: Deno.Conn, said: Uint8Array): Promise<void> {
  try {
    await conn.read(new Uint8Array(65_536));
    for (let at = 0; at < said.length;) at += await conn.write(said.subarray(at));
    await conn.closeWrite();
    while (await conn.read(new Uint8Array(65_536)) !== null);
  } catch {
    // The client has had enough.
  } finally {
    conn.close();
  }
}

const response = (status: string, fields: string, body: string): string =>
  `HTTP/1.1 ${status}\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`;

export const collector: Decoder = {
  seeds: {
    samples: [
      response("200 OK", "", '{"partialSuccess":{"rejectedDataPoints":"3","errorMessage":"no"}}'),
      response("429 Too Many Requests", "Retry-After: 7\r\n", '{"code":8,"message":"later"}'),
      response("503 x", "Retry-After: Thu, 01 Jan 2026 00:00:00 GMT\r\n", ""),
      response("307 x", "Location: http://127.0.0.1:1/\r\n", ""),
    ],
    words: [
      "Retry-After: -1\r\n",
      "Retry-After: 1e9\r\n",
      '"rejectedDataPoints":',
      "null",
      "{",
      "\r\n",
    ],
  },
  decode: async (input) => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const said = octetsOf(input.replaceAll(/[^\0-\xff]/g, "?").slice(0, 200_000));
    const listening = listen(listener, said);
    const url = new URL(`http://127.0.0.1:${listener.addr.port}/v1/metrics`);
    try {
      await sendMetrics({ url, headers: [] }, [REQUEST], undefined, new FastClock());
    } catch (error) {
      if (!(error instanceof TargetError)) throw error;
    } finally {
      listener.close();
      await listening;
    }
  },
};
