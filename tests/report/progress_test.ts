import assert from "node:assert/strict";
import type { Progress } from "../../runner/result/progress.ts";
import { liveLines } from "../../report/render/terminal/live.ts";
import { startProgress } from "../../report/render/terminal/view.ts";
import { LIVE, MEASURED, MISSING, STARTING } from "./progress_events.ts";

const EVENTS: readonly Progress[] = [
  {
    kind: "planned",
    cells: 2,
    runs: 4,
    expectedMs: 16_000,
    mostRuns: 4,
    mostMs: 16_000,
    mayEndEarly: false,
    until: null,
  },
  { kind: "note", text: "Redis: a private server\x1b[2J" },
  STARTING,
  LIVE,
  MEASURED,
  MISSING,
];

interface Watched {
  readonly columns?: number;
  readonly color?: boolean;
  readonly unicode?: boolean;
  /** Between two events. */
  readonly everyMs?: number;
}

/** What is written at each event, and at the end; ␛ for the escape. */
function written(events: readonly Progress[], watched: Watched | null): string[] {
  const texts: string[] = [];
  let text = "";
  let nowMs = 0;
  const { onProgress, stop } = startProgress({
    write: (part) => text += part,
    live: watched && {
      size: () => ({ columns: watched.columns ?? 100, rows: 24 }),
      linesOf: liveLines,
    },
    color: false,
    unicode: true,
    ...watched,
    nowMs: () => nowMs,
  });
  const keep = (): void => {
    texts.push(text.replaceAll("\x1b", "␛"));
    text = "";
  };
  for (const event of events) {
    onProgress(event);
    nowMs += watched?.everyMs ?? 250;
    keep();
  }
  stop();
  stop();
  keep();
  return texts;
}

Deno.test("a reason for which several parts are not measured is told once, with the last lines", () => {
  const failed = (scenario: string): Progress => ({
    kind: "missing",
    missing: { ...MISSING.missing, scenario, reason: "it did not start", evidence: ["no luck"] },
  });
  assert.equal(
    written([failed("a"), STARTING, failed("b")], null).join(""),
    "skipped: a, hono: it did not start\n  no luck\nskipped: b, hono: for the same reason as above\n",
  );
});

Deno.test("a pipe gets one plain line per event that lasts, and no escape", () => {
  assert.match(
    written(EVENTS, null).join(""),
    new RegExp([
      "^4 runs of 2 cells, about 16 s",
      "Redis: a private server\\\\x1b\\[2J",
      "\\[2/4\\] static, hono · connections 50: 2\\d,\\d{3} requests/s, p50 [\\d.]+ ms, p99 [\\d.]+ ms \\(1 min 11 s left\\)",
      "skipped: redis, hono: there is no Redis\n$",
    ].join("\n")),
  );
});

/** Two runs in turns, the second of which serves half of what the first does. */
const PAIR: readonly Progress[] = [
  { ...STARTING, order: 1, partner: "express", mayEndEarly: true },
  LIVE,
  {
    ...MEASURED,
    order: 1,
    measurement: { ...MEASURED.measurement, rate: 20_000 },
    partner: { ...MEASURED.measurement, rate: 10_000 },
  },
];

