/// <reference lib="deno.worker" />
/**
 * Runs as a worker in a process that Plateau started, on systems where the kernel does not end that process with its
 * parent. The worker ends the process even while the event loop of its main thread is blocked. It detects the parent's
 * death by the change of the parent process id.
 */
const LOOK_MS = 100;

const parent = Deno.ppid;
setInterval(() => {
  if (Deno.ppid !== parent) Deno.kill(Deno.pid, "SIGKILL");
}, LOOK_MS);
