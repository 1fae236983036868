import assert from "node:assert/strict";
import type { Progress } from "../../runner/result/progress.ts";
import { sparkline } from "../../report/render/terminal/bars.ts";
import { liveLines, type LiveViewOptions } from "../../report/render/terminal/live.ts";
import { advance, NOTHING_YET } from "../../report/render/terminal/progress.ts";
import { lineWidth, printed, Screen } from "../../report/writing/terminal.ts";
import { latencies, LIVE, MEASURED, STARTING } from "./progress_events.ts";

const OPTIONS: LiveViewOptions = { columns: 80, rows: 24, unicode: true, nowMs: 0 };

/** The lines of the view after the events, each told 250 ms after the one before, the last one now. */
function view(events: readonly Progress[], options: Partial<LiveViewOptions> = {}): string[] {
  const state = events.reduce((before, event, i) => advance(before, event, i * 250), NOTHING_YET);
  const nowMs = (events.length - 1) * 250;
  return liveLines(state, { ...OPTIONS, nowMs, ...options })
    .map((line) => printed(line, { color: false }).trimEnd());
}

function intervals(count: number, of: (i: number) => Partial<typeof LIVE>): Progress[] {
  return Array.from({ length: count }, (_, i) => ({
    ...LIVE,
    elapsedMs: (i + 1) * 250,
    durationMs: 60_000,
    ...of(i),
  }));
}

Deno.test("the view has the whole experiment, the run, its URL and figures with their scales, and a histogram", () => {
  const lines = view([STARTING, LIVE]);
  assert.deepEqual(lines.slice(0, 13), [
    "━━━━━━━━━━━━━━━─────────────────────────  37 %, run 2 of 4, 12 s left",
    "static, hono · connections 50  1.5 s of 3 s, repetition 1",
    "http://127.0.0.1:8080/static",
    "Requests/s     12,346   12,346 ███████████████████████",
    "                             0 ███████████████████████",
    "p50           1.20 ms  1.20 ms ███████████████████████",
    "                             0 ███████████████████████",
    "p99           4.56 ms  4.56 ms ███████████████████████",
    "                             0 ███████████████████████",
    "                               0 s               1.5 s",
    "Errors              0",
    "Generator   1 worker, 63 % CPU, up to 0.210 ms late",
    "Latency of the last 1.5 s, up to ms                                Requests %",
  ]);
  assert.match(lines.at(-1) ?? "", /^ +4\.56 {2}█+▏? +20\.0$/);
});

Deno.test("while a target starts its time counts", () => {
  const [course, run, ...others] = view([STARTING], { nowMs: 4_200 });
  assert.match(course, /^━+─+ {2}25 %, run 2 of 4, 8 s left$/);
  assert.equal(run, "static, hono · connections 50  starting for 4 s, repetition 1");
  assert.deepEqual(others, []);
});

Deno.test("bench is its one run: how far it is, by time or by count", () => {
  const [url, byTime, next] = view([LIVE]);
  assert.equal(url, LIVE.url);
  assert.match(byTime, /^━+─+ {2}50 %, 1\.5 s of 3 s, 2 s left$/);
  assert.match(next, /^Requests\/s /);
  const [, byCount] = view([{ ...LIVE, durationMs: null, requests: 74_072 }]);
  assert.match(byCount, /^━+─+ {2}25 %, 18,518 of 74,072 requests, 5 s left$/);
});

Deno.test("nothing is shown before the first event and after a run", () => {
  assert.deepEqual(view([]), []);
  assert.deepEqual(view([STARTING, LIVE, MEASURED]), []);
});

/** What stands in the lines that begin with the label, beside it; below it the rows of its chart. */
function figureOf(lines: readonly string[], label: string): string {
  return lines.find((line) => line.startsWith(label))?.slice(label.length).trim() ?? "";
}

const LOW = { rows: 10 };

Deno.test("the timeline scrolls: a narrow view has the last intervals of a long run, and their scale alone", () => {
  const events = intervals(100, (i) => ({ ratePerSec: i < 80 ? 4_000 : i < 90 ? 1_000 : 500 }));
  assert.match(
    figureOf(view(events, { ...LOW, columns: 60 }), "Requests/s"),
    /^500 +0–4,000 █+▃{10}▂{10}$/,
  );
  const narrow = view(events, { ...LOW, columns: 49 });
  assert.match(figureOf(narrow, "Requests/s"), /^500 +0–1,000 █{3}▅{10}$/);
  const wide = view(intervals(1_000, () => ({})), { ...LOW, columns: 200 });
  assert.equal(/█+/.exec(figureOf(wide, "p50"))?.[0].length, 164);
});

