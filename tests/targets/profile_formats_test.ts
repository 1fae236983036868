/** The files of profilers as call trees, against small ones that were written by hand. */
import assert from "node:assert/strict";
import { readStat } from "../../base/system/processes.ts";
import { outputOfTool } from "../../targets/profile/tool.ts";
import { testWith } from "../needs.ts";
import type { CallTree } from "../../base/profile/call_tree.ts";
import { LIMITS } from "../../base/limits.ts";
import { treeOfCpuProfile } from "../../targets/profile/v8.ts";
import { treeOfFolded } from "../../targets/profile/py_spy.ts";
import { moduleOf, ownOf } from "../../targets/profile/profiler.ts";
import { treeOfPerfScript } from "../../targets/profile/perf.ts";
import { fieldsOf, pprofProfiler, treeOfPprof } from "../../targets/profile/pprof.ts";

/** `outer > inner: 3`, a line a node with own time. */
function pathsOf({ frames, frame, parent, ownMs }: CallTree): string[] {
  const pathOf = (node: number): string =>
    (parent[node] < 0 ? "" : `${pathOf(parent[node])} > `) + frames[frame[node]].name;
  return frame.flatMap((_, node) => ownMs[node] > 0 ? [`${pathOf(node)}: ${ownMs[node]}`] : []);
}

const callFrame = (functionName: string, url = "", lineNumber = -1) => (
  { functionName, url, lineNumber }
);

Deno.test("a sample of V8 stands for the time until the next, the last for the mean of all; idle is apart", () => {
  const { tree, idleMs } = treeOfCpuProfile({
    startTime: 0,
    endTime: 10_000,
    nodes: [
      { id: 1, callFrame: callFrame("(root)"), children: [2, 4] },
      { id: 2, callFrame: callFrame("serve", "file:///srv/app/main.js", 4), children: [3] },
      { id: 3, callFrame: callFrame("", "file:///srv/node_modules/express/lib/a.js", 0) },
      { id: 4, callFrame: callFrame("(idle)") },
    ],
    samples: [2, 3, 4, 3],
    timeDeltas: [1_000, 2_000, 3_000, 500],
  });
  const meanMs = 5.5 / 3;
  assert.deepEqual(pathsOf(tree), ["serve: 2", `serve > (anonymous): ${3 + meanMs}`]);
  assert.equal(idleMs, 0.5);
  assert.deepEqual(tree.frames, [
    { name: "serve", module: "app/main.js", line: 5, own: true },
    { name: "(anonymous)", module: "express/lib/a.js", line: 1 },
  ]);
});

Deno.test("nodes of V8 that form a circle are read once", () => {
  const { tree } = treeOfCpuProfile({
    startTime: 0,
    endTime: 2_000,
    nodes: [
      { id: 1, callFrame: callFrame("(root)"), children: [2] },
      { id: 2, callFrame: callFrame("a"), children: [1, 2] },
    ],
    samples: [2, 2],
    timeDeltas: [1_000, 1_000],
  });
  assert.deepEqual(pathsOf(tree), ["a: 2"]);
});

Deno.test("samples of V8 count in the order of their moments, and a lost stack as the one before it", () => {
  const { tree } = treeOfCpuProfile({
    startTime: 0,
    endTime: 7_000,
    nodes: [
      { id: 1, callFrame: callFrame("(root)"), children: [2, 4, 5] },
      { id: 2, callFrame: callFrame("serve"), children: [3] },
      { id: 3, callFrame: callFrame("parse") },
      { id: 4, callFrame: callFrame("(program)") },
      { id: 5, callFrame: callFrame("tick") },
    ],
    // By their moments: parse, lost, serve, native code, tick, tick.
    samples: [3, 2, 4, 4, 5, 5],
    timeDeltas: [1_000, 2_000, -1_000, 2_000, 1_000, 1_000],
  });
  assert.deepEqual(pathsOf(tree).sort(), [
    "(program): 1",
    "serve > parse: 2",
    "serve: 1",
    "tick: 2",
  ]);
});

Deno.test("folded stacks become a tree, with lines where they are known", () => {
  const text = "main (srv/a.py:1);hot (srv/b.py:7) 3\nmain (srv/a.py:1) 1\nnot a stack\n";
  const { tree, samples } = treeOfFolded(text, 10);
  assert.equal(samples, 4);
  assert.deepEqual(pathsOf(tree), ["main: 10", "main > hot: 30"]);
  assert.deepEqual(tree.frames[1], { name: "hot", module: "srv/b.py", line: 7 });
});

