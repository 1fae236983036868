/// <reference lib="deno.worker" />
/**
 * A worker in a process that Plateau started, where the kernel does not end that process with its parent: the worker
 * does, even while the process computes and its event loop is blocked. It notices that an orphan gets another parent.
 */
const LOOK_MS = 100;

const parent = Deno.ppid;
setInterval(() => {
  if (Deno.ppid !== parent) Deno.kill(Deno.pid, "SIGKILL");
}, LOOK_MS);
