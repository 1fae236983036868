/** The loads of other tools, run here, as a server sees them. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { needing, testWith } from "../needs.ts";
import { emptyFolder, type Ended, exits, plateau } from "./plateau.ts";
import { type Recorded, type Recorder, startRecorder } from "./recorder.ts";
import { startWitness } from "./witness.ts";

const withCurl = needing("curl");

interface Sent {
  readonly line?: string;
  readonly fields?: readonly string[];
  readonly body?: string;
  readonly requests: number;
  readonly connections: number;
}

/**
 * What the tools sent of these command lines, but for Host and User-Agent: autocannon 9.0.0, hey 0.1.5,
 * ab 2.3 (but for its version of HTTP, and the close that follows from it), curl 7.88.1.
 */
const SENT: readonly (readonly [commandLine: string, sent: Sent])[] = [
  ["hey -n 22 -c 4 URL", {
    ...{
      requests: 20,
      connections: 4,
      fields: ["accept-encoding: gzip", "content-type: text/html"],
    },
  }],
  ["hey -n 8 -c 4 -m POST -d hello -T text/plain -disable-keepalive -disable-compression URL", {
    ...{ requests: 8, connections: 8, line: "POST /a?b=1 HTTP/1.1", body: "hello" },
    fields: ["connection: close", "content-length: 5", "content-type: text/plain"],
  }],
  ["ab -n 12 -c 3 URL", {
    ...{ requests: 12, connections: 12, fields: ["accept: */*", "connection: close"] },
  }],
  ["ab -k -n 12 -c 3 -C a=b -H 'X-A: b' -A u:p URL", {
    ...{ requests: 12, connections: 3 },
    fields: [
      ...["accept: */*", "authorization: Basic dTpw", "connection: Keep-Alive", "cookie: a=b"],
      "x-a: b",
    ],
  }],
  ["autocannon -c 3 -a 12 -m POST -H a=b=c -b '{}' URL", {
    ...{ requests: 12, connections: 3, line: "POST /a?b=1 HTTP/1.1", body: "{}" },
    fields: ["a: b=c", "connection: keep-alive", "content-length: 2"],
  }],
];

for (const [commandLine, sent] of SENT) {
  Deno.test(`bench --like sends what ${commandLine} sent`, async () => {
    await using recorder = startRecorder();
    const like = commandLine.replace("URL", `'${recorder.origin}/a?b=1'`);
    await exits(0, ["bench", "-q", "--like", like]);
    assertSent(recorder, sent);
  });
}

Deno.test("bench --like asks curl's request as often as it is told to", async () => {
  await using recorder = startRecorder();
  const like = `curl '${recorder.origin}/a?b=1' -H 'X-A: b' -d a=b -d c=d --compressed`;
  const args = ["bench", "-q", "--like", like, "-n", "6", "-c", "2"];
  assert.equal((await plateau(args)).code, 0);
  assertSent(recorder, {
    ...{ requests: 6, connections: 2, line: "POST /a?b=1 HTTP/1.1", body: "a=b&c=d" },
    fields: [
      ...["accept-encoding: deflate, gzip, br, zstd", "accept: */*", "content-length: 7"],
      ...["content-type: application/x-www-form-urlencoded", "x-a: b"],
    ],
  });
});

function assertSent(recorder: Recorder, sent: Sent): void {
  const { requests, connections, line = "GET /a?b=1 HTTP/1.1", fields = [], body = "" } = sent;
  const [first] = recorder.requests;
  const host = `host: ${recorder.origin.slice("http://".length)}`;
  assert.deepEqual(first, { line, fields: [...fields, host].sort(), body });
  assert.equal(new Set(recorder.requests.map((one) => JSON.stringify(one))).size, 1);
  assert.equal(recorder.requests.length, requests);
  assert.equal(recorder.connections(), connections);
}

