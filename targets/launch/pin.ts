/**
 * Keeps an experiment to certain cores: some for this process with its load workers, others for the processes that it
 * starts. The setting is global, because it affects the threads of the whole process.
 */
import { messageOf, TargetError } from "../../base/errors.ts";
import { allowedCores, keepProcessTo, startOn } from "../../base/system/affinity.ts";

/** Core numbers; null lets the system choose. */
interface Pin {
  readonly targets: readonly number[] | null;
  readonly workers: readonly number[] | null;
}

/** Cores on which new processes start; null for the cores of this process. */
let startCores: readonly number[] | null = null;

/**
 * Applies the pin until it is disposed. A process that is started in the meantime runs on the targets' cores from its
 * first instruction, and so do its descendants. Throws a TargetError if the system refuses.
 */
export function applyPin({ targets, workers }: Pin): Disposable {
  if (targets === null && workers === null) return { [Symbol.dispose]: () => {} };
  try {
    const before = allowedCores();
    startCores = targets ?? before;
    if (workers !== null) keepProcessTo(workers);
    return {
      [Symbol.dispose](): void {
        startCores = null;
        if (workers !== null) keepProcessTo(before);
      },
    };
  } catch (error) {
    startCores = null;
    throw new TargetError(
      `Cannot keep targets and workers to their cores: ${messageOf(error)}`,
      ["leave pin out, or run the experiment on Linux with glibc"],
    );
  }
}

/** Starts a process on the cores that `applyPin` has set for targets; on this process's cores if none are set. */
export function startPinned<Started>(start: () => Started): Started {
  return startCores === null ? start() : startOn(startCores, start);
}