Deno.test("the timeline of a short run fills the width at the end of the run", () => {
  const half = view(intervals(6, () => ({ durationMs: 3_000 })), { ...LOW, columns: 120 });
  const whole = view(intervals(12, () => ({ durationMs: 3_000 })), { ...LOW, columns: 120 });
  const [some, all] = [half, whole].map((lines) => /█+/.exec(figureOf(lines, "p99"))?.[0].length);
  assert.equal(all, 84);
  assert.equal(some, 42);
});

Deno.test("the timeline uses the height there is: its charts grow, in equal parts", () => {
  const of = (rows: number): number => {
    const lines = view([LIVE], { rows, columns: 100 });
    const [from, to] = ["p50", "p99"].map((label) =>
      lines.findIndex((line) => line.startsWith(label))
    );
    assert.ok(lines.length < rows);
    return to - from;
  };
  assert.deepEqual([8, 12, 24, 30, 60].map(of), [1, 2, 3, 5, 8]);
});

Deno.test("an interval without a response has no latency, and is a gap; errors have a sparkline", () => {
  const silent = { latency: latencies(), p50Ms: 0, p99Ms: 0, ratePerSec: 0, failed: 7 };
  const lines = view(intervals(3, (i) => i === 1 ? silent : {}), LOW);
  assert.match(figureOf(lines, "p99"), /^4\.56 ms +0–4\.56 ms █ █$/);
  const after = view(intervals(2, (i) => i === 1 ? silent : {}), LOW);
  assert.match(figureOf(after, "p50"), /^– +0–1\.20 ms █$/);
  assert.equal(figureOf(after, "Errors"), "7  ▁█");
  assert.equal(figureOf(view([LIVE], LOW), "Errors"), "0");
});

Deno.test("a run of WebSockets or streams shows its messages in place of requests", () => {
  const none = { all: latencies(), censored: latencies() };
  const counts = { received: 500, failed: 0, perSec: 2_000 };
  const times = { ttfe: none, gap: none, ttft: none, message: none };
  const answered = { ...times, message: { ...none, all: latencies(1, 2, 7) } };
  const sockets = { ratePerSec: 0, messages: { ...counts, ...answered, lead: "message" as const } };
  const lines = view(intervals(3, () => sockets));
  assert.match(figureOf(lines, "Messages/s"), /^2,000 /);
  assert.match(figureOf(lines, "p50"), /^2\.00 ms /);
  assert.match(figureOf(lines, "p99"), /^7\.00 ms /);
  assert.ok(
    lines.some((line) => /^Latency of the last 0\.8 s, up to.*Messages/.test(line)),
    `${lines}`,
  );
  assert.doesNotMatch(lines.join("\n"), /Requests/);
  const streamed = {
    ...times,
    ttfe: { ...none, all: latencies(3) },
    gap: { ...none, all: latencies(50, 51) },
  };
  const streams = { messages: { ...counts, ...streamed, lead: "gap" as const } };
  const gaps = view(intervals(3, () => streams));
  assert.match(figureOf(gaps, "first p99"), /^3\.00 ms /);
  assert.match(figureOf(gaps, "gap p99"), /^51\.0 ms /);
  const quiet = view(intervals(3, () => ({ messages: { ...counts, ...times, lead: "gap" } })));
  assert.ok(quiet.some((line) => line.startsWith("No message in the last")), `${quiet}`);
  const mixed = view(intervals(3, () => ({ messages: { ...counts, ...answered, lead: null } })));
  assert.match(figureOf(mixed, "Requests/s"), /^12,346 /);
});

Deno.test("the histogram is of the last 3 s", () => {
  const events = intervals(20, (i) => ({ latency: latencies(i < 8 ? 1_000 : 1) }));
  const lines = view(events);
  assert.ok(lines.some((line) => line.startsWith("Latency of the last 3 s, up to ms ")));
  assert.doesNotMatch(lines.join("\n"), /1,000 ms|1\.00 s/);
});

Deno.test("with several workers the busiest is told", () => {
  const lines = view([{ ...LIVE, workers: { count: 4, cpuRatio: 0.98, lateMs: 1.5 } }]);
  assert.ok(lines.includes("Generator   4 workers, busiest 98 % CPU, up to 1.50 ms late"));
});

