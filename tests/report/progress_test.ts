import assert from "node:assert/strict";
import type { Progress } from "../../runner/progress.ts";
import { advance, NOTHING_YET, startProgress, statusLine } from "../../report/terminal/progress.ts";
import { widthOf } from "../../report/terminal/text.ts";
import { measurementFixture } from "./fixture.ts";

const STARTING: Progress = {
  kind: "starting",
  order: 2,
  runs: 4,
  target: "hono",
  scenario: "static",
  repetition: 1,
  parameters: { connections: 50 },
  remainingMs: 12_000,
};

const LIVE: Progress = {
  kind: "live",
  elapsedMs: 1_500,
  durationMs: 3_000,
  ratePerSec: 12_345.6,
  p50Ms: 1.2,
  p99Ms: 4.56,
  failed: 0,
};

const EVENTS: readonly Progress[] = [
  { kind: "planned", runs: 4, cells: 2, expectedMs: 16_000 },
  { kind: "note", text: "Redis: a private server\x1b[2J" },
  STARTING,
  LIVE,
  {
    kind: "measured",
    order: 2,
    measurement: measurementFixture({ target: "", scenario: "static", medianMs: 2 }),
  },
  {
    kind: "missing",
    missing: {
      target: "hono",
      scenario: "redis",
      parameters: {},
      repetition: null,
      kind: "skipped",
      reason: "there is no Redis",
      evidence: [],
    },
  },
];

function written(options: { isTerminal: boolean; color?: boolean }, events = EVENTS): string {
  let text = "";
  const { onProgress, stop } = startProgress({
    write: (part) => text += part,
    columns: () => 100,
    color: false,
    unicode: true,
    ...options,
  });
  events.forEach(onProgress);
  stop();
  return text;
}

Deno.test("a pipe gets one plain line per event that lasts, and no escape", () => {
  assert.match(
    written({ isTerminal: false }),
    new RegExp([
      "^4 runs of 2 cells, about 16 s",
      "Redis: a private server\\\\x1b\\[2J",
      "\\[2/4\\] static, hono · connections 50: 2\\d,\\d{3} requests/s, p50 [\\d.]+ ms, p99 [\\d.]+ ms",
      "skipped: redis, hono: there is no Redis\n$",
    ].join("\n")),
  );
});

Deno.test("the changing line has run, live figures and time left", () => {
  const state = advance(advance(NOTHING_YET, STARTING), LIVE);
  assert.equal(
    statusLine(state, 120).replaceAll("\u00a0", " "),
    "████░░░░░░  [2/4] static, hono · connections 50:  12,346 requests/s, p99 4.56 ms  11 s left",
  );
  assert.match(statusLine(advance(NOTHING_YET, STARTING), 120), / {2}starting {2}12\ss left$/);
});

Deno.test("failures of the last interval show in the changing line", () => {
  const state = advance(advance(NOTHING_YET, STARTING), { ...LIVE, failed: 7 });
  assert.match(statusLine(state, 120), /, 7 failed/);
});

Deno.test("the changing line never wraps, even with the terminal's echo of ^C behind it", () => {
  const state = advance(advance(NOTHING_YET, { ...STARTING, target: "a".repeat(200) }), LIVE);
  for (const columns of [10, 40, 80]) {
    assert.ok(widthOf(`${statusLine(state, columns)}^C`) < columns);
  }
  assert.equal(widthOf(statusLine(state, 1)), 1);
});

Deno.test("bench has no run, only live figures and time left", () => {
  const text = statusLine(advance(NOTHING_YET, LIVE), 80).replaceAll("\u00a0", " ");
  assert.equal(text, "12,346 requests/s, p99 4.56 ms  2 s left");
  assert.equal(written({ isTerminal: false }, [LIVE, EVENTS[4]]), "");
});

Deno.test("a terminal ends with a clean line", () => {
  const text = written({ isTerminal: true }, [STARTING, LIVE]);
  assert.ok(text.endsWith("\r\x1b[2K"));
  assert.equal(text.split("\n").length, 1);
});

Deno.test("a lasting line replaces the changing one", () => {
  const text = written({ isTerminal: true }, [STARTING, LIVE, EVENTS[4]]);
  const [changing, lasting] = text.split("\r\x1b[2K").slice(-3);
  assert.match(changing, /left$/);
  assert.match(lasting, /^\[2\/4\] static, hono · connections 50: [^\n]+\n$/);
});
