/**
 * A server that counts on its side what it is asked, to compare with what Plateau says it asked.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { pause, until } from "./patience.ts";

/** The end of its `await using` scope answers at once what still waits for its delay. */
export interface Witness extends AsyncDisposable {
  readonly origin: string;
  /** Requests so far, once no more have come for a moment: those on their way are in. */
  settledCount(): Promise<number>;
}

const MOMENT_MS = 100;
/** A moment that took longer says nothing: we were held up, and what had come may not have been seen. */
const MOST_MS = 150;

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
  const over = new AbortController();
  const { signal } = over;
  const listening = { port: 0, hostname, onListen: () => {} };
  const server = Deno.serve(listening, async (_, { remoteAddr }) => {
    count += 1;
    onRequest?.(remoteAddr.hostname);
    if (delayMs > 0) await sleep(delayMs, undefined, { signal }).catch(() => {});
    return new Response("witness", { status });
  });
  return {
    origin: `http://${hostname}:${server.addr.port}`,
    settledCount: () =>
      until("requests stop coming", async () => {
        const [before, beganMs] = [count, performance.now()];
        await pause(MOMENT_MS);
        return performance.now() - beganMs < MOST_MS && before === count && count;
      }),
    [Symbol.asyncDispose]: async (): Promise<void> => {
      over.abort();
      await server.shutdown();
    },
  };
}
