/**
 * The cores for an experiment: those of this process, with its load workers, and those of the processes that it starts.
 * Like the threads that it affects, the pin is global to the process.
 */
import { messageOf, TargetError } from "../../base/errors.ts";
import { allowedCores, keepProcessTo, startOn } from "../../base/system/affinity.ts";

/** Cores by number; null: the system chooses. */
interface Pin {
  readonly targets: readonly number[] | null;
  readonly workers: readonly number[] | null;
}

/** The cores for processes that are started; null: the cores of this process. */
let startCores: readonly number[] | null = null;

/**
 * Applies the pin until it is disposed. A process that is started meanwhile has its cores from birth, and so has
 * everything that it starts. Throws a TargetError if the system refuses.
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

/** Starts a process on the cores that are meant for such processes. */
export function startPinned<Started>(start: () => Started): Started {
  return startCores === null ? start() : startOn(startCores, start);
}