withCurl.test("bench --like asks for what curl asks for, however its URL is written", async () => {
  const urls = ["/a/../b", "--path-as-is /a/../b", "-g /{a}[1]", "/?q='a'", "/a\\\\b#c"];
  for (const url of urls) {
    const lineOf = async (run: (line: string) => Promise<unknown>): Promise<string> => {
      await using recorder = startRecorder();
      await run(`curl -s ${url.replace(/(\S*)$/, (path) => `"${recorder.origin}${path}"`)}`);
      return recorder.requests[0].line;
    };
    const curls = await lineOf((line) =>
      new Deno.Command("sh", { args: ["-c", line], stdout: "null" }).output()
    );
    const ours = await lineOf((line) => plateau(["bench", "-q", "--like", line, "-n", "1"]));
    assert.equal(ours, curls);
  }
});

testWith(["wrk"], "bench --like sends what wrk sends, on as many connections", async () => {
  const line = "-t 1 -c 3 -d 1s -H 'X-A: b' --latency";
  const seen = async (run: (url: string) => Promise<unknown>): Promise<[Recorded, number]> => {
    await using recorder = startRecorder();
    await run(`${recorder.origin}/a/../b?c={"d"}`);
    const [{ line, fields, body }] = recorder.requests;
    const others = fields.filter((field) => !field.startsWith("host:"));
    return [{ line, fields: others, body }, recorder.connections()];
  };
  const [wrks, wrkConnections] = await seen((url) => {
    const args = ["-t", "1", "-c", "3", "-d", "1s", "-H", "X-A: b", url];
    return new Deno.Command("wrk", { args, stdout: "null" }).output();
  });
  const [ours, connections] = await seen((url) =>
    plateau(["bench", "-q", "--like", `wrk ${line} '${url}'`])
  );
  assert.deepEqual(ours, wrks);
  assert.equal(connections, wrkConnections - 1); // wrk tries one before it begins
});

Deno.test("bench --like says what the tool would have left out", async () => {
  await using witness = startWitness({ delayMs: 300 });
  const like = `wrk -c 2 -t 1 -d 1s ${witness.origin}/`;
  const { stderr } = await exits(0, ["bench", "--like", like]);
  assert.match(
    stderr,
    /^wrk's latencies would not have included 2 requests in flight at the end$/m,
  );
});

Deno.test("bench --like sends nothing where the tool's requests are others", async () => {
  await using recorder = startRecorder();
  const like = `curl --digest -u a:b ${recorder.origin}/`;
  const { stderr } = await exits(2, ["bench", "-q", "--like", like]);
  assert.match(
    stderr,
    /Cannot send the same requests as curl: Plateau cannot take over its authentication/,
  );
  assert.equal(recorder.requests.length, 0);
});

/** Twelve visitors who log in and look around; all that is asked before the load is asked once, too. */
const SCRIPT = (origin: string): string => `
config:
  target: ${origin}
  phases:
    - { duration: 1, arrivalCount: 8, name: Warm up }
    - { duration: 0.5, arrivalRate: 8 }
  payload: { path: users.csv, fields: [user, password], order: sequence }
scenarios:
  - name: Log in
    flow:
      - post: { url: /login, json: { user: "{{ user }}", password: "{{ password }}" } }
      - loop:
          - get: { url: "/page?n={{ $loopCount }}" }
        count: 2
`;

async function runIn(folder: string, ...args: string[]): Promise<Ended> {
  return await plateau(["run", "--quiet", ...args], { cwd: folder });
}

