import assert from "node:assert/strict";
import { preflight, SeparatePreflights } from "../../runner/experiment/preflight.ts";
import { TargetError } from "../../base/errors.ts";
import { experimentSpecWith } from "../../scenarios/file/experiment_shape.ts";
import { type Cell, planCells } from "../../scenarios/plan/plan.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
import type { RunningTarget } from "../../targets/launch/launcher.ts";
import { rejected } from "../thrown.ts";

const { signal } = new AbortController();

function cellsOf(scenarios: Record<string, unknown>): Cell[] {
  return planCells(
    experimentSpecWith().parse({
      name: "a",
      targets: { a: { url: "http://127.0.0.1:1" } },
      scenarios,
    }),
  );
}

/** A target that answers with `body`, and what became of it. */
function targetWith(body: string): {
  start: () => Promise<RunningTarget>;
  told: string[];
  asked: string[];
} {
  const told: string[] = [];
  const asked: string[] = [];
  const start = (): Promise<RunningTarget> => {
    told.push("started");
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ({ url }) => {
      told.push("asked");
      asked.push(new URL(url).pathname);
      return new Response(body);
    });
    return Promise.resolve({
      origin: `http://127.0.0.1:${server.addr.port}`,
      pid: null,
      supervised: false,
      startUpMs: null,
      runtime: null,
      readyPath: null,
      exited: new Promise(() => {}),
      lastLines: () => [],
      stop: async () => {
        told.push("stopped");
        await server.shutdown();
      },
    });
  };
  return { start, told, asked };
}

/** The paths that are asked before the scenario is measured. */
async function proved(scenario: Record<string, unknown>): Promise<string[]> {
  const { start, asked } = targetWith("right");
  const [cell] = cellsOf({ a: scenario });
  await new SeparatePreflights(start, {}, signal).checkTarget(cell, scriptOf(cell.request, 0));
  return asked;
}

Deno.test("a cell is proved once, by a process that is stopped, and another cell by another", async () => {
  const { start, told } = targetWith("right");
  const apart = new SeparatePreflights(start, {}, signal);
  const [one, other] = cellsOf({
    one: { get: "/", expect: { body: "right" } },
    other: { get: "/b", expect: { body: "right" } },
  });
  for (const cell of [one, one, other, one, other]) {
    await apart.checkTarget(cell, scriptOf(cell.request, 0));
  }
  assert.deepEqual(told, ["started", "asked", "stopped", "started", "asked", "stopped"]);
});

Deno.test("what was wrong once is wrong at every repetition, and both answers are told", async () => {
  const { start, told } = targetWith("wrong");
  const apart = new SeparatePreflights(start, {}, signal);
  const [cell] = cellsOf({ a: { get: "/", expect: { body: "right" } } });
  for (const _repetition of [1, 2]) {
    const error = await rejected(TargetError, apart.checkTarget(cell, scriptOf(cell.request, 0)));
    assert.match(error.message, /"wrong".*"right"|"right".*"wrong"/);
  }
  assert.deepEqual(told, ["started", "asked", "stopped"]);
});

const MANY = { values: { id: "uuid" } };

Deno.test("of a request with many values the first fifty are proved", async () => {
  const asked = await proved({ get: "/{{ id }}", ...MANY });
  assert.equal(new Set(asked).size, 50);
  assert.equal(asked.length, 50);
});

Deno.test("each request of a mix is proved, however seldom it is asked", async () => {
  const mix = [{ get: "/{{ id }}", weight: 1_000 }, { get: "/seldom" }, { get: "/too" }];
  const asked = await proved({ mix, ...MANY });
  assert.ok(asked.includes("/seldom") && asked.includes("/too"));
  assert.ok(asked.length >= 50 && asked.length <= 52, `${asked.length}`);
});

Deno.test("of a flow the ways of the first visitors are proved, as far as fifty requests go", async () => {
  const flow = [{ get: "/a/{{ id }}" }, { think: "1h" }, { get: "/b/{{ id }}" }, { get: "/c" }];
  const asked = await proved({ flow, ...MANY });
  assert.equal(asked.length, 48);
  assert.equal(new Set(asked.filter((path) => path.startsWith("/b/"))).size, 16);
  assert.equal(asked[0].slice(3), asked[1].slice(3));
});

Deno.test("where nothing can be captured from an answer, it is told", async () => {
  const flow = [{ get: "/", capture: { t: { json: "token" } } }, { get: "/{{ t }}" }];
  await assert.rejects(
    proved({ flow }),
    /GET \/ got a response without the value for "t": got 200 with body "right"$/,
  );
});

Deno.test("of a target that ends while it is proved, its end and last lines are told", async () => {
  const [cell] = cellsOf({ a: { get: "/crash" } });
  const target: RunningTarget = {
    origin: "http://127.0.0.1:1",
    pid: 1,
    supervised: false,
    startUpMs: null,
    runtime: null,
    readyPath: null,
    exited: Promise.resolve({ code: 7, signal: null }),
    lastLines: () => ["boom at /crash"],
    stop: () => Promise.resolve(),
  };
  const script = scriptOf(cell.request, 0);
  const error = await rejected(TargetError, preflight({ cell, target, script }, signal));
  assert.match(error.message, /GET \/crash got no response: .*; it exited with code 7$/);
  assert.deepEqual(error.evidence, ["boom at /crash"]);
});

Deno.test("what is captured to prove who asks is shown in no message about what follows", async () => {
  const { start } = targetWith('{"key":"captured-canary"}');
  const [cell] = cellsOf({
    a: {
      flow: [
        { post: "/login", capture: { key: { json: "key" } } },
        { get: "/me", headers: { authorization: "Bearer {{ key }}" }, expect: { body: "other" } },
      ],
    },
  });
  const error = await rejected(
    TargetError,
    new SeparatePreflights(start, {}, signal).checkTarget(cell, scriptOf(cell.request, 0)),
  );
  assert.match(error.message, /expected body "other", got "\{\\"key\\":\\"\[secret\]\\"\}"$/);
});
