/**
 * CPU time of the calling thread, microseconds. Linux counts it in nanoseconds (schedstat); elsewhere
 * the time of the whole process stands in, which is more, never less.
 */
import process from "node:process";

export function threadCpuUs(): number {
  if (Deno.build.os === "linux") {
    return Number(Deno.readTextFileSync("/proc/thread-self/schedstat").split(" ", 1)[0]) / 1_000;
  }
  const { user, system } = process.cpuUsage();
  return user + system;
}
