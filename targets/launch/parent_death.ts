/**
 * Ends this process with its parent if Plateau started it. This uses the parent-death signal of prctl(2), because a
 * parent that is killed with SIGKILL has no time to stop anything.
 */
import { dieWithParent, outliveParent } from "../../base/system/prctl.ts";

/** Environment variable that is 1 in processes that Plateau starts for itself. */
export const BOUND = "PLATEAU_BOUND";

/**
 * Makes this process end when its parent dies, if its parent is Plateau. Must be called at the very start of `serve`.
 * On Linux the kernel ends the process; on other systems except Windows, a worker does. In addition, the process ends
 * when its standard input does, which only the parent holds open. So it ends even if the parent died before this call.
 *
 * @param onText Called with text that the parent writes to standard input.
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
 * After this call, only the end of standard input ends this process when its parent dies. So the `unload` event is
 * fired, which a kill by the kernel would prevent. Meant for processes that would leave something behind, and whose
 * event loop is never blocked for long.
 */
export function endInOrder(): void {
  if (Deno.env.get(BOUND) !== "1") return;
  outliveParent();
  watch?.terminate();
}

/** Resolves after the process at the other end of standard input has gone. */
export async function untilInputEnds(onText: (text: string) => void = () => {}): Promise<void> {
  const buffer = new Uint8Array(1_024);
  const decoder = new TextDecoder();
  while (true) {
    const length = await Deno.stdin.read(buffer).catch(() => null);
    if (length === null) return;
    onText(decoder.decode(buffer.subarray(0, length), { stream: true }));
  }
}
