import assert from "node:assert/strict";
import fc from "fast-check";
import { coresText, parseCores } from "../../base/system/affinity.ts";
import { coresProblem } from "../../scenarios/load/pin.ts";
import { testWith } from "../needs.ts";
import { RIGHT, wrongLines } from "./right_experiment.ts";
import { forAll } from "../for_all.ts";

const FOUR = { os: "linux", allowed: [0, 1, 2, 5] };

Deno.test("a list of cores is numbers and ranges", () => {
  const cases: [text: string, cores: number[] | null][] = [
    ["0", [0]],
    ["0-3,6", [0, 1, 2, 3, 6]],
    ["6, 2-3", [2, 3, 6]],
    ["1,1-2", [1, 2]],
    ["", null],
    ["a", null],
    ["3-1", null],
    ["1-", null],
    ["1,,2", null],
    ["-1", null],
    ["1.5", null],
    ["0-99999", null],
  ];
  for (const [text, cores] of cases) assert.deepEqual(parseCores(text), cores, text);
});

Deno.test("a list that is written reads as the same cores", () => {
  const cores = fc.uniqueArray(fc.nat(200), { minLength: 1 });
  forAll([cores], (cores) => {
    const sorted = cores.toSorted((a, b) => a - b);
    assert.deepEqual(parseCores(coresText(sorted)), sorted);
  }, { seed: 20_262 });
});

Deno.test("cores must be a list, on Linux, of cores that can be had", () => {
  assert.equal(coresProblem("0-2,5", FOUR), null);
  assert.match(coresProblem("0-x", FOUR) ?? "", /Cannot use "0-x" as cores.*"0-3,6"/);
  assert.match(coresProblem("1-4", FOUR) ?? "", /Cannot pin to cores 3-4: .* 0-2,5$/);
  assert.match(
    coresProblem("0", { os: "darwin", allowed: null }) ?? "",
    /darwin: only Linux.*leave pin out/,
  );
});

testWith(["linux"], "an experiment tells every wrong core with its line", () => {
  const [first, second, third, ...others] = wrongLines(
    `${RIGHT}pin:\n  targets: "9-8"\n  workers: 4095\n  worker: "0"\n`,
  );
  assert.match(first, /^x\.yaml:5:12: pin\.targets: Cannot use "9-8"/);
  assert.match(second, /^x\.yaml:6:12: pin\.workers: Cannot pin to core 4095/);
  assert.match(third, /^x\.yaml:7:3: pin\.worker: .*did you mean "workers"\?/);
  assert.deepEqual(others, []);
});