Deno.test("functions of the program itself are known in Python and Go, but for a module's own code", () => {
  const text =
    "<module> (/srv/a.py:1);hot (/srv/b.py:7);dumps (/usr/lib/python3.12/json/a.py:9) 3\n";
  assert.deepEqual(treeOfFolded(text, 10).tree.frames.map(({ own }) => own), [
    ...[undefined, true, undefined],
  ]);
  const stack =
    "server 12 1.5:\n\t  4a1b2c crypto.sum+0x1b (/srv/server)\n\t  4a1b00 main.hot (/srv/server)\n";
  assert.deepEqual(treeOfPerfScript(stack, 2).tree.frames.map(({ name, own }) => [name, own]), [
    ["main.hot", true],
    ["crypto.sum", undefined],
  ]);
});

Deno.test("what perf prints becomes a tree, a sample for each stack", () => {
  const text = `server 12 1.5:
\t  4a1b2c main.hot+0x1b (/srv/server)
\t  4a1b00 main.main (inlined) (/srv/server)

server 12 1.6:
\tffffffff81 [unknown] ([kernel.kallsyms])

`;
  const { tree, samples } = treeOfPerfScript(text, 2);
  assert.equal(samples, 2);
  assert.deepEqual(pathsOf(tree), ["main.main (inlined) > main.hot: 2", "[unknown]: 2"]);
});

Deno.test("names that a target has made long are read in linear time", () => {
  const name = "n (".repeat(300_000);
  assert.deepEqual(treeOfPerfScript(`server 12 1.5:\n\t  4a1b2c ${name}\n`, 1).samples, 0);
  const { tree } = treeOfFolded(`${name};b (${"a:1".repeat(300_000)}) 1\n`, 1);
  assert.deepEqual(tree.frames.map(({ line }) => line), [0, 1]);
  assert.equal(moduleOf(`file:///a/b.js${"?".repeat(1_000_000)}%0A`), "a/b.js");
});

/** A field of a protocol buffer: bytes, or a number. */
function field(number: number, value: number | number[]): number[] {
  return typeof value === "number"
    ? [...varint(8 * number), ...varint(value)]
    : [...varint(8 * number + 2), ...varint(value.length), ...value];
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [value % 128 + 128, ...varint(Math.floor(value / 128))];
}

const STRINGS = [
  ...["", "samples", "count", "cpu", "nanoseconds", "main.hot", "/srv/x/main.go", "main"],
];

/** Samples of main → main.hot, the second one a packed list with a long number. */
const PPROF = Uint8Array.from([
  ...field(1, [...field(1, 1), ...field(2, 2)]),
  ...field(1, [...field(1, 3), ...field(2, 4)]),
  ...field(2, [...field(1, [1, 2]), ...field(2, [...varint(3), ...varint(30_000_000)])]),
  ...field(2, [...field(1, 2), ...field(2, 1), ...field(2, 10_000_000)]),
  ...field(4, [...field(1, 1), ...field(4, [...field(1, 1)])]),
  ...field(4, [...field(1, 2), ...field(4, [...field(1, 2)])]),
  ...field(5, [...field(1, 1), ...field(2, 5), ...field(4, 6), ...field(5, 9)]),
  ...field(5, [...field(1, 2), ...field(2, 7)]),
  ...STRINGS.flatMap((text) => field(6, [...new TextEncoder().encode(text)])),
]);

Deno.test("a profile of pprof becomes a tree, with the time of its samples", () => {
  const { tree, samples } = treeOfPprof(PPROF);
  assert.equal(samples, 4);
  assert.deepEqual(pathsOf(tree), ["main: 10", "main > main.hot: 30"]);
  assert.deepEqual(tree.frames[1], { name: "main.hot", module: "x/main.go", line: 9, own: true });
});

Deno.test("a profile of pprof that is cut anywhere is an error or a smaller profile, never another", () => {
  for (let length = 0; length < PPROF.length; length++) {
    try {
      assert.ok(treeOfPprof(PPROF.subarray(0, length)).samples <= 4);
    } catch (error) {
      assert.match(String(error), /the profile is cut off|the profile contains no CPU times/);
    }
  }
  assert.throws(() => [...fieldsOf(Uint8Array.of(3))], /it is not a pprof profile/);
});

/** Without its samples and locations. */
const DECLARED = [
  ...field(1, [...field(1, 3), ...field(2, 4)]),
  ...field(5, [...field(1, 1), ...field(2, 5), ...field(4, 6)]),
  ...STRINGS.flatMap((text) => field(6, [...new TextEncoder().encode(text)])),
];

/** Samples of one stack: the location as often as is said, in which the function stands as often. */
function manyCalls(samples: number, locations: number, lines: number): Uint8Array {
  const stack = field(2, [...field(1, Array(locations).fill(1)), ...field(2, [1])]);
  return Uint8Array.from([
    ...DECLARED,
    ...field(4, [...field(1, 1), ...Array(lines).fill(field(4, field(1, 1))).flat()]),
    ...Array(samples).fill(stack).flat(),
  ]);
}

