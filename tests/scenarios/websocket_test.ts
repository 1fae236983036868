/** The keys of a WebSocket in an experiment file: what they become, and what can't stand beside them. */
import assert from "node:assert/strict";
import { UserError } from "../../base/errors.ts";
import { NO_FILES } from "../../base/files.ts";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { scenarioSpecWith } from "../../scenarios/request/scenario.ts";
import { scriptOf } from "../../scenarios/request/script.ts";

const spec = scenarioSpecWith(NO_FILES);

const FILE = {
  ...{ name: "x", targets: { a: { url: "http://127.0.0.1:1" } } },
  load: { connections: 1, duration: "1s" },
};

/** Each with its place, below the scenario. */
function problemsOf(scenario: object): string[] {
  try {
    parseExperiment(JSON.stringify({ ...FILE, scenarios: { s: scenario } }), "x.json");
    return [];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.problems.map(({ place, message }) => `${place} ${message}`);
  }
}

Deno.test("a WebSocket of one line is a request with what is sent on it", () => {
  const scenario = spec.parse({
    ...{ websocket: "/ws", send: { every: "100ms", text: "n={{ n }}" } },
    ...{ expect: "echo", hold: "5s" },
  });
  const script = scriptOf(scenario, 1);
  assert.ok(script.kind === "requests");
  const [{ wire, socket }] = script.requests;
  assert.deepEqual([wire.method, wire.path, wire.body], ["GET", "/ws", "n={{ n }}"]);
  assert.deepEqual(socket, {
    ...{ send: { everyMs: 100, isText: true }, answer: "echo", holdMs: 5_000 },
    ...{ subprotocols: [], deflate: false },
  });
});

Deno.test("without expect, what sends expects an echo and what does not a push", () => {
  const answers = [{}, { send: { text: "x" } }].map((keys) => {
    const script = scriptOf(spec.parse({ websocket: "/ws", ...keys }), 1);
    return script.kind === "requests" && script.requests[0].socket?.answer;
  });
  assert.deepEqual(answers, ["push", "echo"]);
});

Deno.test("values stand in messages as their form needs it, and numbers stay for later", () => {
  const script = scriptOf(
    spec.parse({
      ...{ websocket: "/ws?user={{ user }}", values: { user: { pick: ['"a b"'] } } },
      send: { json: { user: "{{ user }}", n: "{{ n }}" } },
    }),
    1,
  );
  assert.ok(script.kind === "requests");
  const [{ wire }] = script.requests;
  assert.deepEqual([wire.path, wire.body], [
    "/ws?user=%22a%20b%22",
    String.raw`{"user":"\"a b\"","n":"{{ n }}"}`,
  ]);
});

const PROBLEMS: readonly (readonly [object, RegExp])[] = [
  [{ get: "/", send: { text: "x" } }, /send.*Cannot use send without a WebSocket/],
  [{ get: "/", expect: "echo" }, /expect.*Cannot expect echo, push, order/],
  [{ get: "/", websocket: "/" }, /Cannot send one request with two methods/],
  [{ websocket: "/", body: "x" }, /body.*Cannot use body with a WebSocket/],
  [{ websocket: "/", stream: "lines" }, /stream.*Cannot use stream with a WebSocket/],
  [{ websocket: "/", send: {} }, /send.*Cannot send an empty message/],
  [{ websocket: "/", send: { text: "x", binary: "eA==" } }, /send\.binary.*Cannot send both text/],
  [{ websocket: "/", send: { binary: "?" } }, /send\.binary.*/],
  [{ websocket: "/", send: { text: "{{ who }}" } }, /send.*Cannot fill in \{\{ who \}\}/],
  [{ websocket: "/{{ n }}" }, /websocket.*Cannot fill in \{\{ n \}\}/],
  [{ websocket: "/", expect: "order" }, /expect.*Cannot expect an answer when nothing is sent/],
  [{ websocket: "/", expect: { status: 200 } }, /expect\.status.*Cannot expect a status other/],
  [{ websocket: "/", subprotocol: "a b" }, /subprotocol: Cannot use/],
  [
    { websocket: "/", headers: { "Sec-WebSocket-Key": "x" } },
    /headers\.Sec-WebSocket-Key.*Cannot set this header field/,
  ],
  [
    { flow: [{ websocket: "/", capture: { a: { json: "a" } } }] },
    /flow\.0\.capture\.a.*Cannot capture a value from a WebSocket/,
  ],
];

Deno.test("what a WebSocket cannot have is said at its place", () => {
  for (const [scenario, expected] of PROBLEMS) {
    const found = problemsOf(scenario);
    assert.ok(found.some((one) => expected.test(one)), `${expected}: ${JSON.stringify(found)}`);
  }
});

Deno.test("of a load a WebSocket has neither HTTP/2 nor pipelines, nor a number or a capacity without hold", () => {
  const experiment = (load: string, hold = ""): string =>
    `name: x\ntargets: { a: { url: "http://127.0.0.1:1" } }\n` +
    `scenarios: { s: { websocket: /ws${hold} } }\nload: { connections: 1, ${load} }\n`;
  for (
    const [load, expected] of [
      ["duration: 1s, http2: true", /over HTTP\/2 \(RFC 8441\)/],
      ["duration: 1s, pipeline: 2", /becomes a WebSocket/],
      ["requests: 5", /has no hold/],
      ["capacity: { within: p99 < 2s }", /capacity with WebSockets that stay open.*write hold/],
    ] as const
  ) {
    assert.throws(() => parseExperiment(experiment(load), "x.yaml"), expected);
  }
  parseExperiment(experiment("requests: 5", ", hold: 1s"), "x.yaml");
  parseExperiment(experiment("capacity: { within: p99 < 2s }", ", hold: 1s"), "x.yaml");
});

Deno.test("a flow opens a WebSocket with the cookies and values that came before", () => {
  const script = scriptOf(
    spec.parse({
      cookies: { session: "s1" },
      flow: [
        { post: "/login", capture: { token: { json: "token" } } },
        {
          websocket: "/ws",
          send: { text: "{{ token }} {{ n }}" },
          headers: { "x-t": "{{ token }}" },
        },
      ],
    }),
    1,
  );
  assert.ok(script.kind === "flow");
  const step = script.steps[1];
  assert.ok(step.kind === "request" && step.socket);
  assert.deepEqual([step.wire.body, step.wire.headers["x-t"]], [
    "{{ token }} {{ n }}",
    "{{ token }}",
  ]);
});
