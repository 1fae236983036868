/** Waiting for programs, which have no event that a test could hear. */

const STEP_MS = 10;
const PATIENCE_MS = 60_000;

/** The first result of `look` that is neither null nor false; after a minute it fails with `what`. */
export async function until<T>(
  what: string | (() => string),
  look: () => T | null | false | Promise<T | null | false>,
): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    const seen = await look();
    if (seen !== null && seen !== false) return seen;
    await pause(STEP_MS);
  }
  const awaited = typeof what === "string" ? what : what();
  throw new Error(`Cannot wait longer than ${PATIENCE_MS} ms until ${awaited}`);
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
