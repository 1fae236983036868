/// <reference lib="deno.worker" />
/**
 * A worker of a process that Plateau started, where the kernel does not end that process with its parent: it
 * does, also while the process computes and its event loop stands. An orphan gets another parent.
 */
const LOOK_MS = 100;

const parent = Deno.ppid;
setInterval(() => {
  if (Deno.ppid !== parent) Deno.kill(Deno.pid, "SIGKILL");
}, LOOK_MS);
