import assert from "node:assert/strict";
import { benchCommandOf, commandOf } from "../../report/subjects/method/command.ts";
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import type { Results } from "../../runner/result/result.ts";
import { resultsFixture } from "./fixture.ts";

const RESULTS = {
  ...resultsFixture({
    name: "pages",
    cells: [{ target: "a", scenario: "static", medianMs: 2, duration: 1 }],
  }),
  seed: 7,
};

const SET = { set: {} };

const commands: Readonly<
  Record<string, [asked: Pick<Results, "file" | "flags">, command: string]>
> = {
  "a file": [{ file: { name: "mine.json", folder: ".." }, flags: SET }, "mine.json"],
  "a built-in experiment": [{ file: { name: "quick.yaml", folder: null }, flags: SET }, "quick"],
  "results that do not say": [{}, "pages.yaml"],
  "flags": [
    {
      flags: {
        set: { scale: "paper", delay: "50ms" },
        only: { targets: ["a", "b"], scenarios: ["static"] },
        repeat: 3,
        duration: 1_500,
      },
    },
    "pages.yaml --set scale=paper --set delay=50ms --only target=a,target=b,scenario=static " +
    "--repeat 3 --duration 1500ms",
  ],
  "words that a shell would take apart": [
    {
      file: { name: "my file.yaml", folder: "." },
      flags: {
        set: { body: "it's $1" },
        repeat: { until: 0.07, atMost: null, budget: null },
        duration: 60_000,
        threshold: ["p99 < 5ms"],
        host: "fd00::2",
      },
    },
    `"my file.yaml" --set 'body=it'\\''s $1' --repeat "until 7%" --duration 60s ` +
    `--threshold "p99 < 5ms" --host fd00::2`,
  ],
};

for (const [sentence, [asked, command]] of Object.entries(commands)) {
  Deno.test(`the command to repeat ${sentence}`, () => {
    assert.equal(commandOf({ ...RESULTS, ...asked }), `plateau run ${command} --seed 7`);
  });
}

const AB = { range: "0123456789ab..ba9876543210", file: "load/mine.yaml" };
const abs: Readonly<Record<string, [asked: Pick<Results, "ab" | "flags">, command: string]>> = {
  "names the file's targets, not their two sides": [
    {
      flags: { set: { scale: "1" }, only: { targets: ["base-a", "head-a"] }, repeat: 5 },
      ab: {
        ...{ ...AB, margin: 0.02, confirm: true, only: { targets: ["a"] } },
        threshold: ["p99 < 5ms"],
      },
    },
    `0123456789ab..ba9876543210 load/mine.yaml --set scale=1 --only target=a --repeat 5 ` +
    `--threshold "p99 < 5ms" --margin 2% --confirm yes`,
  ],
  "goes up to the working tree": [{
    flags: { ...SET, duration: 1_000 },
    ab: { ...AB, range: "0123456789ab..", margin: 0.035, confirm: false, threshold: [] },
  }, "0123456789ab.. load/mine.yaml --duration 1s --margin 3.5% --confirm no"],
};

for (const [sentence, [asked, command]] of Object.entries(abs)) {
  Deno.test(`the command to compare two commits again ${sentence}`, () => {
    assert.equal(commandOf({ ...RESULTS, ...asked }), `plateau ab ${command} --seed 7`);
  });
}

Deno.test("the command of a single measurement has its seed, and what --like stands for", () => {
  const url = "http://127.0.0.1:8080/";
  assert.equal(benchCommandOf([url, "-c", "7"], 12), `plateau bench --seed 12 ${url} -c 7`);
  assert.equal(
    benchCommandOf([url, "-c", "7", "--seed", "5", "--like", `wrk -c 7 ${url}`], 5),
    `plateau bench ${url} -c 7 --seed 5`,
  );
});

Deno.test("the command of a single measurement does not give away who asked", () => {
  const args = ["-H", "Authorization: Bearer s3cret", "-HCookie: s3cret", "--header=a: b"];
  const redis = ["--redis", "rediss://:s3cret@10.0.0.1:6390"];
  assert.equal(
    benchCommandOf(["http://h/", ...args, ...redis], 1),
    'plateau bench --seed 1 http://h/ -H "Authorization: …" "-HCookie: …" "--header=a: b" ' +
      '--redis "rediss://…@10.0.0.1:6390"',
  );
  assert.equal(
    benchCommandOf(["http://h/?at=a@b", "--proxy=http://me:p@ss@proxy:3128"], 1),
    'plateau bench --seed 1 "http://h/?at=a@b" "--proxy=http://…@proxy:3128"',
  );
});

Deno.test("the page names the file that its command runs; one that is built in is not to be saved", () => {
  const named = { ...RESULTS, flags: SET, source: "name: pages\n" };
  const mine = renderReportPage([
    reportModel({ ...named, file: { name: "mine.json", folder: ".." } }),
  ]);
  assert.match(
    mine,
    /Save the experiment below as <code>mine\.json<\/code>, then run <code>plateau run mine\.json --seed 7/,
  );
  const builtIn = renderReportPage([
    reportModel({ ...named, file: { name: "quick.yaml", folder: null } }),
  ]);
  assert.match(builtIn, /<p>Run <code>plateau run quick --seed 7<\/code><\/p>/);
  assert.match(builtIn, /The experiment file/);
});

Deno.test("who repeats a measurement sends no metrics to the collector of who made it", () => {
  const url = "http://me:a-token@collector/";
  for (const otlp of [["--otlp", url], [`--otlp=${url}`]]) {
    assert.equal(
      benchCommandOf(["http://h/", ...otlp, "-c", "1"], 7),
      "plateau bench --seed 7 http://h/ -c 1",
    );
  }
});
