import assert from "node:assert/strict";
import { formatRatio, type RatioBound, ratioText } from "../../report/writing/ratios.ts";

const written: [ratio: number, ends: [number, number] | null, text: string][] = [
  [4.312, [4.203, 4.427], "4.31× [4.20, 4.43]"],
  [0.2412, [0.2204, 0.2598], "0.24× [0.22, 0.26]"],
  [1.0021, [0.9981, 1.0062], "1.002× [0.998, 1.006]"],
  [1.00003, [0.9998, 1.0003], "1.000× [1.000, 1.000]"],
  [0.0241, [0.0221, 0.026], "0.024× [0.022, 0.026]"],
  [0.0024, null, "1/417×"],
  [0.00033, [0.00031, 0.00035], "1/3,030× [1/3,230, 1/2,860]"],
  [3e-12, null, "1/333,000,000,000×"],
  [12_048, [10_020, 14_480], "12,000× [10,000, 14,500]"],
  [0.5, [0.0042, 60], "0.50× [too wide]"],
  [0.05, [0.0004, 0.1], "0.050× [0.000400, 0.100]"],
  [1, [1, 1], "1.00× [1.00, 1.00]"],
  [143.2, [120.1, 171.8], "143× [120, 172]"],
  [2.5, null, "2.50×"],
  [2.224, [1.204, Infinity], "2.22× [1.20, ∞)"],
  [0.5, [0, Infinity], "0.50× [0, ∞)"],
  [Infinity, [1.5, Infinity], "∞× [1.50, ∞)"],
  [Infinity, [Infinity, Infinity], "∞×"],
  [0, [0, 0.5], "0× [0, 0.500]"],
  [0, [0, 0], "0×"],
];

for (const [ratio, ends, text] of written) {
  Deno.test(`a ratio is written ${text}`, () => {
    const interval = ends && { low: ends[0], high: ends[1] };
    assert.equal(formatRatio(ratio, interval).replaceAll("\u00a0", " "), text);
  });
}

const bounds: [ratio: number, ends: [number, number] | null, bound: RatioBound, text: string][] = [
  [1.81, [1.702, 1.93], "least", "≥ 1.70×"],
  [1.81, [1.702, 1.93], "most", "≤ 1.93×"],
  [0.55, [0.52, 0.588], "most", "≤ 0.59×"],
  [2, null, "least", "≥ 2.00×"],
  [0.002, [0.0016, 0.0025], "most", "≥ 400× fewer"],
  [1.81, [1.702, 1.93], null, "1.81× [1.70, 1.93]"],
];

for (const [ratio, ends, bound, text] of bounds) {
  Deno.test(`a ratio that is ${bound === null ? "no bound" : `at ${bound}`} is written ${text}`, () => {
    const interval = ends && { low: ends[0], high: ends[1] };
    const written = ratioText({ figure: "rate", ratio, interval, bound });
    assert.equal(written.replaceAll("\u00a0", " "), text);
  });
}