Deno.test("no line reaches the end of the terminal, where ^C is echoed, and none is lost at 60 columns", () => {
  const long = { ...STARTING, target: "測".repeat(100) };
  for (const unicode of [true, false]) {
    for (const columns of [1, 10, 40, 60, 80, 200]) {
      const events = [long, ...intervals(300, () => ({ failed: 3 }))];
      const state = events.reduce((before, event) => advance(before, event, 0), NOTHING_YET);
      for (const line of liveLines(state, { ...OPTIONS, columns, unicode })) {
        assert.ok(lineWidth(line) <= Math.max(1, columns - 3), printed(line, { color: false }));
      }
    }
  }
  assert.match(view([long, LIVE], { columns: 60 })[1], /測… {2}1\.5 s of 3 s, repetition 1$/);
});

const PARTS = [
  [24, 21, "has all of it"],
  [21, 20, "has no axis"],
  [20, 18, "has higher charts in place of half a histogram"],
  [10, 9, "has a row of each, and the axis"],
  [9, 8, "has a row of each"],
  [8, 7, "loses the URL"],
  [6, 5, "loses the generator and errors"],
  [5, 4, "loses p50"],
  [2, 1, "has the whole"],
  [1, 1, "has one row"],
] as const;

for (const [rows, count, sentence] of PARTS) {
  Deno.test(`a terminal of ${rows} rows ${sentence}`, () => {
    assert.equal(view([STARTING, LIVE], { rows }).length, count);
  });
}

Deno.test("40 columns and 10 rows have the run, its URL, rate, latency with their scales, and errors", () => {
  const lines = view([STARTING, ...intervals(20, () => ({ durationMs: 10_000 }))], {
    columns: 40,
    rows: 10,
  });
  assert.deepEqual(lines, [
    "37 %, run 2 of 4, 7 s left",
    "static, hon…  5 s of 10 s, repetitio…",
    "http://127.0.0.1:8080/static",
    "Requests/s     12,346   0–12,346 ████",
    "p50           1.20 ms  0–1.20 ms ████",
    "p99           4.56 ms  0–4.56 ms ████",
    "                                 5 s",
    "Errors              0",
    "Generator   1 worker, 63 % CPU, up t…",
  ]);
});

Deno.test("a sparkline goes from 0 to its largest value", () => {
  assert.equal(sparkline([0, 1, 2, 4, 7, 8, null], { unicode: true }), "▁▂▃▅██ ");
  assert.equal(sparkline([0, 4, 8, null], { unicode: false }), "_=# ");
  assert.equal(sparkline([0, 0], { unicode: true }), "▁▁");
});

Deno.test("a screen goes back over what it shows, and further where the window became narrower", () => {
  const screen = new Screen({ color: false });
  const line = (width: number) => [{ text: "a".repeat(width) }];
  assert.equal(
    screen.changed([line(50), line(10)], 80),
    `\r${"a".repeat(50)}\x1b[K\naaaaaaaaaa\x1b[K\n\x1b[J`,
  );
  assert.equal(screen.changed([line(1)], 80), "\r\x1b[2Aa\x1b[K\n\x1b[J");
  screen.changed([line(50), line(10)], 80);
  assert.equal(screen.changed([], 20), "\r\x1b[2K" + "\x1b[A\x1b[2K".repeat(4));
  assert.equal(screen.changed([], 20), "\r\x1b[2K");
  screen.changed([line(3)], 20);
  screen.forget();
  assert.equal(screen.changed([line(3)], 20), "\raaa\x1b[K\n\x1b[J");
  assert.equal(
    screen.changed([line(2)], 20, [[{ text: "kept" }]]),
    "\r\x1b[2K\x1b[A\x1b[2Kkept\naa\x1b[K\n",
  );
});

Deno.test("colours are SGR codes around the same text", () => {
  const state = [STARTING, LIVE].reduce((before, event) => advance(before, event, 0), NOTHING_YET);
  const lines = liveLines(state, OPTIONS);
  const plain = lines.map((line) => printed(line, { color: false })).join("\n");
  const coloured = lines.map((line) => printed(line, { color: true })).join("\n");
  assert.ok(!plain.includes("\x1b"));
  assert.ok(coloured.includes("\x1b[36m"));
  assert.equal(coloured.replaceAll("\x1b", "␛").replaceAll(/␛\[\d+m/g, ""), plain);
});
