/** Streams in every form of a report: messages are the same count in all, and what is a lower bound is one. */
import assert from "node:assert/strict";
import { timelinesOf } from "../../report/subjects/charts/timelines.ts";
import { streams } from "../../report/subjects/streams.ts";
import { renderIntervalsCsv } from "../../report/render/csv.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { compareResults } from "../../report/subjects/comparison/comparison.ts";
import { otlpRequests } from "../../report/render/otlp.ts";
import { reportModel } from "../../report/model.ts";
import type { IntervalPart } from "../../runner/load/recording/intervals.ts";
import type { WorkerTotals } from "../../runner/load/recording/totals.ts";
import { SocketRecorder } from "../../runner/load/recording/socket_messages.ts";
import { StepRecorder } from "../../runner/load/recording/steps.ts";
import { StreamingRecorder } from "../../runner/load/recording/streaming_recorder.ts";
import { messageLaws } from "../../runner/measure/message_laws.ts";
import { messageFigures } from "../../runner/measure/messages.ts";
import { stepFigures } from "../../runner/measure/steps.ts";
import { Timeline } from "../../runner/measure/timeline.ts";
import { timelinePoints } from "../../runner/measure/timeline_points.ts";
import { type Results, results } from "../../runner/result/result.ts";
import { SECRET, secrets } from "../../base/secrets.ts";
import { comparedMarkdown } from "./compared.ts";
import { resultsFixture } from "./fixture.ts";
import { pointsOf } from "./otlp_schema.ts";
import { read } from "./otlp_sample.ts";

const MS = 1_000;
const SECOND = 1_000 * MS;

/** One stream of a message each 10 ms, of which one took 310 ms; another that was cut after 120 ms. */
function streamed(): Results {
  const parts: IntervalPart[] = [];
  const recorder = new StreamingRecorder(
    { slots: 2, steps: new Set([0]) },
    SECOND / 4,
    (part) => parts.push(part),
  );
  const { messages } = recorder;
  for (const slot of [0, 1]) messages.begin(slot, 0, 0);
  for (let ms = 10; ms < 1_000; ms += 10) {
    recorder.advance(ms * MS);
    if (ms === 120) {
      messages.end(1, "cut", ms * MS);
      messages.interrupt(1, "cut");
    }
    if (ms < 120) messages.receive(1, "tick", ms * MS);
    if (ms < 500 || ms >= 800) messages.receive(0, "tick", ms * MS);
  }
  recorder.advance(SECOND - 1);
  messages.end(0, "left", SECOND - 1);
  const totals = recorder.finish(SECOND);
  const timeline = new Timeline(250);
  timeline.setReportingWorkers(1);
  for (const part of parts) timeline.add(0, part);
  const points = timelinePoints(timeline.intervals, {
    ...{ intervalMs: 250, elapsedUs: SECOND, clock: "sent" },
  });
  const fixture = resultsFixture({
    cells: [{ target: "hono", scenario: "events", medianMs: 5, runs: 1, duration: 1 }],
  });
  const runs = fixture.runs.map((run) => ({
    ...run,
    ...messageFigures([totals], { elapsedS: 1, clock: "sent" }),
    timeline: {
      ...run.timeline,
      points: run.timeline.points.map((point, i) => ({ ...point, messages: points[i].messages })),
    },
  }));
  return results.parse({ ...fixture, runs });
}

Deno.test("each interval has its messages, with the p99 of their times, on tracks of the timeline", () => {
  const { scenarios: [{ cells }] } = reportModel(streamed()).context;
  const [{ tracks, runs: [run] }] = timelinesOf(cells, {});
  const values = (title: string): readonly (number | null)[] => {
    const at = tracks.findIndex((track) => track.title === title);
    assert.ok(at >= 0, title);
    return run.tracks[at];
  };
  assert.deepEqual(values("Messages"), [140, 100, 0, 80], "per second");
  assert.deepEqual(values("Messages failed"), [4, 0, 0, 0]);
  assert.deepEqual(values("First message, p99"), [10, null, null, null]);
  assert.deepEqual(values("Between messages, p99").map((ms) => ms && Math.round(ms)), [
    ...[10, 10, null, 310],
  ]);
});

