/** The news of the app `streams`: everybody gets the same, in order, and it is published only while somebody listens. */
import assert from "node:assert/strict";
import { News } from "../../targets/apps/streams/news.ts";
import { hearOn } from "../../targets/apps/streams/sockets.ts";
import { startApp } from "./fixtures/started_app.ts";

const NO_FREEZES = { startMs: 0, lengthMs: 0, everyMs: 0 };

function numberIn(news: string): number {
  return JSON.parse(news).n;
}

/** The numbers of the next news. @param count How many. */
function heardFrom(news: News, count: number): Promise<number[]> {
  const heard: number[] = [];
  return new Promise((resolve) => {
    const leave = news.listen((text) => {
      heard.push(numberIn(text));
      if (heard.length < count) return;
      leave();
      resolve(heard);
    });
  });
}

Deno.test("all listeners hear the same news, each once and in order", async () => {
  const news = new News(10, { ...NO_FREEZES, startMs: performance.now() });
  const [one, other] = await Promise.all([heardFrom(news, 5), heardFrom(news, 5)]);
  assert.deepEqual(one, other);
  assert.deepEqual(one, one.map((_, i) => one[0] + i));
  assert.ok(numberIn(news.latest) >= one[4], "who polls finds what was heard");
  const [again] = await heardFrom(news, 1);
  assert.ok(again > one[4], "published by the clock, also while nobody listened");
});

Deno.test("news that is due while the server stands still is published at the end of it", () => {
  const startMs = performance.now() - 1_500;
  const late = new News(100, { startMs, lengthMs: 1_000, everyMs: 1_000_000 });
  assert.ok(numberIn(late.latest) >= 15);
  const still = new News(150, { startMs, lengthMs: 1_000_000, everyMs: 1_001_000 });
  assert.equal(numberIn(still.latest), 6);
});

Deno.test("the news comes as a line to who polls, and as events to who listens", async () => {
  await using app = await startApp("streams", { news: "10ms" });
  const polled = await app.ask("/news");
  assert.equal(polled.headers.get("content-type"), "application/x-ndjson");
  const line = await polled.text();
  assert.match(line, /^\{"n":\d+,"headline":.*\}\n$/);
  const { body, headers } = await app.ask("/news/events");
  assert.equal(headers.get("content-type"), "text/event-stream");
  const reader = body?.getReader();
  assert.ok(reader);
  const texts: string[] = [];
  while (texts.length < 3) {
    const { value } = await reader.read();
    texts.push(new TextDecoder().decode(value));
  }
  await reader.cancel();
  const numbers = texts.map((text) => numberIn(text.slice("data: ".length)));
  assert.deepEqual(numbers, numbers.map((_, i) => numbers[0] + i));
  const { begun, left } = await (await app.ask("/sent")).json();
  assert.deepEqual([begun, left], [1, 1]);
});

Deno.test("a listener on a WebSocket who does not read is left, too", async () => {
  const news = new News(1, { ...NO_FREEZES, startMs: performance.now() });
  const closed: unknown[][] = [];
  let sent = 0;
  await new Promise<void>((resolve) => {
    const socket = {
      bufferedAmount: 0,
      close(...how: unknown[]): void {
        closed.push(how);
        resolve();
      },
    };
    hearOn(socket, news, () => socket.bufferedAmount = 40_000 * ++sent);
  });
  await heardFrom(news, 2);
  assert.deepEqual([sent, closed], [2, [[1013, "fallen behind"]]]);
});

Deno.test("what a listener throws is not swallowed, and the end of a wait is no error", async () => {
  const thrown: unknown[] = [];
  const onRejection = (event: PromiseRejectionEvent): void => {
    event.preventDefault();
    thrown.push(event.reason);
  };
  addEventListener("unhandledrejection", onRejection);
  try {
    const news = new News(1, { ...NO_FREEZES, startMs: performance.now() });
    const defect = new Error("a defect of a listener");
    const leave = await new Promise<() => void>((resolve) => {
      const leave = news.listen(() => {
        resolve(leave);
        throw defect;
      });
    });
    leave();
    const idle = new News(1_000_000, { ...NO_FREEZES, startMs: performance.now() });
    idle.listen(() => {})();
    while (thrown.length === 0) await new Promise((resolve) => setTimeout(resolve));
    await new Promise((resolve) => setTimeout(resolve));
    assert.deepEqual(thrown, [defect]);
  } finally {
    removeEventListener("unhandledrejection", onRejection);
  }
});

Deno.test("a listener who does not read is left, and memory does not grow for him", async () => {
  await using app = await startApp("streams", { news: "10ms" });
  const { body } = await app.ask("/news/events");
  const reader = body?.getReader();
  assert.ok(reader);
  const cut = async (): Promise<number> => (await (await app.ask("/sent")).json()).cut;
  while (await cut() === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  await assert.rejects(reader.closed, /fallen behind/);
});
