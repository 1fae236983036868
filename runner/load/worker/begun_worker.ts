/**
 * Worker isolates, of which the first may be begun before its job is known: it loads while the command line
 * is read. That is why this file imports nothing: it is read by every command.
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
