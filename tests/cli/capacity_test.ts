import assert from "node:assert/strict";
import { InconclusiveError } from "../../base/errors.ts";
import { capacityConflicts, capacityParts } from "../../cli/capacity/command.ts";
import { verifyCapacities } from "../../cli/output/verify_capacity.ts";
import { readArguments } from "../../cli/command_line/arguments.ts";
import type { CapacityResult } from "../../runner/result/capacity.ts";
import { toldOf, URL_ } from "./command_line.ts";

const WITHIN = ["--within", "p99 < 50ms"];

Deno.test("capacity reads its rules, width, trials and budget", () => {
  const spec = {
    parts: capacityParts,
    conflicts: capacityConflicts,
    run: () => Promise.resolve(0),
  };
  const args = [URL_, ...WITHIN, "--within", "success >= 99.9%", "--trial", "2s,10s"];
  const read = readArguments(spec, { name: "capacity", summary: "" }, [...args, "--width", "5%"]);
  assert.ok(read.wants === "values");
  const { within, trial, width, budget, recover } = read.values;
  assert.deepEqual(within.map(({ text }) => text), ["p99 < 50ms", "success >= 99.9%"]);
  assert.deepEqual([trial, width, budget, recover], [[2, 10], 0.05, 1_200_000, 30_000]);
});

const WRONG: readonly (readonly [args: readonly string[], expected: RegExp])[] = [
  [[URL_], /--within: Cannot search for a capacity without a rule/],
  [[URL_, "--within", "mean < 5ms"], /--within: Cannot search for a capacity by "mean < 5ms"/],
  [
    [URL_, "--within", "p99(message) < 50ms"],
    /--within: Cannot search for a capacity by "p99\(message\) < 50ms".*by a clock of its own/,
  ],
  [[URL_, "--within", "p99 < 50"], /--within: Cannot read "50" as a duration/],
  [[URL_, ...WITHIN, "--trial", "30s,5s"], /--trial: Cannot use these trials/],
  [[URL_, ...WITHIN, "--trial", "5s"], /--trial: Cannot read the trials/],
  [[URL_, ...WITHIN, "--width", "0%"], /--width: Cannot use this width/],
  [[URL_, ...WITHIN, "--rate", "5/s"], /--rate/],
  [[URL_, ...WITHIN, "--http2", "--no-keepalive"], /--http2: Cannot open a connection for every/],
  [
    [URL_, ...WITHIN, "--http2", "-H", "upgrade: a"],
    /--header: Cannot send the field upgrade over HTTP\/2/,
  ],
  [["nowhere", ...WITHIN], /URL: Cannot measure "nowhere"/],
  [
    ["ws://127.0.0.1/", ...WITHIN],
    /URL: .*only plateau bench and experiment files open WebSockets/,
  ],
  [[URL_, ...WITHIN, "--grpc", "a.B/C"], /<URL>: Cannot call gRPC at the path of the URL/],
  [[URL_, ...WITHIN, "--message", "{}"], /--message: .*without a gRPC call/],
  [
    [URL_, ...WITHIN, "--grpc", "a.B/C", "--stream", "events"],
    /--stream: .*the type of the gRPC method/,
  ],
];

for (const [args, expected] of WRONG) {
  Deno.test(`capacity ${args.join(" ")} is refused before anything is measured`, async () => {
    assert.match((await toldOf(["capacity", ...args])).join("\n"), expected);
  });
}

Deno.test("capacity takes a gRPC call, and rules about messages that its stream may bring", () => {
  const spec = {
    parts: capacityParts,
    conflicts: capacityConflicts,
    run: () => Promise.resolve(0),
  };
  const call = ["http://127.0.0.1:1", "--grpc", "a.B/C", "--message", '{ "n": 1 }'];
  const args = [...call, "--within", "p99(ttfe) < 1s"];
  const read = readArguments(spec, { name: "capacity", summary: "" }, args);
  assert.ok(read.wants === "values");
  assert.deepEqual([read.values.grpc, read.values.message], ["a.B/C", [{ n: 1 }]]);
});

const UNDECIDED: CapacityResult = {
  ...{ schema: "plateau.capacity/1", version: "0.0.0", url: URL_, within: ["p99 < 50ms"] },
  load: { connections: 50, arrivals: "uniform", keepAlive: true, timeout: 5_000 },
  ...{ widthRatio: 0.02, trialS: [5, 30], budgetS: 60, seed: 1, elapsedS: 60, peakPerSec: 13_000 },
  ...{ end: "budget", capacity: null, binding: null, breaking: [], trials: [] },
};

Deno.test("capacity that ends undecided says its result once: in its output, or where that is JSON in the error", () => {
  const linesOf = (isPrinted: boolean): readonly string[] => {
    try {
      verifyCapacities([{ place: "", search: UNDECIDED }], { isStrict: false, isPrinted });
    } catch (error) {
      if (error instanceof InconclusiveError) return error.lines;
      throw error;
    }
    return [];
  };
  const why = "The capacity is inconclusive";
  assert.deepEqual(linesOf(true), [why]);
  assert.equal(linesOf(false).length, 2);
  assert.match(linesOf(false)[1], /No capacity known with p99 < 50ms; inconclusive/);
});