Deno.test("the times between messages are drawn without lower bounds, which count in what lies within a limit", () => {
  const { scenarios: [scenario] } = reportModel(streamed()).context;
  const figures = streams(scenario).flatMap((block) => block.kind === "figure" ? block : []);
  assert.deepEqual(figures.map(({ id }) => id), ["streams-ttfe", "streams-gap"]);
  const [{ chart }] = figures[1].panels;
  assert.ok(chart.kind === "xy");
  const [{ within = [], boundsFrom }] = chart.series;
  assert.equal(within[within.length - 1], 100 * 78 / 80, "two of 80 are bounds");
  assert.ok(boundsFrom !== undefined);
});

Deno.test("OpenTelemetry and the CSV of intervals have as many messages as the results", () => {
  const found = streamed();
  const [{ streams: own }] = found.runs;
  assert.ok(own);
  const sent = read(otlpRequests(found));
  const outcomes = pointsOf(sent, "plateau.messages");
  const { due, ...fates } = own.messages;
  assert.equal(outcomes.reduce((sum, { value }) => sum + value, 0), due);
  for (const { is, value } of outcomes) {
    assert.equal(
      value,
      Object.entries(fates).find(([name]) => name === is["plateau.outcome"])?.[1],
    );
  }
  const gaps = pointsOf(sent, "plateau.message.duration")
    .filter(({ is }) => is["plateau.figure"] === "gap");
  assert.deepEqual(
    gaps.map(({ is, value }) => [is["plateau.lower_bound"], value]),
    [["false", 78], ["true", 2]],
  );
  const [head, ...rows] = renderIntervalsCsv(reportModel(found)).trim().split("\n")
    .map((line) => line.split(","));
  const column = (name: string): number[] => rows.map((row) => Number(row[head.indexOf(name)]));
  assert.deepEqual(column("messages.received"), [35, 25, 0, 20]);
  assert.deepEqual(column("messages.failed"), [1, 0, 0, 0]);
  assert.equal(column("messages.gapP50Ms")[0], 10);
});

/** Two WebSockets with a message each 10 ms; the second is cut after 500 ms, with one in flight. */
function socketed(): Results {
  const parts: IntervalPart[] = [];
  const sockets = new SocketRecorder(2, { steps: new Set([0]), pushed: new Set() });
  const recorder = new StreamingRecorder(
    { slots: 2, steps: new Set(), sockets },
    SECOND / 4,
    (part) => parts.push(part),
  );
  const pace = { openUs: 0, untilUs: SECOND, everyUs: 10 * MS, most: Infinity, isAnswered: true };
  const open = [0, 1].map((slot) => sockets.open(slot, 0, pace));
  for (let ms = 0; ms < 1_000; ms += 10) {
    recorder.advance(ms * MS);
    if (ms === 500) {
      sockets.end(1, "cut", ms * MS - 1);
      sockets.closed(open[1], 1006);
    }
    for (const [slot, socket] of open.entries()) {
      if (slot === 1 && ms >= 500) continue;
      sockets.send(socket);
      if (slot === 1 && ms === 490) continue;
      sockets.come(socket);
      sockets.answer(socket, ms / 10, (ms + (ms < 750 ? 2 : 5)) * MS);
    }
  }
  recorder.advance(SECOND - 1);
  sockets.end(0, "whole", SECOND - 1);
  const totals = recorder.finish(SECOND);
  const timeline = new Timeline(250);
  timeline.setReportingWorkers(1);
  for (const part of parts) timeline.add(0, part);
  const points = timelinePoints(timeline.intervals, {
    ...{ intervalMs: 250, elapsedUs: SECOND, clock: "sent" },
  });
  const fixture = resultsFixture({
    cells: [{ target: "hono", scenario: "chat", medianMs: 5, runs: 1, duration: 1 }],
  });
  const runs = fixture.runs.map((run) => ({
    ...run,
    ...messageFigures([totals], { elapsedS: 1, clock: "sent" }),
    timeline: {
      ...run.timeline,
      points: run.timeline.points.map((point, i) => ({ ...point, messages: points[i].messages })),
    },
  }));
  return results.parse({ ...fixture, runs });
}

