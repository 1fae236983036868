/** Ways to spoil what this program has written, each as somebody would do it who means harm. */
import { Buffer } from "node:buffer";
import { deflateSync } from "node:zlib";
import { LIMITS } from "../../base/limits.ts";

export type Tree = { [key: string]: unknown };

/** One measurement of a file: a run of results, or all that `bench --json` writes. */
export type Spoil = (measurement: Tree, file: Tree) => void;

interface Mutation {
  readonly name: string;
  readonly spoil: Spoil;
  /** The line that says so; null where the file still is one, and its page shows it harmlessly. */
  readonly refused: RegExp | null;
}

/** Text that tries to be something else, in a page, a terminal or a spreadsheet. */
export const MARKUP =
  `<img src=x onerror="globalThis.injected=1"></script><script>injected</script>`;
export const STEERING = "\x1b[2J\x1b]0;title\x07\u009b31m\x00";

function at(tree: unknown, ...path: (string | number)[]): Tree {
  return path.reduce<Tree>((inner, step) => Object(inner)[step], Object(tree));
}

/** What `histogram` is after deflating zeros: 1.5 MB for 1.5 GB; its text is within the limit here. */
export function bomb(inflatedBytes: number): string {
  const compressed = deflateSync(Buffer.alloc(inflatedBytes));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(0x1c849314, 0);
  head.writeUInt32BE(compressed.length, 4);
  return Buffer.concat([head, compressed]).toString("base64");
}

function rename(text: string): Spoil {
  return (measurement, file) => {
    for (const key of ["target", "scenario"]) if (key in measurement) measurement[key] += text;
    if ("experiment" in file) Object.assign(at(file, "experiment"), { title: text });
    measurement.reasons = { [text]: 0 };
  };
}

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "a histogram that inflates to 200 MB",
    spoil: (measurement) => measurement.histogram = bomb(200_000_000),
    refused:
      /histogram: Cannot decode the histogram: an inflated histogram is larger than 250 kB, the limit/,
  },
  {
    name: "a histogram in corrupt base64",
    spoil: (measurement) => measurement.histogram = `${measurement.histogram}`.slice(0, 60),
    refused: /histogram: Cannot decode the histogram: it is not a zlib stream/,
  },
  {
    name: "negative counts",
    spoil: (measurement) => at(measurement, "requests").failed = -3,
    refused: /requests\.failed: Cannot use -3: the minimum is 0$/m,
  },
  {
    name: "counts that do not add up",
    spoil: (measurement) => {
      at(measurement, "requests").due = 1 + Number(at(measurement, "requests").due);
    },
    refused: /requests\.due: Cannot use counts that do not add up: due is \d+, but .* is \d+/,
  },
  {
    name: "numbers that are texts",
    spoil: (measurement) => measurement.rate = "NaN",
    refused: /rate: Cannot use "NaN": it must be a number$/m,
  },
  {
    name: "a timeline without end",
    spoil: (measurement) => {
      at(measurement, "timeline").points = Array(LIMITS.jsonValues.most).fill(0);
    },
    refused: /a JSON text has more than 5,000,000 values, the limit$/m,
  },
  {
    name: "another schema",
    spoil: (_, file) => file.schema = "plateau.results/99",
    refused: /schema: Cannot use "plateau.results\/99"/,
  },
  {
    name: "keys that are missing",
    spoil: (measurement) => delete measurement.latency,
    refused: /latency: Cannot leave it out$/m,
  },
  {
    name: "keys of every object's prototype",
    spoil: (measurement) => {
      measurement.reasons = JSON.parse('{"__proto__":{"injected":1},"constructor":1}');
    },
    refused: null,
  },
  {
    name: "a run that stands twice",
    spoil: (_, file) => {
      const runs = Array.isArray(file.runs) ? file.runs : [];
      file.runs = [...runs, ...runs.slice(0, 1)];
    },
    refused: /runs: Cannot|Cannot understand "runs"|Cannot use results that hold one run twice/,
  },
  {
    name: "absurd times",
    spoil: (measurement) => Object.assign(measurement, { elapsedS: 1e300, rate: 1e308 }),
    refused: null,
  },
  {
    name: "a text of ten million characters",
    spoil: (measurement) => measurement.version = "v".repeat(1e7),
    refused: null,
  },
  { name: "control characters in names", spoil: rename(STEERING), refused: null },
  { name: "markup in names", spoil: rename(MARKUP), refused: null },
  { name: "ways out of the folder in names", spoil: rename("/../../../etc/x"), refused: null },
  {
    name: "a timeline out of order",
    spoil: (measurement) => {
      const { points } = at(measurement, "timeline");
      if (Array.isArray(points)) points.reverse();
    },
    refused:
      /timeline\.points\.1\.endS: Cannot use [\d.]+ s: it is not after the end of the previous/,
  },
  {
    name: "dates that are none",
    spoil: (_, file) => file.startedAt = "2026-13-45T99:00:00Z",
    refused: /startedAt: Cannot use "2026-13-45T99:00:00Z"|Cannot understand "startedAt"/,
  },
  {
    name: "percentiles beyond the maximum",
    spoil: (measurement) => at(measurement, "latency", "percentiles")["99"] = 1e9,
    refused: /latency\.percentiles\.99: Cannot use a percentile of 1000000000 ms: the highest/,
  },
];
