/** prctl(2) of Linux; each function returns false where it is unavailable. */
import { libcOr, processCalls } from "./libc.ts";

/** Options, from linux/prctl.h. */
const PR_SET_PDEATHSIG = 1;
const PR_SET_CHILD_SUBREAPER = 36;
const SIGKILL = 9;

/** Makes the kernel kill this process when its parent dies, even if this process's event loop is busy. */
export function dieWithParent(): boolean {
  return prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/** Undoes `dieWithParent`. */
export function outliveParent(): boolean {
  return prctl(PR_SET_PDEATHSIG, 0);
}

/** Makes this process the parent of orphans among its descendants, so that none escapes by forking twice. */
export function adoptOrphans(): boolean {
  return prctl(PR_SET_CHILD_SUBREAPER, 1);
}

function prctl(option: number, argument: number): boolean {
  const call = (): boolean => processCalls().prctl(option, BigInt(argument), 0n, 0n, 0n) === 0;
  return libcOr(call, () => false);
}
