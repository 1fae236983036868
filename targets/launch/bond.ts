/**
 * Ties this process's life to that of its parent, when Plateau started it: the parent may be killed
 * with KILL, which leaves it no time to stop anything.
 */
import { dieWithParent } from "./prctl.ts";

/** Set to 1 in the environment of a process that Plateau starts for itself. */
export const BOUND = "PLATEAU_BOUND";

/**
 * Ends this process when its parent dies; does nothing unless Plateau is the parent. Belongs in the
 * first lines of `serve`. By the kernel on Linux, and everywhere by the end of standard input, which
 * only the parent holds open: that also tells of a parent that died before the kernel was asked.
 */
export function bindToParent(): void {
  if (Deno.env.get(BOUND) !== "1") return;
  dieWithParent();
  void untilInputEnds().then(() => Deno.exit(0));
}

/** Resolves when whoever holds the other end of standard input is gone. */
export async function untilInputEnds(): Promise<void> {
  const ignored = new Uint8Array(64);
  while (await Deno.stdin.read(ignored).catch(() => null) !== null);
}