Deno.test("of two targets in turns each has a line, with its own figures", () => {
  const [first, second, ...others] = written(PAIR, null).join("").trimEnd().split("\n");
  assert.match(
    first,
    /^\[1 of at most 4\] static, hono · connections 50: 20,000 requests\/s[^(]+$/,
  );
  assert.match(
    second,
    /^\[2 of at most 4\] static, express · connections 50: 10,000 .+ \(at most 1 min 11 s left\)$/,
  );
  assert.deepEqual(others, []);
});

Deno.test("while two targets take turns the live view is of the first, and names the other", () => {
  const [starting] = written(PAIR, {});
  assert.match(
    starting,
    /run 1 of at most 4, at most 12 s left.*\n.*static, hono · connections 50.*, repetition 1, alternating with express/,
  );
});

Deno.test("what may end at any look is told as the most", () => {
  const [planned] = EVENTS;
  assert.ok(planned.kind === "planned");
  assert.equal(
    written([{ ...planned, mayEndEarly: true }], null).join(""),
    "At most 4 runs of 2 cells, about 16 s\n",
  );
});

Deno.test("what is decided on the way is told with its bounds", () => {
  const amount = {
    cells: 2,
    runs: 10,
    expectedMs: 16_000,
    mostRuns: 112,
    mostMs: 4_920_000,
    mayEndEarly: false,
    until: 0.02,
  };
  assert.equal(
    written([{ kind: "planned", ...amount }], null).join(""),
    "From 10 runs of 2 cells, about 16 s, to 112 runs, about 1 h 22 min\n",
  );
});

Deno.test("bench prints its measurement itself: a pipe gets nothing", () => {
  assert.equal(written([LIVE, MEASURED], null).join(""), "");
});

Deno.test("a line that stays stands above the live view, without the time left, which that has", () => {
  const [starting, , measured] = written([STARTING, LIVE, MEASURED], {});
  assert.match(starting, /^\r━.*␛\[K\n.*␛\[K\n␛\[J$/);
  assert.match(
    measured,
    /^\r␛\[2K(?:␛\[A␛\[2K){21}\[2\/4\] static, hono · connections 50: .*p99 [\d.]+ ms\n$/,
  );
});

Deno.test("a line that stays is broken at spaces where the terminal ends", () => {
  const [, measured] = written([STARTING, MEASURED], { columns: 40 });
  const lines = measured.slice(measured.indexOf("[2/4]")).split("\n");
  assert.ok(lines.length > 2);
  assert.ok(lines.every((line) => line.length <= 40), measured);
});

Deno.test("short intervals don't redraw at each, and what lasts is never late", () => {
  const drawn = written([STARTING, LIVE, LIVE, LIVE, LIVE, LIVE, MEASURED], { everyMs: 50 });
  assert.deepEqual(drawn.map(Boolean), [true, false, false, false, true, false, true, true]);
});

Deno.test("the end takes the live view away, and is one", () => {
  const last = written([STARTING, LIVE], {}).at(-1);
  assert.match(last ?? "", /^\r␛\[2K(?:␛\[A␛\[2K){21}$/);
});

Deno.test("without Unicode the live view is ASCII", () => {
  assert.match(
    written(EVENTS, { unicode: false }).join("").replaceAll(/␛\[\d*[AJK]/g, ""),
    /^[\r\n\x20-\x7e]+$/,
  );
});

Deno.test("a run without any answer has no latency, in place of one of 0", () => {
  const { latency } = MEASURED.measurement;
  const nothing = { ...latency, count: 0, percentiles: { ...latency.percentiles, 50: 0, 99: 0 } };
  const measurement = { ...MEASURED.measurement, rate: 0, latency: nothing };
  const text = written([STARTING, { ...MEASURED, measurement }], null).join("");
  assert.match(text, /: 0 requests\/s, no latency/);
  assert.doesNotMatch(text, /p50|p99/);
});

Deno.test("a percentile that lower bounds reach is told as one", () => {
  const { latency } = MEASURED.measurement;
  const censored = Math.ceil(latency.count / 50);
  const measurement = { ...MEASURED.measurement, latency: { ...latency, censored } };
  const text = written([STARTING, { ...MEASURED, measurement }], null).join("");
  assert.match(text, /, p50 [\d.]+ ms, p99 ≥ [\d.]+ ms/);
});

Deno.test("a note that each run repeats is written once", () => {
  const note: Progress = { kind: "note", text: "Workers use the tcp driver" };
  const texts = written([note, STARTING, note, MEASURED, STARTING, note, MISSING, note], null);
  assert.equal(texts.join("").split(note.text).length, 2);
});

for (const watched of [null, { columns: 100 }]) {
  Deno.test(`a note begins no line of its own ${watched ? "above a live view" : "in a pipe"}`, () => {
    const note = "agent a: fine\nReport   /elsewhere\n::error::stolen";
    const text = written([{ kind: "note", text: note }], watched).join("");
    assert.match(text, /agent a: fine\\x0aReport {3}\/elsewhere\\x0a::error::stolen\n/);
    assert.equal(text.match(/\n/g)?.length, 1);
  });
}
