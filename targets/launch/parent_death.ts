/**
 * Ends this process with its parent, if Plateau started it, by the parent-death signal of prctl(2): the parent may be
 * killed with KILL, which leaves it no time to stop anything.
 */
import { dieWithParent, outliveParent } from "../../base/system/prctl.ts";

/** The variable that is 1 in the environment of a process that Plateau starts for itself. */
export const BOUND = "PLATEAU_BOUND";

/**
 * Ends this process when its parent dies; does nothing unless Plateau is the parent. Must be called in the first lines
 * of `serve`. On Linux the kernel ends the process; where it does not, a worker does, except on Windows. The end of
 * standard input, which only the parent holds open, always ends the process, too, even if the parent died before this
 * call.
 * @param onText Called with what the parent writes to standard input.
 */
export function bindToParent(onText: (text: string) => void = () => {}): void {
  if (Deno.env.get(BOUND) !== "1") return;
  if (!dieWithParent() && Deno.build.os !== "windows") watchParent();
  void untilInputEnds(onText).then(() => Deno.exit(0));
}

let watch: Worker | null = null;

function watchParent(): void {
  watch = new Worker(new URL("./parent_watch.ts", import.meta.url), { type: "module" });
}

/**
 * From now on the kernel does not kill this process with its parent: only the end of standard input ends it, with the
 * event `unload`. For processes that would leave something behind and are never busy for long.
 */
export function endInOrder(): void {
  if (Deno.env.get(BOUND) !== "1") return;
  outliveParent();
  watch?.terminate();
}

/** Resolves when the holder of the other end of standard input is gone. */
export async function untilInputEnds(onText: (text: string) => void = () => {}): Promise<void> {
  const buffer = new Uint8Array(1_024);
  const decoder = new TextDecoder();
  while (true) {
    const length = await Deno.stdin.read(buffer).catch(() => null);
    if (length === null) return;
    onText(decoder.decode(buffer.subarray(0, length), { stream: true }));
  }
}
