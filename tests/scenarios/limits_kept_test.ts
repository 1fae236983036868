/** Each limit by what it guards: what is at it works, one beyond ends with its line, before memory is spent. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { deflateSync } from "node:zlib";
import { agentJob } from "../../runner/fleet/protocol/agent_message.ts";
import { scriptShape } from "../../runner/fleet/protocol/job_schema.ts";
import { KeptRoom } from "../../base/http/kept.ts";
import { BROKEN, COMPLETE, ResponseReader } from "../../base/http/response.ts";
import { decodeSparse, encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { type LimitName, LIMITS, oneMoreThan, shortened } from "../../base/limits.ts";
import { parseJson } from "../../base/yaml/json_text.ts";
import { findingsOf } from "../../base/problems.ts";
import { planBlocks } from "../../scenarios/plan/plan.ts";
import { requestScenarioSpec } from "../../scenarios/request/request_scenario.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
import { YamlText } from "../../base/yaml/yaml_text.ts";
import { octetsOf } from "../http/feed.ts";
import { sending } from "../fleet/jobs.ts";
import { benchOf } from "../cli/command_line.ts";

/** Does what the limit is about with so many; throws beyond it. */
type Use = (count: number) => unknown;

const EXPERIMENT = "name: a\ntargets: { a: { url: http://a } }\nscenarios: { a: { get: / } }\n";

function plan(text: string): unknown {
  return planBlocks(parseExperiment(text, "a.yaml"), { seed: 1 });
}

function list(count: number, item: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => item(at)).join(", ");
}

function answered(wire: string, options = {}): void {
  const reader = new ResponseReader({ retain: true, ...options });
  reader.begin(false);
  const bytes = octetsOf(wire);
  reader.read(bytes, 0, bytes.length);
  if (reader.state === BROKEN) throw new Error(reader.reason);
  assert.equal(reader.state, COMPLETE);
}

function header(chars: number): string {
  return `HTTP/1.1 204 No\r\na: ${"b".repeat(chars - 24)}\r\n\r\n`;
}

function scenario(get: string, rest = ""): string {
  return EXPERIMENT.replace("{ get: / }", `{ get: ${get}${rest} }`);
}

const full = (() => {
  const histogram = new Histogram();
  for (let at = 0; at < 100_000; at++) histogram.record(at * at % 3_600_000_000);
  return encodeHistogram(histogram.toSparse());
})();

/** A histogram that inflates to so many bytes, of which the last ones are empty buckets. */
function inflating(bytes: number): string {
  const plain = Buffer.alloc(bytes);
  plain.writeUInt32BE(0x1c849313, 0);
  plain.writeUInt32BE(0, 4);
  plain.writeUInt32BE(3, 12);
  plain.writeBigUInt64BE(3_600_000_000n, 24);
  const compressed = deflateSync(plain);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(0x1c849314, 0);
  return Buffer.concat([head, compressed]).toString("base64");
}

