/**
 * Ends this process with its parent, if Plateau started it, by the parent-death signal of prctl(2): the parent may be
 * killed with KILL, which leaves it no time to stop anything.
 */
import { dieWithParent, outliveParent } from "../../base/system/prctl.ts";

/** The variable that is 1 in the environment of a process that Plateau starts for itself. */
export const BOUND = "PLATEAU_BOUND";

/**
 * Ends this process when its parent dies; does nothing unless Plateau is the parent. Belongs in the
 * first lines of `serve`. By the kernel on Linux, by a worker where the kernel does not do it, and everywhere by the
 * end of standard input, which only the parent holds open: it has ended, too, for a parent that died before.
 * @param onText Takes what the parent writes there.
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
 * From now on the kernel does not kill this process with its parent: it ends by the end of standard
 * input alone, with the event `unload`. For what would leave something behind and is never busy for long.
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
