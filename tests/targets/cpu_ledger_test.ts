import assert from "node:assert/strict";
import { CpuLedger, type CpuSample } from "../../targets/observe/cpu_ledger.ts";

/** `pid` under `parent`, with its own CPU time and that of those it has waited for. */
function process(
  pid: number,
  parent: number | null,
  [ownMs, waitedMs]: readonly [number, number],
  start = pid * 10,
): CpuSample {
  return { pid, parent, start, ownMs, waitedMs };
}

/** What a ledger tells at each look. */
function looks(...samples: (readonly CpuSample[])[]): number[] {
  const ledger = new CpuLedger();
  return samples.map((sample) => ledger.take(sample));
}

const CASES: { what: string; samples: (readonly CpuSample[])[]; told: number[] }[] = [
  {
    what: "what is used from look to look",
    samples: [[process(1, null, [100, 0])], [process(1, null, [130, 0])], [
      process(1, null, [130, 0]),
    ]],
    told: [100, 30, 0],
  },
  {
    what: "all that a new process has used",
    samples: [[process(1, null, [0, 0])], [process(1, null, [0, 0]), process(2, 1, [40, 0])]],
    told: [0, 40],
  },
  {
    what: "what a child used between the last look and its end, from what its parent waited for",
    samples: [
      [process(1, null, [0, 0]), process(2, 1, [40, 0])],
      [process(1, null, [0, 65])],
      [process(1, null, [5, 65])],
    ],
    told: [40, 25, 5],
  },
  {
    what: "a child that was never seen",
    samples: [[process(1, null, [0, 0])], [process(1, null, [0, 80])]],
    told: [0, 80],
  },
  {
    what: "nothing twice when the parent waits only after the look",
    samples: [
      [process(1, null, [0, 0]), process(2, 1, [40, 0])],
      [process(1, null, [0, 0])],
      [process(1, null, [0, 65])],
    ],
    told: [40, 0, 25],
  },
  {
    what: "a whole branch that ends at once, to the one above it",
    samples: [
      [process(1, null, [0, 0]), process(2, 1, [10, 5]), process(3, 2, [40, 0])],
      [process(1, null, [0, 70])],
    ],
    told: [55, 15],
  },
  {
    what: "an orphan that somebody else adopts, once",
    samples: [
      [process(1, null, [0, 0]), process(2, 1, [10, 0]), process(3, 2, [40, 0])],
      [process(1, null, [0, 10]), process(3, 1, [45, 0])],
      [process(1, null, [0, 60])],
    ],
    told: [50, 5, 5],
  },
  {
    what: "a process that one look has missed, once",
    samples: [
      [process(1, null, [0, 0]), process(2, 1, [40, 0])],
      [process(1, null, [0, 0])],
      [process(1, null, [0, 0]), process(2, 1, [55, 0])],
      [process(1, null, [0, 60])],
    ],
    told: [40, 0, 15, 5],
  },
  {
    what: "a later process with the number of one that has ended",
    samples: [
      [process(1, null, [0, 0]), process(2, 1, [40, 0])],
      [process(1, null, [0, 45]), process(2, 1, [7, 0], 999)],
    ],
    told: [40, 12],
  },
  {
    what: "nothing below 0 for children that nobody waits for, and that are in no count",
    samples: [[process(1, null, [3, 0]), process(2, 1, [40, 0])], [process(1, null, [4, 0])], []],
    told: [43, 1, 0],
  },
];

for (const { what, samples, told } of CASES) {
  Deno.test(`CpuLedger counts ${what}`, () => assert.deepEqual(looks(...samples), told));
}
