/** The flags of `bench` that say when requests are due. */
import assert from "node:assert/strict";
import type { Load } from "../../scenarios/load/load.ts";
import { benchOf, toldOf, URL_ } from "./command_line.ts";

const USUAL = { keepAlive: true, timeout: 5_000, workers: null };
const RATE: Load = {
  kind: "rate",
  connections: 50,
  ratePerSec: 1_000,
  arrivals: "uniform",
  durationMs: 10_000,
  ...USUAL,
};
const PHASES: Load = {
  kind: "phases",
  connections: 10_000,
  phases: [{ durationUs: 30_000_000, fromPerSec: 10, toPerSec: 10 }],
  arrivals: "uniform",
  pool: "own",
  ...USUAL,
};

const loads: [sentence: string, args: string[], load: Load][] = [
  ["a rate, for 10 s", ["-r", "1000/s"], RATE],
  ["a rate, with all that goes with one", [
    ...["--rate", "30/m", "-c", "9", "-d", "1m", "--arrivals", "poisson", "-t", "1s"],
    ...["-w", "2", "--no-keepalive"],
  ], {
    ...RATE,
    ratePerSec: 0.5,
    connections: 9,
    durationMs: 60_000,
    arrivals: "poisson",
    timeout: 1_000,
    workers: 2,
    keepAlive: false,
  }],
  ["one phase, with room for 10,000 visitors", ["--phases", "30s@10/s"], PHASES],
  ["phases, ramps and pauses, with spaces between them", [
    ...["--phases", "30s@10/s, 60s@50/s..200/s, 10s@0/s, 1.5m@0.5/s..0/s"],
    ...["--arrivals", "poisson", "-c", "7"],
  ], {
    ...PHASES,
    connections: 7,
    arrivals: "poisson",
    phases: [
      { durationUs: 30_000_000, fromPerSec: 10, toPerSec: 10 },
      { durationUs: 60_000_000, fromPerSec: 50, toPerSec: 200 },
      { durationUs: 10_000_000, fromPerSec: 0, toPerSec: 0 },
      { durationUs: 90_000_000, fromPerSec: 0.5, toPerSec: 0 },
    ],
  }],
];

for (const [sentence, args, load] of loads) {
  Deno.test(`bench loads with ${sentence}`, () => {
    assert.deepEqual(benchOf(URL_, ...args).load, load);
  });
}

Deno.test("bench takes the seed that is given, or a new one each time", () => {
  assert.equal(benchOf(URL_, "--seed", "7").seed, 7);
  assert.notEqual(benchOf(URL_).seed, benchOf(URL_).seed);
});

const wrong: [sentence: string, args: string[], told: string[]][] = [
  ["a rate without its unit", ["-r", "1000"], [
    '--rate: Cannot read "1000" as a rate: write 1000/s',
  ]],
  ["no rate at all", ["-r", "0/s"], [
    '--rate: Cannot read "0/s" as a rate: write a number above 0 per s, m or h, such as 1000/s',
  ]],
  ["a rate beyond reason", ["-r", "1000001/s"], [
    "--rate: Cannot use this rate: the maximum is 1000000/s",
  ]],
  ["a way to arrive that there is not", ["-r", "1/s", "--arrivals", "poison"], [
    '--arrivals: Cannot use "poison": the choices are uniform, poisson; did you mean "poisson"?',
  ]],
  ["what can't follow redirects", ["--follow", "2", "-n", "9", "--pipeline", "2"], [
    "--requests: Cannot use --requests when redirects are followed (leave out --follow or --requests)",
    "--pipeline: Cannot use --pipeline when redirects are followed (leave out --follow or --pipeline)",
  ]],
  ["more redirects than are followed", ["--follow", "21"], [
    "--follow: Cannot use 21: the maximum is 20",
  ]],
  ["arrivals in a closed loop", ["--arrivals", "poisson"], [
    "--arrivals: Cannot use this here: a closed loop has no arrivals; add rate or phases",
  ]],
  ["what does not go with a rate", ["-r", "5/s", "-n", "3", "-d", "1s", "--pipeline", "2"], [
    "--requests: Cannot use this here: a load with a rate ends after its duration; leave requests out",
    "--pipeline: Cannot use this here: a load with a rate has one request in flight per connection; leave pipeline out",
  ]],
  ["what does not go with phases", [
    ...["--phases", "1s@1/s", "-r", "5/s", "-d", "1s", "-n", "3", "--pipeline", "2"],
  ], [
    "--rate: Cannot use this here: each phase has its own arrivals; leave rate or phases out",
    "--duration: Cannot use this here: each phase has its own duration; leave duration out",
    "--requests: Cannot use this here: phases end after their durations; leave requests out",
    "--pipeline: Cannot use this here: each virtual user has its own connection; leave pipeline out",
  ]],
  ["everything that is wrong with its phases", [
    "--phases",
    "30s@10,60@50/s..200/s,x,1s@1/s@2/s,1s@1/s..2/s..3/s,0s@0/s,1s@1/s..,@1/s,",
  ], [
    '--phases: 30s@10: Cannot read "10" as a rate: write 10/s',
    '--phases: 60@50/s..200/s: Cannot read "60" as a duration: write 60s',
    '--phases: Cannot read "x" as a phase: write 30s@10/s, or 30s@10/s..50/s',
    '--phases: Cannot read "1s@1/s@2/s" as a phase: write 30s@10/s, or 30s@10/s..50/s',
    '--phases: Cannot read "1s@1/s..2/s..3/s" as a phase: write 30s@10/s, or 30s@10/s..50/s',
    "--phases: 0s@0/s: Cannot use this duration: it must be from 1ms to 24h",
    '--phases: 1s@1/s..: Cannot read "" as a rate: write a number per s, m or h, such as 1000/s',
    '--phases: @1/s: Cannot read "" as a duration: write a number with us, ms, s, m or h, such as 250ms or 10s',
    '--phases: Cannot read "" as a phase: write 30s@10/s, or 30s@10/s..50/s',
  ]],
  ["phases in which nobody arrives", ["--phases", "1s@0/s"], [
    "--phases: Cannot load without arrivals: give at least one phase a rate above 0",
  ]],
];

for (const [sentence, args, told] of wrong) {
  Deno.test(`bench is told of ${sentence}`, async () => {
    assert.deepEqual(await toldOf(["bench", URL_, ...args]), told);
  });
}
