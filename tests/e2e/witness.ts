/**
 * A server that counts on its side what it is asked, to compare with what Plateau says it asked.
 */
import { pause, until } from "./patience.ts";

export interface Witness extends AsyncDisposable {
  readonly origin: string;
  /** Requests so far, once no more have come for a moment: those on their way are in. */
  settledCount(): Promise<number>;
}

export interface WitnessSettings {
  /** How long each answer takes. */
  readonly delayMs?: number;
  readonly status?: number;
  /** Where it listens. */
  readonly hostname?: string;
  /** Called for every request with the address that it came from. */
  readonly onRequest?: (from: string) => void;
}

export function startWitness(
  { delayMs = 0, status = 200, hostname = "127.0.0.1", onRequest }: WitnessSettings = {},
): Witness {
  let count = 0;
  const listening = { port: 0, hostname, onListen: () => {} };
  const server = Deno.serve(listening, async (_, { remoteAddr }) => {
    count += 1;
    onRequest?.(remoteAddr.hostname);
    if (delayMs > 0) await pause(delayMs);
    return new Response("witness", { status });
  });
  return {
    origin: `http://${hostname}:${server.addr.port}`,
    settledCount: () =>
      until("requests stop coming", async () => {
        const before = count;
        await pause(100);
        return before === count && count;
      }),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