Deno.test("messages of WebSockets are in each interval, in the CSV of intervals and in OpenTelemetry", () => {
  const found = socketed();
  const [{ sockets: own }] = found.runs;
  assert.ok(own);
  const { due, ...fates } = own.messages;
  assert.deepEqual(own.messages, { due: 150, received: 149, failed: 1, unfinished: 0, dropped: 0 });
  const { scenarios: [{ cells }] } = reportModel(found).context;
  const [{ tracks, runs: [run] }] = timelinesOf(cells, {});
  const values = (title: string) => run.tracks[tracks.findIndex((track) => track.title === title)];
  assert.deepEqual(values("Messages"), [200, 196, 100, 100], "per second");
  assert.deepEqual(values("Messages failed"), [0, 0, 4, 0]);
  assert.deepEqual(values("Message latency, p99"), [2, 2, 2, 5]);
  const [head, ...rows] = renderIntervalsCsv(reportModel(found)).trim().split("\n")
    .map((line) => line.split(","));
  const column = (name: string): number[] => rows.map((row) => Number(row[head.indexOf(name)]));
  assert.deepEqual(column("messages.received"), [50, 49, 25, 25]);
  assert.deepEqual(column("messages.failed"), [0, 0, 1, 0]);
  assert.deepEqual(column("messages.messageP99Ms"), [2, 2, 2, 5]);
  const sent = read(otlpRequests(found));
  const outcomes = pointsOf(sent, "plateau.messages");
  assert.equal(outcomes.reduce((sum, { value }) => sum + value, 0), due);
  assert.equal(outcomes.find(({ is }) => is["plateau.outcome"] === "failed")?.value, fates.failed);
  const latencies = pointsOf(sent, "plateau.message.duration");
  assert.deepEqual(latencies.map(({ is, value }) => [is["plateau.figure"], value]), [
    ["message", 149],
  ]);
});

Deno.test("each request of a mix has the messages of its own, and they sum to the whole", () => {
  const sockets = new SocketRecorder(3, { steps: new Set([2]), pushed: new Set() });
  const recorder = new StreamingRecorder(
    { slots: 3, steps: new Set([0, 1]), withTokens: new Set([1]), sockets },
    SECOND / 4,
    () => {},
    null,
    new StepRecorder(3),
  );
  const { messages } = recorder;
  messages.begin(0, 0, 0);
  messages.begin(1, 1, 0);
  const pace = { openUs: 0, untilUs: SECOND, everyUs: 100 * MS, most: 2, isAnswered: true };
  const socket = sockets.open(2, 2, pace);
  sockets.send(socket);
  for (const ms of [10, 30, 60]) messages.receive(0, "news", ms * MS);
  messages.receive(1, "token", 40 * MS);
  messages.takeToken(1, 40 * MS);
  sockets.come(socket);
  sockets.answer(socket, 0, 5 * MS);
  for (const slot of [0, 1]) messages.end(slot, "left", 70 * MS);
  sockets.end(2, "left", 70 * MS);
  recorder.drop(1, 0, 70 * MS);
  const totals = recorder.finish(SECOND);
  for (const [law, left, right] of messageLaws([totals])) assert.equal(left, right, law);
  const whole = { elapsedS: 1, clock: "sent" as const };
  const { steps = [] } = stepFigures([totals], ["news", "tokens", "chat"], whole);
  const [news, tokens, chat] = steps;
  assert.deepEqual([news.streams?.events, news.streams?.gap.count, news.sockets], [
    3,
    3,
    undefined,
  ]);
  assert.equal(news.streams?.tokens, undefined, "none was named");
  assert.deepEqual([tokens.streams?.events, tokens.streams?.tokens?.tokens], [1, 1]);
  assert.equal(tokens.streams?.messages.dropped, 1, "of the request that was never sent");
  assert.deepEqual([chat.streams, chat.sockets?.messages.received], [undefined, 1]);
  const all = messageFigures([totals], whole);
  assert.deepEqual(
    Object.keys(news.streams?.messages ?? {}).map((fate) =>
      [news, tokens].reduce(
        (sum, { streams }) =>
          sum +
          Number(Object.entries(streams?.messages ?? {}).find(([name]) => name === fate)?.[1]),
        0,
      )
    ),
    Object.values(all.streams?.messages ?? {}),
  );
  assert.deepEqual(all.sockets, chat.sockets);
});

