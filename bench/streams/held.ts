/** Reads the memory of this isolate, before and after everything that it no longer needs is released. */
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** The memory of an isolate in bytes. */
export interface Held {
  readonly heap: number;
  /** The memory of the heap, used or not. */
  readonly heapTotal: number;
  /** The part of `heapTotal` for the youngest objects. */
  readonly youngTotal: number;
  readonly buffers: number;
  /** The resident memory of the whole process. */
  readonly resident: number;
}

export interface HeldTwice {
  readonly before: Held;
  readonly after: Held;
}

interface Collection {
  readonly type: "major";
  readonly execution: "sync";
  /** "last-resort": V8 also returns its free pages to the operating system, including those of the young generation. */
  readonly flavor: "last-resort";
}

setFlagsFromString("--expose-gc");
const collect: (how: Collection) => void = runInNewContext("gc");

/** Collects all garbage, and looks at the memory before and after that. */
export function heldTwice(): HeldTwice {
  const before = held();
  for (let i = 0; i < 3; i++) collect({ type: "major", execution: "sync", flavor: "last-resort" });
  return { before, after: held() };
}

function held(): Held {
  const { rss, heapUsed, heapTotal, external } = Deno.memoryUsage();
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  return {
    ...{ heap: heapUsed, heapTotal, youngTotal: young?.space_size ?? 0 },
    ...{ buffers: external, resident: rss },
  };
}
