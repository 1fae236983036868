/// <reference lib="deno.worker" />
/**
 * A server in an isolate of its own, so that it goes on while the test's is held. It counts the requests with the
 * path /0, /1, … where everybody sees them, and posts its port.
 */
export interface Counted {
  /** Requests by the number of their path. */
  readonly counts: Int32Array<SharedArrayBuffer>;
}

const RESPONSE = new TextEncoder().encode("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
const DIGIT = "GET /".length;
const ZERO = 48;

self.onmessage = async ({ data: { counts } }: MessageEvent<Counted>) => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  self.postMessage(listener.addr.port);
  for await (const connection of listener) void serve(connection, counts);
};

/** A client that waits for each response sends its next request whole, in a segment of its own. */
async function serve(connection: Deno.Conn, counts: Counted["counts"]): Promise<void> {
  const buffer = new Uint8Array(1_024);
  try {
    while (await connection.read(buffer) !== null) {
      Atomics.add(counts, buffer[DIGIT] - ZERO, 1);
      Atomics.notify(counts, buffer[DIGIT] - ZERO);
      await connection.write(RESPONSE);
    }
    connection.close();
  } catch {
    // The client has gone.
  }
}