/** The messages of one worker with two requests whose responses are streams, in this order. */
function totalsOf(received: readonly (readonly [step: number, name: string])[]): WorkerTotals {
  const recorder = new StreamingRecorder({ slots: 2, steps: new Set([0, 1]) }, SECOND, () => {});
  const { messages } = recorder;
  for (const step of [0, 1]) messages.begin(step, step, 0);
  received.forEach(([step, name], i) => messages.receive(step, name, (i + 1) * MS));
  for (const slot of [0, 1]) messages.end(slot, "left", SECOND);
  return recorder.finish(SECOND);
}

const WHOLE = { elapsedS: 1, clock: "sent" as const };

function namesIn(totals: readonly WorkerTotals[], step?: number): [name: string, count: number][] {
  const { streams: found } = messageFigures(totals, WHOLE, step);
  assert.equal(found?.byName.reduce((sum, { events }) => sum + events, 0), found?.events);
  return found?.byName.map(({ name, events }) => [name, events]) ?? [];
}

Deno.test("events of one name are summed over requests and workers, in the order of names whoever met which first", () => {
  const one = totalsOf([[1, "tick"], [0, "news"], [0, "tick"], [1, "Ends"], [0, "news"]]);
  const other = totalsOf([[0, "Ends"], [1, "news"], [0, "tick"]]);
  const summed = [["Ends", 2], ["news", 3], ["tick", 3]];
  assert.deepEqual(namesIn([one, other]), summed);
  assert.deepEqual(namesIn([other, one]), summed);
  assert.deepEqual(namesIn([one, other], 0), [["Ends", 1], ["news", 2], ["tick", 2]]);
  assert.deepEqual(namesIn([one, other], 1), [["Ends", 1], ["news", 1], ["tick", 1]]);
  const gaps = messageFigures([one, other], WHOLE).streams?.byName.map(({ gap }) => gap.count);
  assert.deepEqual(gaps, [1, 1, 2], "the first message of each stream has no gap");
});

Deno.test("of more than 20 names those with most events have figures, whoever met which first", () => {
  const often = totalsOf(["often", "often"].map((name) => [0, name]));
  const many = totalsOf(Array.from({ length: 19 }, (_, i) => [1, `name ${i + 10}`]));
  const more = totalsOf([[1, "name 10"], [0, "rare"], [0, "seldom"], [1, ""], [1, "name 28"]]);
  const expected = [
    ["name 10", 2],
    ...Array.from({ length: 17 }, (_, i) => [`name ${i + 11}`, 1]),
    ["name 28", 2],
    ["often", 2],
    ["", 3],
  ];
  assert.deepEqual(namesIn([often, many, more]), expected);
  assert.deepEqual(namesIn([more, many, often]), expected);
});

Deno.test("names of events that differ in a secret alone are one name", () => {
  using _ = secrets.keepWhile([["hunter2-of-one", SECRET], ["hunter2-of-other", SECRET]]);
  const [name, ...others] = namesIn([
    totalsOf([[0, "for hunter2-of-one"], [1, "for hunter2-of-other"]]),
  ]);
  assert.deepEqual([name[1], others], [2, []]);
  assert.doesNotMatch(name[0], /hunter2/);
});

Deno.test("the first table of a report has the messages/s of streams and their times, not how long they were held", () => {
  const text = renderMarkdown(reportModel(streamed()));
  const [head, , row] = text.slice(text.indexOf("### Messages per second")).split("\n")
    .filter((line) => line.startsWith("|"));
  assert.match(
    head,
    /^\| Target \| Messages\/s \| p99 to the first message.* \| p99 between messages/,
  );
  assert.match(row, /^\| hono \| 80\.0 \|/);
  // Beside a scenario of single responses, neither requests nor messages are what all bars show.
  const { runs, ...both } = streamed();
  const single = runs.map(({ streams: _, ...run }) => ({ ...run, scenario: "single" }));
  const mixed = renderMarkdown(reportModel({ ...both, runs: [...runs, ...single] }));
  assert.match(mixed, /^### Throughput$/m);
});

Deno.test("a comparison of streams says that it is of whole ones, and how their messages are compared", () => {
  const side = { ...streamed(), version: "0.1.0" };
  assert.match(
    comparedMarkdown(compareResults(side, side)),
    /as whole streams or WebSockets, however long .*events, hono.*gap\.p99 not worse than baseline/s,
  );
});
