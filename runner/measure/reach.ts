/**
 * Checks whether a server can be reached at all: before a load that waits for it, and when the first dial or the first
 * requests of a load fail.
 */
import { setTimeout as wait } from "node:timers/promises";
import { TargetError } from "../../base/errors.ts";
import type { DialError } from "../../base/net/dial_error.ts";
import { durationText } from "../../base/quantity.ts";
import type { Endpoint } from "../../base/net/endpoint.ts";
import type { Progress } from "../result/progress.ts";

/** An attempt that takes longer is inconclusive. */
const PATIENCE_MS = 2_000;
/** Pause between two attempts to reach a server. */
const PAUSE_MS = 50;

/** Why the server cannot be reached; null if it can, or if that is unknown. */
async function dialError(endpoint: Endpoint, signal: AbortSignal): Promise<DialError | null> {
  // Imported here, because most loads never need these modules.
  const { dial } = await import("../../base/net/dial.ts");
  const { DialError } = await import("../../base/net/dial_error.ts");
  try {
    (await dial(endpoint, AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]))).close();
    return null;
  } catch (error) {
    return error instanceof DialError ? error : null;
  }
}

/**
 * Resolves as soon as the server accepts a connection or an attempt is inconclusive, on abort, or at once if `waitMs`
 * is undefined. Throws a TargetError after `waitMs`, or at once if the TLS handshake fails, because waiting would not
 * help.
 */
export async function waitForServer(
  endpoint: Endpoint,
  { waitMs, signal }: { readonly waitMs: number | undefined; readonly signal: AbortSignal },
): Promise<void> {
  if (waitMs === undefined) return;
  const endMs = performance.now() + waitMs;
  while (!signal.aborted) {
    const error = await dialError(endpoint, signal);
    if (error === null) return;
    if (error.kind === "tls" || performance.now() >= endMs) {
      const { remedyFor } = await import("../../base/net/dial_error.ts");
      const remedy = remedyFor(error.message, "flags");
      const message = error.kind === "tls"
        ? "Cannot connect"
        : `Cannot connect within ${durationText(waitMs)}`;
      throw new TargetError(message, [
        remedy === null ? error.message : `${error.message}: ${remedy}`,
      ]);
    }
    await wait(PAUSE_MS, undefined, { signal }).catch(() => {});
  }
}

/**
 * Follows a load whose server may not exist. If its first dial or its first requests fail, and so does a connection
 * that is then tried beside the load, `signal` aborts, because the rest of the load would fail likewise.
 */
export class ReachWatch {
  readonly #unreachable = new AbortController();
  #isChecked = false;
  #reason: string | null = null;

  constructor(readonly endpoint: Endpoint) {}

  get signal(): AbortSignal {
    return this.#unreachable.signal;
  }

  /** Why the server cannot be reached; null if it can, or if that is unknown. */
  get reason(): string | null {
    return this.#reason;
  }

  observe(progress: Progress): void {
    if (progress.kind !== "live" || progress.completed + progress.failed === 0) return;
    if (progress.completed === 0) void this.check();
    this.#isChecked = true;
  }

  /** Checks once, however often it is called. */
  async check(): Promise<void> {
    if (this.#isChecked) return;
    this.#isChecked = true;
    const error = await dialError(this.endpoint, this.signal);
    if (error === null) return;
    this.#reason = error.message;
    this.#unreachable.abort();
  }
}