Deno.test("a profile with more than the Go compiler has is read", () => {
  const { tree, samples } = treeOfPprof(manyCalls(12_000, 16, 1));
  assert.deepEqual([samples, tree.frame.length], [12_000, 16]);
});

Deno.test("what a few MB of a profile can say millions of times is counted before it takes memory", () => {
  const empties = new Uint8Array(2 * (LIMITS.profileParts.most + 1));
  for (let at = 0; at < empties.length; at += 2) empties[at] = 0x32;
  assert.throws(
    () => treeOfPprof(empties),
    /3,000,000 fields and numbers to read, the limit/,
  );
  assert.throws(() => treeOfPprof(manyCalls(1, 1_001, 1_000)), /1,000,000 calls in its stacks/);
  assert.equal(treeOfPprof(manyCalls(1, 100, 100)).tree.frame.length, 10_000);
});

Deno.test("a name in a profile is cut, however many functions share it", () => {
  const long = field(6, Array(5_000).fill(120));
  const named = Uint8Array.from([
    ...manyCalls(1, 1, 1),
    ...long,
    ...field(5, [...field(1, 1), ...field(2, STRINGS.length), ...field(4, STRINGS.length)]),
  ]);
  const [{ name, module }] = treeOfPprof(named).tree.frames;
  assert.deepEqual([name, module], ["x".repeat(1_000), "x".repeat(1_000)]);
});

Deno.test("a profile that unpacks to more than its limit is left", async () => {
  const zeros = new Blob([new Uint8Array(LIMITS.profile.most + 1)]);
  const packed = await new Response(zeros.stream().pipeThrough(new CompressionStream("gzip")))
    .bytes();
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(packed),
  );
  const context = {
    origin: `http://127.0.0.1:${server.addr.port}`,
    pprofPath: "/profile",
    forMs: 10,
    signal: new AbortController().signal,
  };
  const profiler = await pprofProfiler.start({ pid: 1, program: "server" }, context);
  await assert.rejects(
    () => profiler.stop(),
    /a profile of a Go program is larger than 16 MB, the limit/,
  );
});

Deno.test("moduleOf() names the package and its file, or the end of a path", () => {
  const names = {
    "node:internal/http": "node:internal/http",
    "file:///a/node_modules/x/node_modules/@s/y/z.js": "@s/y/z.js",
    [`file:///root/.cache/deno/npm/registry.${"npmjs"}.org/hono/4.1.0/dist/a.js`]:
      "hono/4.1.0/dist/a.js",
    "file:///a/deno/npm/registry.example.org/koa/2.0.0/lib/b.js": "koa/2.0.0/lib/b.js",
    "/usr/lib/python3/site-packages/flask/app.py": "flask/app.py",
    "/go/pkg/mod/github.com/gin-gonic/gin@v1/context.go": "github.com/gin-gonic/gin@v1/context.go",
    "file:///srv/app/a%20b.js?x=1": "app/a b.js",
    "https://example.com/%ZZ/a.js": "%ZZ/a.js",
    "": "",
  };
  for (const [url, name] of Object.entries(names)) assert.equal(moduleOf(url), name);
});

Deno.test("a program's own file is none of a package, of a copy of one, or of its runtime", () => {
  const own = ["file:///srv/app/server.js", "/srv/app/main.go", "/home/go/app/main.py"];
  const others = [
    "",
    "node:internal/http",
    "https://example.com/a.js",
    "file:///srv/app/node_modules/express/index.js",
    "/srv/.venv/lib/python3.12/site-packages/flask/app.py",
    "/usr/lib/python3.12/json/encoder.py",
    "/usr/local/go/src/crypto/sha256/sha256.go",
    "/usr/lib/go-1.24/src/runtime/proc.go",
    "/root/go/pkg/mod/github.com/gin-gonic/gin@v1/context.go",
    "/srv/app/vendor/github.com/gin-gonic/gin/context.go",
    "json/encoder.py",
  ];
  for (const url of own) assert.deepEqual(ownOf(url), { own: true }, url);
  for (const url of others) assert.deepEqual(ownOf(url), {}, url);
});

testWith(["linux"], "all that a tool prints is read, and nothing of it is left", async () => {
  const script = "seq 100000; sleep 600 > /dev/null & echo $!";
  const text = new TextDecoder().decode(await outputOfTool(["/bin/sh", "-c", script]));
  const lines = text.trimEnd().split("\n");
  const pid = Number(lines.pop());
  assert.deepEqual(lines, Array.from({ length: 100_000 }, (_, index) => `${index + 1}`));
  assert.equal(readStat(pid), null, `process ${pid} lives`);
});

testWith(["linux"], "a tool that fails is an error with its last line", async () => {
  const failing = outputOfTool(["/bin/sh", "-c", "echo much; echo no >&2; echo data >&2; exit 1"]);
  await assert.rejects(failing, /^Error: data$/);
});