const USES: readonly (readonly [LimitName, Use])[] = [
  ["experimentFile", (size) => new YamlText(`# ${"a".repeat(size - 2)}`, "a.yaml")],
  ["yamlTokens", (count) => new YamlText("\n".repeat(count), "a.yaml")],
  ["yamlAliases", (count) => new YamlText(`[${list(count, (at) => `&a${at} 1`)}]`, "a.yaml")],
  ["nesting", (levels) => new YamlText("[".repeat(levels) + "]".repeat(levels), "a.yaml")],
  ["nesting", (levels) => new YamlText(`${"- ".repeat(levels)}a`, "a.yaml")],
  ["nesting", (levels) => parseJson("[".repeat(levels) + "]".repeat(levels))],
  ["name", (count) => plan(EXPERIMENT.replace("name: a", `name: ${"a".repeat(count)}`))],
  [
    "targets",
    (count) =>
      plan(EXPERIMENT.replace(
        "{ a: {",
        `{ ${list(count, (at) => `t${at}: { url: "http://a" }`)} } # {`,
      )),
  ],
  [
    "scenarios",
    (count) =>
      plan(
        EXPERIMENT.replace("{ a: { get", `{ ${list(count, (at) => `s${at}: { get: / }`)} } # {`),
      ),
  ],
  [
    "steps",
    (count) =>
      plan(EXPERIMENT.replace(
        "{ get: / }",
        `{ flow: [{ get: / }, ${list(count - 1, () => "{ think: 1s }")}] }`,
      )),
  ],
  [
    "factorValues",
    (count) => plan(`${EXPERIMENT}load: { connections: [${list(count, (at) => `${at + 1}`)}] }`),
  ],
  [
    "runs",
    (count) =>
      plan(
        `${EXPERIMENT}repeat: ${Math.ceil(count / 100)}\nload: { duration: 1s, connections: [${
          list(100, (at) => `${at + 1}`)
        }] }`,
      ),
  ],
  ["thresholds", (count) => plan(`${EXPERIMENT}thresholds: [${list(count, () => "p99 < 1s")}]`)],
  [
    "claims",
    (count) => plan(`${EXPERIMENT}claims: [${list(count, () => "rate(target=a) > 1/s")}]`),
  ],
  ["connections", (count) => benchOf("http://a/", "-c", `${count}`)],
  ["pipeline", (count) => benchOf("http://a/", "--pipeline", `${count}`)],
  ["requests", (count) => benchOf("http://a/", "-n", `${count}`)],
  ["workers", (count) => benchOf("http://a/", "-w", `${count}`)],
  ["ratePerSec", (count) => benchOf("http://a/", "-r", `${count}/s`)],
  ["phases", (count) => benchOf("http://a/", "--phases", Array(count).fill("1s@1/s").join(","))],
  ["intervals", (count) => benchOf("http://a/", "-d", `${count * 0.05}s`, "--interval", "50ms")],
  [
    "runHours",
    (hours) =>
      plan(
        `${EXPERIMENT}interval: 1m\nload: { phases: [{ duration: ${
          hours - 1
        }h, arrivals: 1/s }, { pause: 1h }] }`,
      ),
  ],
  ["path", (chars) => scriptShape.parse(sending({ path: `/${"a".repeat(chars - 1)}` }))],
  ["path", (chars) => plan(scenario(`/${"a".repeat(chars - 1)}`))],
  [
    "fields",
    (count) =>
      benchOf("http://a/", ...Array.from({ length: count }, (_, at) => ["-H", `a${at}: b`]).flat()),
  ],
  ["fieldValue", (chars) => plan(scenario("/", `, headers: { a: ${"a".repeat(chars)} }`))],
  ["responseHead", (bytes) => answered(header(bytes))],
  ["interimResponses", (count) => answered("HTTP/1.1 100 Go\r\n\r\n".repeat(count) + header(30))],
  ["histogramBytes", (bytes) => decodeSparse(inflating(bytes))],
  ["captures", (count) => scriptShape.parse(capturing(count))],
  [
    "fleetWorkers",
    (count) => agentJob.shape.assigned.parse({ firstWorker: 0, workers: count, own: 1 }),
  ],
];

function capturing(count: number): unknown {
  const captures = Array(count).fill({ as: "a", from: { kind: "header", name: "b" } });
  const step = {
    kind: "request",
    step: 0,
    wire: { method: "GET", path: "/", headers: {}, body: null },
    expect: {},
    captures,
    follow: null,
  };
  return { kind: "requests", stepNames: [], requests: [step], sequence: [0] };
}

for (const [name, use] of USES) {
  Deno.test(
    `${LIMITS[name].what} may have as much as its limit says (${name}, ${use}), and no more`.slice(
      0,
      100,
    ),
    async () => {
      await use(LIMITS[name].most);
      await assert.rejects(async () => await use(oneMoreThan(name)));
    },
  );
}

Deno.test("lists that multiply are counted before a cell is built", () => {
  const values = `[${list(10, (at) => `${at}`)}]`;
  const env = list(9, (at) => `V${at}: ${values}`);
  const text = EXPERIMENT.replace("{ url: http://a }", `{ command: [x], env: { ${env} } }`);
  assert.throws(
    () => plan(text),
    /^UserError: plan: Cannot run this: an experiment has 1,000,000,000 cells; the limit is 10,000/,
  );
  const phases = list(9, () => `{ duration: [${list(10, (at) => `${at + 1}s`)}], arrivals: 1/s }`);
  assert.throws(
    () => plan(`${EXPERIMENT}load: { phases: [${phases}] }`),
    /Cannot use these phases: an experiment has more than 10,000 cells, the limit/,
  );
});

