/**
 * Starts worker isolates. The first may start before its job is known, so that it loads while the command line is
 * parsed. Every command loads this file, so it imports nothing.
 */

let begun: Worker | null = null;

export function beginWorker(): void {
  begun ??= newWorker();
}

export function takeWorker(): Worker {
  const worker = begun ?? newWorker();
  begun = null;
  return worker;
}

function newWorker(): Worker {
  return new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
}