Deno.test("an Artillery script runs as an experiment, and again from its results", async () => {
  await using recorder = startRecorder();
  using folder = emptyFolder();
  await Deno.writeTextFile(join(folder.path, "users.csv"), "ada,secret\nbob,word\n");
  await Deno.writeTextFile(join(folder.path, "load.yml"), SCRIPT(recorder.origin));
  const { code, stderr } = await runIn(folder.path, "load.yml", "--out", "out");
  assert.equal(code, 0, stderr);
  const counts = Object.groupBy(recorder.requests, ({ line, body }) => `${line} ${body}`);
  const results = JSON.parse(await Deno.readTextFile(join(folder.path, "out/results.json")));
  assert.equal(results.runs[0].sessions.completed, 12);
  assert.equal(results.runs[0].requests.completed, 36);
  assert.equal(recorder.requests.length, 36 + 6); // and once with each user to see that answers are right
  assert.equal(counts["GET /page?n=1 HTTP/1.1 "]?.length, 14);
  assert.ok((counts['POST /login HTTP/1.1 {"user":"bob","password":"word"}'] ?? []).length >= 5);
  assert.deepEqual([results.file, results.source], [
    { name: "load.yaml", folder: ".." },
    await Deno.readTextFile(join(folder.path, "out/load.yaml")),
  ]);
  assert.match(results.source, /^# From an Artillery script, load\.yml\./);
  await exits(0, runIn(folder.path, "--resume", "out"));
});

Deno.test("a HAR file runs as an experiment, and its notes are told", async () => {
  await using recorder = startRecorder();
  using folder = emptyFolder();
  const asked = (method: string, path: string, postData?: object): object => ({
    startedDateTime: "2026-01-01T00:00:00.000Z",
    time: 1,
    request: {
      ...{ method, url: `${recorder.origin}${path}`, postData },
      headers: [{ name: "Accept", value: "text/html" }, { name: "Cookie", value: "id=1" }],
    },
    response: { status: 200 },
  });
  const entries = [asked("GET", "/"), asked("POST", "/a", { mimeType: "text/plain", text: "b" })];
  await Deno.writeTextFile(join(folder.path, "visit.har"), JSON.stringify({ log: { entries } }));
  const args = ["run", "visit.har", "--out", "out", "--duration", "700ms"];
  const { stderr } = await exits(0, args, { cwd: folder.path });
  assert.match(
    stderr,
    /^Note: left out: the cookie fields, which belong to one user; cookies that/m,
  );
  const { runs: [{ requests, load }] } = JSON.parse(
    await Deno.readTextFile(join(folder.path, "out/results.json")),
  );
  assert.equal(load.connections, 10);
  // And each once to see that answers are right. Who was about to connect at the end has sent nothing.
  const sent = recorder.requests.length - 2;
  assert.ok(sent >= requests.completed && sent <= requests.completed + requests.unfinished);
  assert.ok(requests.completed > 10, `${requests.completed} completed`);
  const [get, post] = recorder.requests;
  assert.deepEqual([get.line, post.line, post.body], ["GET / HTTP/1.1", "POST /a HTTP/1.1", "b"]);
  assert.ok(recorder.requests.every(({ fields }) => fields.includes("accept: text/html")));
});

Deno.test("init --from writes what a script becomes, with the way to its files", async () => {
  using folder = emptyFolder();
  await Deno.mkdir(join(folder.path, "load"));
  await Deno.writeTextFile(join(folder.path, "load/users.csv"), "ada,secret\n");
  await Deno.writeTextFile(join(folder.path, "load/a.yml"), SCRIPT("http://127.0.0.1:9"));
  const cwd = folder.path;
  const wrote = await exits(0, ["init", "mine.yaml", "--from", "load/a.yml"], { cwd });
  assert.match(wrote.stdout, /^Wrote mine\.yaml\. Check it: plateau check mine\.yaml\nNote: /);
  assert.match(await Deno.readTextFile(join(cwd, "mine.yaml")), /csv: load\/users\.csv$/m);
  const checked = await plateau(["check", "mine.yaml"], { cwd });
  assert.deepEqual([checked.code, checked.stdout.split("\n")[0]], [0, "a"]);
  await exits(2, ["init", "mine.yaml", "--from", "load/a.yml"], { cwd });
  const printed = await plateau(["init", "-", "--from", "load/a.yml"], { cwd });
  assert.equal(printed.stdout, await Deno.readTextFile(join(cwd, "mine.yaml")));
  assert.match(printed.stderr, /^Note: /);
  assert.ok(!existsSync(join(cwd, "-")));
  const none = await plateau(["init", "other.yaml", "--from", "load/users.csv"], { cwd });
  assert.match(
    none.stderr,
    /users\.csv: Cannot convert this file: it must be an OpenAPI description/,
  );
});

Deno.test("an imported script loads another server by --set target", async () => {
  await using recorder = startRecorder();
  using folder = emptyFolder();
  const entry = {
    startedDateTime: "2031-05-04T10:18:00.000Z",
    time: 1,
    request: { method: "GET", url: "http://production.example/a", headers: [] },
    response: { status: 200 },
  };
  const archive = JSON.stringify({ log: { entries: [entry] } });
  await Deno.writeTextFile(join(folder.path, "visit.har"), archive);
  const set = ["--set", `target=${recorder.origin}`];
  const args = ["run", "visit.har", "--out", "out", "--duration", "700ms", ...set];
  await exits(0, args, { cwd: folder.path });
  assert.ok(recorder.requests.length > 1);
  assert.ok(recorder.requests.every(({ line }) => line === "GET /a HTTP/1.1"));
});

Deno.test("a JMeter plan sends what it says, as often as its threads and loops say", async () => {
  await using recorder = startRecorder();
  using folder = emptyFolder();
  const { hostname, port } = new URL(recorder.origin);
  const sampler = (path: string): string =>
    `<HTTPSamplerProxy testname="${path}"><stringProp name="HTTPSampler.path">/${path}</stringProp>
</HTTPSamplerProxy><hashTree/>`;
  const plan = `<jmeterTestPlan><hashTree><TestPlan/><hashTree>
<ConfigTestElement guiclass="HttpDefaultsGui"><stringProp name="HTTPSampler.domain">${hostname}</stringProp>
<stringProp name="HTTPSampler.port">${port}</stringProp></ConfigTestElement><hashTree/>
<ThreadGroup testname="g"><stringProp name="ThreadGroup.num_threads">7</stringProp>
<stringProp name="ThreadGroup.ramp_time">1</stringProp><elementProp name="ThreadGroup.main_controller">
<stringProp name="LoopController.loops">3</stringProp></elementProp></ThreadGroup><hashTree>
${sampler("a")}${sampler("b")}</hashTree></hashTree></hashTree></jmeterTestPlan>`;
  await Deno.writeTextFile(join(folder.path, "load.jmx"), plan);
  await exits(0, runIn(folder.path, "load.jmx", "--out", "out"));
  const counts = Object.groupBy(recorder.requests, ({ line }) => line);
  const seen = Object.entries(counts).map(([what, all = []]) => [what, all.length]);
  // 7 threads with 3 loops, and each of the written-out requests once more, to see that responses are right.
  assert.deepEqual(seen, [["GET /a HTTP/1.1", 24], ["GET /b HTTP/1.1", 24]]);
});

Deno.test("an Artillery script follows redirects and sends cookies back, as Artillery does", async () => {
  const seen: string[] = [];
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen(): void {} },
    (request): Response => {
      const { pathname } = new URL(request.url);
      seen.push(`${request.method} ${pathname} ${request.headers.get("cookie") ?? "-"}`);
      if (pathname !== "/login") return new Response("ok");
      const headers = { location: "/home", "set-cookie": "sid=1; Path=/" };
      return new Response(null, { status: 302, headers });
    },
  );
  using folder = emptyFolder();
  const script = `config: { target: "http://127.0.0.1:${server.addr.port}",
  phases: [{ duration: 1, arrivalRate: 3 }] }
scenarios: [{ flow: [{ get: { url: /login, cookie: { lang: de } } }, { get: { url: /me } }] }]
`;
  await Deno.writeTextFile(join(folder.path, "load.yml"), script);
  const { stderr } = await exits(0, runIn(folder.path, "load.yml", "--out", "out"));
  assert.doesNotMatch(stderr, /cookie is sent where|redirect is a response/);
  // Three visitors, and each request once more, to see that responses are right.
  const counts = Object.entries(Object.groupBy(seen, (line) => line))
    .map(([line, all = []]) => [line, all.length]);
  assert.deepEqual(counts, [
    ["GET /login lang=de", 4],
    ["GET /home lang=de; sid=1", 4],
    ["GET /me lang=de; sid=1", 4],
  ]);
});

