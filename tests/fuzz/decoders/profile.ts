/** Profiles of a target: V8's, Go's, those that perf prints, and folded stacks. */
import type { CallTree } from "../../../base/profile/call_tree.ts";
import { foldedProfile } from "../../../runner/profile/sampled_part.ts";
import { treeOfFolded } from "../../../targets/profile/py_spy.ts";
import { treeOfPerfScript } from "../../../targets/profile/perf.ts";
import { treeOfPprof } from "../../../targets/profile/pprof.ts";
import { cpuProfile, treeOfCpuProfile } from "../../../targets/profile/v8.ts";
import { octetsOf } from "../../http/feed.ts";
import { type Decoder, Finding } from "../decoder.ts";
import { refusing } from "../refusing.ts";

const callFrame = (functionName: string): object => (
  { functionName, url: "file:///a/b.js", lineNumber: 1 }
);

const V8 = JSON.stringify({
  startTime: 0,
  endTime: 10_000,
  nodes: [
    { id: 1, callFrame: callFrame("(root)"), children: [2, 4] },
    { id: 2, callFrame: callFrame("serve"), children: [3] },
    { id: 3, callFrame: callFrame("") },
    { id: 4, callFrame: callFrame("(idle)") },
  ],
  samples: [2, 3, 4, 3],
  timeDeltas: [1_000, 2_000, 3_000, 500],
});

/** What a page draws must be numbers, and add up. */
function judge(tree: CallTree): void {
  const { tree: drawn, busyMs, pruned } = foldedProfile([tree]);
  const { frames, frame, parent, ownMs } = drawn;
  const isRight = [busyMs, pruned.ms, ...ownMs].every(Number.isFinite) &&
    frame.every((at) => at >= 0 && at < frames.length) &&
    parent.every((above, at) => above >= -1 && above < at);
  if (!isRight) throw new Finding(`its tree is ${JSON.stringify(drawn).slice(0, 500)}`);
}

export const v8: Decoder = {
  seeds: {
    samples: [V8],
    words: ['"nodes":', '"children":', "[", "]", "{", "1e308"],
    isJson: true,
  },
  decode: (input) => {
    const profile = refusing(() => cpuProfile.parse(JSON.parse(input)));
    if (profile !== null) judge(treeOfCpuProfile(profile).tree);
  },
};

const FOLDED = "main (srv/a.py:1);hot (srv/b.py:7) 3\nmain (srv/a.py:1) 1\nnot a stack\n";
const PERF = `server 12 1.5:
\t  4a1b2c main.hot+0x1b (/srv/server)
\t  4a1b00 main.main (inlined) (/srv/server)

server 12 1.6:
\tffffffff81 [unknown] ([kernel.kallsyms])

`;

export const stacks: Decoder = {
  seeds: { samples: [FOLDED, PERF], words: [";", " 1\n", "(", ")", ":", "\n\n", "\t 1 a (b)\n"] },
  decode: (input) => {
    for (const read of [treeOfFolded, treeOfPerfScript]) {
      const found = refusing(() => read(input, 10));
      if (found !== null) judge(found.tree);
    }
  },
};

function varint(value: number): number[] {
  return value < 128 ? [value] : [value % 128 + 128, ...varint(Math.floor(value / 128))];
}

/** A field of a protocol buffer: bytes, or a number. */
function field(number: number, value: number | readonly number[]): number[] {
  if (typeof value === "number") return [...varint(8 * number), ...varint(value)];
  return [...varint(8 * number + 2), ...varint(value.length), ...value];
}

const STRINGS = ["", "samples", "count", "cpu", "nanoseconds", "main.hot", "/srv/main.go", "main"];
const PPROF = [
  ...field(1, [...field(1, 1), ...field(2, 2)]),
  ...field(1, [...field(1, 3), ...field(2, 4)]),
  ...field(2, [...field(1, [1, 2]), ...field(2, [...varint(3), ...varint(30_000_000)])]),
  ...field(2, [...field(1, 2), ...field(2, 1), ...field(2, 10_000_000)]),
  ...field(4, [...field(1, 1), ...field(4, [...field(1, 1)])]),
  ...field(4, [...field(1, 2), ...field(4, [...field(1, 2)])]),
  ...field(5, [...field(1, 1), ...field(2, 5), ...field(4, 6), ...field(5, 9)]),
  ...field(5, [...field(1, 2), ...field(2, 7)]),
  ...STRINGS.flatMap((text) => field(6, [...new TextEncoder().encode(text)])),
];

export const pprof: Decoder = {
  seeds: {
    samples: [String.fromCharCode(...PPROF)],
    words: [field(2, [...field(1, [1, 2])]), field(6, [97]), field(1, 1), varint(2 ** 40)]
      .map((octets) => String.fromCharCode(...octets)),
  },
  decode: (input) => {
    const found = refusing(() => treeOfPprof(octetsOf(input.replaceAll(/[^\0-\xff]/g, "?"))));
    if (found !== null) judge(found.tree);
  },
};
