/** The resources of a page, of which a virtual user fetches several at a time. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { loadEngine } from "../../base/pattern.ts";
import { UserSlots } from "../../runner/load/engine/job.ts";
import type { StepSpec } from "../../runner/load/engine/flow.ts";
import { forAll } from "../for_all.ts";
import { happenings, Playing } from "./playing.ts";
import { ask, type SessionStage, sessionStage } from "./session_stage.ts";
import { CLOSING, opened, play, received, SECOND, tick } from "./stage.ts";

await loadEngine();

/** A page and its resources. */
function pageOf(resources: number, wish: Parameters<typeof ask>[0] = {}): StepSpec[] {
  const resource = (at: number): StepSpec => {
    const wire = { method: "GET", path: `/${at}`, headers: {}, body: null };
    return ask({ ...wish, wire, beside: true });
  };
  return [ask(), ...Array.from({ length: resources }, (_, at) => resource(at + 1))];
}

/** One virtual user, alone. */
function alone(steps: readonly StepSpec[], lanes: number): SessionStage {
  return sessionStage({ steps, job: { connections: 1, lanes } });
}

Deno.test("resources are fetched when their page is there, as many at a time as there are connections", () => {
  const s = alone(pageOf(5), 3);
  play(s, tick(0), opened(0, 100));
  assert.deepEqual(s.driver.take(), ["connect 0", "send 0"]);
  play(s, received(0, 1_000));
  assert.deepEqual(s.driver.take(), ["send 0", "connect 1", "connect 2"]);
  play(s, opened(2, 1_100), opened(1, 1_200));
  assert.deepEqual(s.driver.take(), ["send 2", "send 1"]);
  play(s, received(1, 2_000), received(1, 2_500));
  assert.deepEqual(s.driver.take(), ["send 1", "send 1"]);
  const paths = s.driver.sent.map((text) => text.split(" ")[1]);
  assert.deepEqual(paths, ["/", "/1", "/3", "/2", "/4", "/5"]);
});

Deno.test("a page takes until its last resource is there", () => {
  const s = alone(pageOf(3), 6);
  play(s, tick(0), opened(0, 0), received(0, 1_000), opened(1, 1_100), opened(2, 1_100));
  play(s, received(1, 5_000), received(0, 2_000));
  assert.deepEqual(s.sessions.totals().completed, 0);
  play(s, received(2, 9_000));
  const { sessions, lengthUs, totals } = s.end(1_010_000);
  assert.deepEqual([sessions, lengthUs, totals.completed], [[1, 1, 0], 9_000, 4]);
});

Deno.test("what follows the resources waits for the last of them", () => {
  const s = alone([...pageOf(2), ask()], 2);
  play(s, tick(0), opened(0, 0), received(0, 10), opened(1, 20), received(0, 30));
  s.driver.take();
  s.loop.onTick(10_000);
  assert.deepEqual(s.driver.take(), []);
  play(s, received(1, 20_000));
  assert.deepEqual(s.driver.take(), ["send 0"]);
});

Deno.test("a resource that fails ends the session when the others are there, and no other begins", () => {
  const s = alone(pageOf(4), 2);
  play(s, tick(0), opened(0, 0), received(0, 10), opened(1, 20));
  s.loop.onEnd(1, "connection reset", 30);
  s.driver.take();
  assert.equal(s.sessions.totals().failed, 0);
  play(s, received(0, 5_000));
  const { totals, sessions, lengthUs } = s.end(1_010_000);
  assert.deepEqual([totals.due, totals.completed, totals.failed], [3, 2, 1]);
  assert.deepEqual([sessions, lengthUs], [[1, 0, 1], 5_000]);
});

Deno.test("a resource whose connection closed is followed by another on a new one", () => {
  const s = alone(pageOf(4), 2);
  play(s, tick(0), opened(0, 0), received(0, 10), opened(1, 20));
  s.driver.take();
  play(s, received(1, 30, CLOSING));
  assert.deepEqual(s.driver.take(), ["close 1", "connect 1"]);
});

Deno.test("a redirect of one resource leads the others nowhere", () => {
  const s = alone(pageOf(2, { follow: { most: 2, step: 0 } }), 2);
  play(s, tick(0), opened(0, 0), received(0, 10), opened(1, 20));
  const moved = new TextEncoder().encode(
    "HTTP/1.1 302 Found\r\nLocation: /moved\r\nContent-Length: 0\r\n\r\n",
  );
  play(s, received(1, 30, moved), received(0, 40));
  assert.deepEqual(s.driver.sent.map((text) => text.split(" ")[1]), ["/", "/1", "/2", "/moved"]);
  play(s, received(1, 50));
  assert.deepEqual(s.end(1_010_000).sessions, [1, 1, 0]);
});

Deno.test("nothing leaves the data, whatever happens to the connections of a page", () => {
  forAll([happenings], (happened) => {
    const s = sessionStage({
      steps: [...pageOf(5), { kind: "think", us: 20_000 }, ask()],
      perSec: 20,
      job: { connections: 2, lanes: 2, timeoutUs: 100_000 },
    });
    const playing = new Playing(s.loop, s.driver);
    playing.tick();
    for (const happening of happened) playing.play(happening);
    playing.nowUs = Math.max(playing.nowUs, SECOND);
    for (let ticks = 0; !playing.isOver && ticks < 10_000; ticks++) {
      playing.nowUs += 10_000;
      playing.tick();
    }
    assert.ok(playing.isOver);
    const { sessions: [created, completed, failed], totals } = s.end(playing.nowUs);
    assert.ok(completed + failed <= created);
    assert.equal(totals.due, totals.completed + totals.failed + totals.unfinished + totals.dropped);
  });
});

Deno.test("every lane of every user has a slot of its own at each host, on its host's connections", () => {
  forAll([
    fc.integer({ min: 1, max: 5 }),
    fc.integer({ min: 1, max: 4 }),
    fc.integer({ min: 1, max: 3 }),
    fc.boolean(),
  ], (connections, lanes, hosts, http2) => {
    const elsewhere = Array.from({ length: hosts - 1 }, () => ({ hostname: "a", port: 1 }));
    const job = { connections, elsewhere, ...http2 ? { streams: lanes } : { lanes } };
    const slots = new UserSlots({ ...alone([ask()], 1).job, ...job });
    const seen = new Set<number>();
    for (let place = 0; place < connections; place++) {
      for (let lane = 0; lane < lanes; lane++) {
        for (let host = 0; host < hosts; host++) {
          const slot = slots.slotOf(place, lane, host);
          assert.deepEqual([slot % connections, slots.laneOf(slot)], [place, lane]);
          // As drivers divide them: over HTTP/2 by connection, each of which has one stream for each lane.
          const connection = slot % (connections * hosts);
          const at = http2
            ? Math.floor(connection / connections)
            : Math.floor(slot / (connections * lanes));
          assert.equal(at, host);
          seen.add(slot);
        }
      }
    }
    assert.deepEqual([seen.size, Math.max(...seen)], [slots.count, slots.count - 1]);
  });
});
