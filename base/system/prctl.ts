/** prctl(2) of Linux, through libc. */
import { openLibc } from "./libc.ts";

/** Options, from linux/prctl.h. */
const PR_SET_PDEATHSIG = 1;
const PR_SET_CHILD_SUBREAPER = 36;
const SIGKILL = 9;

/** The kernel kills this process when its parent dies, even if its event loop is busy. False where it can't be had. */
export function dieWithParent(): boolean {
  return prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/** Takes back what `dieWithParent` asked for. False where it can't be had. */
export function outliveParent(): boolean {
  return prctl(PR_SET_PDEATHSIG, 0);
}

/** Orphans among this process's descendants become its children, so none escapes by forking twice. False where it can't be had. */
export function adoptOrphans(): boolean {
  return prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/** False off Linux, with another libc than glibc, and without the permission for FFI. */
function prctl(option: number, argument: number): boolean {
  if (Deno.build.os !== "linux") return false;
  try {
    const libc = openLibc({
      prctl: { parameters: ["i32", "usize", "usize", "usize", "usize"], result: "i32" },
    });
    return libc.prctl(option, BigInt(argument), 0n, 0n, 0n) === 0;
  } catch {
    return false;
  }
}