Deno.test("a k6 script goes through its iterations as often as it says, and then ends", async () => {
  await using recorder = startRecorder();
  using folder = emptyFolder();
  const script = `import http from "k6/http";
export const options = { vus: 3, iterations: 6 };
export default () => { http.get("${recorder.origin}/a"); http.get("${recorder.origin}/b"); };
`;
  await Deno.writeTextFile(join(folder.path, "load.js"), script);
  await exits(0, runIn(folder.path, "load.js", "--out", "out"));
  const counts = Object.groupBy(recorder.requests, ({ line }) => line);
  const seen = Object.entries(counts).map(([what, all = []]) => [what, all.length]);
  // And each of the four steps once more, to see that responses are right.
  assert.deepEqual(seen, [["GET /a HTTP/1.1", 8], ["GET /b HTTP/1.1", 8]]);
});

Deno.test("the functions of a k6 script go through as many iterations, each with its number", async () => {
  await using recorder = startRecorder();
  using folder = emptyFolder();
  const script = `import http from "k6/http";
export const options = { vus: 3, iterations: 6 };
export default () => {
  const { length } = http.get("${recorder.origin}/a").body;
  http.get(\`${recorder.origin}/b?size=\${length}&n=\${__ITER}\`);
};
`;
  const { path: cwd } = folder;
  await Deno.writeTextFile(join(cwd, "load.js"), script);
  await exits(0, ["init", "load.ts", "--from", "load.js"], { cwd });
  await exits(0, runIn(cwd, "load.ts", "--out", "out"));
  const seen = Object.entries(Object.groupBy(recorder.requests, ({ line }) => line))
    .map(([line, all = []]) => [line.replace(/size=\d+&/, ""), all.length]);
  // And each of the four steps once more, to see that responses are right.
  assert.deepEqual(seen, [
    ["GET /a HTTP/1.1", 8],
    ["GET /b?n=0 HTTP/1.1", 4],
    ["GET /b?n=1 HTTP/1.1", 4],
  ]);
});

