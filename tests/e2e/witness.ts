/**
 * A server that counts on its side what it is asked, to compare with what Plateau says it asked.
 */
import { pause, until } from "./patience.ts";

export interface Witness extends AsyncDisposable {
  readonly origin: string;
  /** Requests so far, once no more have come for a moment: those on their way are in. */
  settledCount(): Promise<number>;
}

/** @param delayMs How long each answer takes. */
export function startWitness({ delayMs = 0, status = 200 } = {}): Witness {
  let count = 0;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async () => {
    count += 1;
    if (delayMs > 0) await pause(delayMs);
    return new Response("witness", { status });
  });
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    settledCount: () =>
      until("requests stop coming", async () => {
        const before = count;
        await pause(100);
        return before === count && count;
      }),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
