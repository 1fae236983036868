/**
 * What all tests of a file use, as it is dear to start: started before the first, ended after the last. A
 * test leaves it as it found it.
 */
import { isThere, type Need } from "./needs.ts";

/** Gives it to a test. Without the needs nothing is started, as the tests that use it are skipped, too. */
export function keep<Started extends AsyncDisposable>(
  needs: readonly Need[],
  start: () => Promise<Started>,
): () => Started {
  let started: Started | null = null;
  Deno.test.beforeAll(async () => {
    if (needs.every(isThere)) started = await start();
  });
  Deno.test.afterAll(async () => await started?.[Symbol.asyncDispose]());
  return () => {
    if (started === null) throw new Error("Cannot use what was not started");
    return started;
  };
}