Deno.test("init writes nothing that check refuses: it says where the mistake comes from", async () => {
  using folder = emptyFolder();
  const cwd = folder.path;
  const files: readonly (readonly [name: string, source: string, told: RegExp])[] = [
    [
      "visit.har",
      `{ "log": { "entries": [
  { "startedDateTime": "2026-01-01T00:00:00Z", "request": { "method": "GET", "url": "http://a/" },
    "response": { "status": 999 } } ] } }`,
      /^visit\.har:2:3: log\.entries\.0: .*expect\.status in the converted experiment: Cannot use 999/m,
    ],
    [
      "load.yml",
      SCRIPT("http://127.0.0.1:9").replace("/page?n", "/{{ nobody }}?n").replace(/payload.*/, ""),
      /^load\.yml:\d+:\d+: scenarios\.0\.flow\.1\.loop\.0: .*Cannot fill in \{\{ nobody \}\}/m,
    ],
    [
      "load.js",
      `import http from "k6/http";
export const options = { vus: 200000, duration: "1s" };
export default () => { http.get("http://a/"); };
`,
      /^load\.js:2:\d+: load\.connections in the converted experiment: Cannot use 200000/m,
    ],
  ];
  for (const [name, source, told] of files) {
    await Deno.writeTextFile(join(cwd, name), source);
    const { stderr } = await exits(2, ["init", "mine.yaml", "--from", name], { cwd });
    assert.match(stderr, told);
    assert.ok(!existsSync(join(cwd, "mine.yaml")));
    const checked = await plateau(["check", name], { cwd });
    assert.match(checked.stderr, told);
  }
});