Deno.test("a large body is not written once for each of a thousand random values", () => {
  const text = EXPERIMENT.replace(
    "get: /",
    `post: "/{{ a }}", body: ${"b".repeat(900_000)}, values: { a: uuid }`,
  );
  const { scenarios } = parseExperiment(text, "a.yaml");
  assert.throws(
    () => scriptOf(scenarios.a, 1),
    /a scenario with all its values filled in has 900,\d+,\d+ characters/,
  );
});

Deno.test("a body is no larger than its limit, in the bytes that are sent", () => {
  const told = (body: object): string[] => {
    const data = { post: "/", ...body };
    const { error } = requestScenarioSpec.safeParse(data);
    return findingsOf(error?.issues ?? [], data).map(({ path, message }) => `${path}: ${message}`);
  };
  const most = "é".repeat(LIMITS.body.most / 2);
  const why = "Cannot send this body: the body of a request is";
  assert.deepEqual(told({ body: most }), []);
  assert.deepEqual(told({ body: `${most}a` }), [
    `body: ${why} larger than 64 MB, the limit`,
  ]);
  assert.deepEqual(told({ json: `${most}${"a".repeat(1_000_000)}` }), [
    `json: ${why} 65 MB; the limit is 64 MB`,
  ]);
  assert.deepEqual(told({ form: { a: most.slice(0, LIMITS.body.most / 5) } }), [
    `form: ${why} 76.8 MB; the limit is 64 MB`,
  ]);
});

Deno.test("what is kept of all answers has one room, which bodies give back when it is scarce", () => {
  const keptRoom = new KeptRoom(100_000);
  const wire = (bytes: number): string =>
    `HTTP/1.1 200 OK\r\ncontent-length: ${bytes}\r\n\r\n${"a".repeat(bytes)}`;
  const readers = Array.from({ length: 3 }, () => new ResponseReader({ retain: true, keptRoom }));
  const stateOf = (reader: ResponseReader, bytes: number): string | number => {
    reader.begin(false);
    const octets = octetsOf(wire(bytes));
    reader.read(octets, 0, octets.length);
    return reader.reason || reader.state;
  };
  assert.deepEqual(readers.map((reader) => stateOf(reader, 40_000)), [
    COMPLETE,
    COMPLETE,
    "the body is larger than checks can keep: 64 MB per body, 256 MB per worker",
  ]);
  assert.equal(stateOf(readers[0], 10), COMPLETE);
  assert.equal(stateOf(readers[2], 40_000), COMPLETE);
});

Deno.test("a body that is kept is no longer than its limit", () => {
  const wire = (bytes: number): string =>
    `HTTP/1.1 200 OK\r\ncontent-length: ${bytes}\r\n\r\n${"a".repeat(bytes)}`;
  answered(wire(1_000), { maxKeptBytes: 1_000 });
  assert.throws(
    () => answered(wire(1_001), { maxKeptBytes: 1_000 }),
    /larger than checks can keep/,
  );
});

Deno.test("a message has as many lines, of as many characters, as somebody reads", () => {
  const lines = Array(LIMITS.problems.most).fill("a");
  assert.deepEqual(shortened(lines), lines);
  assert.deepEqual(shortened([...lines, "b", "c"]), [...lines, "and 2 more lines"]);
  assert.equal(shortened(["a".repeat(1e6)])[0].length, LIMITS.problemText.most);
});

Deno.test("the largest histogram that there can be is far within its limits", () => {
  assert.ok(decodeSparse(full).count === 100_000 && full.length < LIMITS.histogramText.most / 2);
  assert.throws(
    () => decodeSparse("A".repeat(oneMoreThan("histogramText"))),
    /a histogram has more than 400,000 characters, the limit/,
  );
});
