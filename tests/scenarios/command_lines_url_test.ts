/**
 * The request targets and fields that tools send, as a recording server saw them of curl 7.88.1, wrk 4.1.0, ab 2.3, hey
 * 0.1.5 and autocannon 9.0.0; those of oha are its source's, 1.16.0.
 */
import assert from "node:assert/strict";
import { UserError } from "../../base/errors.ts";
import { benchRequest } from "../../cli/commands/bench.ts";
import { readArguments } from "../../cli/command_line/arguments.ts";
import { benchConflicts, benchParts } from "../../cli/flags/bench_flags.ts";
import { toolDifferences } from "../../cli/output/tool_differences.ts";
import { withTranslated } from "../../scenarios/imports/command_lines/registry.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
import { measurementFixture } from "../report/fixture.ts";
import { thrown } from "../thrown.ts";

const HOST = "http://127.0.0.1:8080";

interface Sent {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

function sentFor(line: string): Sent {
  const spec = { parts: benchParts, conflicts: benchConflicts, run: () => Promise.resolve(0) };
  const args = withTranslated(["--like", line.replace("HOST", HOST)]);
  const read = readArguments(spec, { name: "bench", summary: "" }, args);
  assert.ok(read.wants === "values");
  const { scenario } = benchRequest(read.values, { files: null });
  const script = scriptOf(scenario, 1);
  assert.ok(script.kind === "requests");
  return script.requests[0].wire;
}

const TARGETS: readonly (readonly [line: string, path: string])[] = [
  ["curl HOST/a/../b", "/b"],
  ["curl 'HOST/a/./b/..'", "/a/"],
  ["curl HOST/../x//y", "/x//y"],
  ["curl --path-as-is HOST/a/../b", "/a/../b"],
  ["curl HOST/a/%2e%2e/b", "/a/%2e%2e/b"],
  ["curl 'HOST/a?b#c'", "/a?b"],
  ["curl 'HOST?x=1'", "/?x=1"],
  ["curl 'HOST/?'", "/?"],
  ["curl -g 'HOST/{a}\"<>|\\^`['", '/{a}"<>|\\^`['],
  ["curl -sg 'HOST/?q={\"a\":[1]}'", '/?q={"a":[1]}'],
  ["curl 'HOST/?a[]=1'", "/?a[]=1"],
  ["curl 'HOST/x\\{a\\}'", "/x{a}"],
  ["curl 'HOST/é'", "/%c3%a9"],
  ["curl 'HOST/a\\b'", "/a\\b"],
  ["curl \"HOST/?q='a'\"", "/?q='a'"],
  ["curl '[::1]:8080/x'", "/x"],
  ["curl -G -d 'q={a,b}' 'HOST/?x=1#f'", "/?x=1&q={a,b}"],
  ['curl -G --data-urlencode "q=(a)!*\'~ b" HOST', "/?q=%28a%29%21%2a%27~+b"],
  ["curl --request-target /x/../y HOST/z", "/x/../y"],
  ["curl -T tests/cli/body.txt HOST/dir/", "/dir/body.txt"],
  ["curl -T tests/cli/body.txt HOST/x", "/x"],
  ["wrk HOST/a/../b", "/a/../b"],
  ["wrk 'HOST/a#b'", "/a#b"],
  ["wrk 'HOST?x=1'", "/"],
  ["wrk2 -R 5 'HOST/?q={\"a\":1}'", '/?q={"a":1}'],
  ["wrk http://[::1]:8080", "/"],
  ["ab HOST/a/../b", "/a/../b"],
  ["ab 'HOST/?x=1#f'", "/?x=1#f"],
  ["hey HOST/a/../b", "/a/../b"],
  ["hey 'HOST/a#f'", "/a"],
  ["hey 'HOST?x=1'", "/?x=1"],
  ["hey 'HOST/a b'", "/a%20b"],
  ["hey 'HOST/{a}\"<>|\\^`['", "/%7Ba%7D%22%3C%3E%7C%5C%5E%60%5B"],
  ["hey 'HOST/é?q={\"a\":1}'", '/%C3%A9?q={"a":1}'],
  ["hey 'HOST/%ff%41 b'", "/%FFA%20b"],
  ["autocannon HOST/a/../b", "/b"],
  ["autocannon 'HOST/a#b'", "/a"],
  ["oha HOST/a/../b", "/b"],
];

for (const [line, path] of TARGETS) {
  Deno.test(`bench sends ${path} as ${line} does`, () => {
    assert.equal(sentFor(line).path, path);
  });
}

const FIELDS:
  readonly (readonly [line: string, fields: Readonly<Record<string, string | undefined>>])[] = [
    ["curl HTTP://user:pa%20ss@127.0.0.1:8080/", { authorization: "Basic dXNlcjpwYSBzcw==" }],
    ["curl -u a:b http://c:d@127.0.0.1:8080/", { authorization: "Basic YTpi" }],
    ["curl http://u:%ff%C3%A9@127.0.0.1:8080/", { authorization: "Basic dTr/w6k=" }],
    ["curl http://é:p@127.0.0.1:8080/", { authorization: "Basic w6k6cA==" }],
    ["hey http://u:p@127.0.0.1:8080/", { authorization: "Basic dTpw" }],
    ["autocannon http://u:p@127.0.0.1:8080/", { authorization: "Basic dTpw" }],
    ["wrk http://u:p@127.0.0.1:8080/", { authorization: undefined }],
    ["wrk -H 'A: 1' -H 'A: 2' HOST", { A: "2" }],
    ["autocannon -H 'A: 1' -H 'A: 2' HOST", { A: "2" }],
    ["hey -H 'A: 1' -H 'a: 2' HOST", { a: "2" }],
    ["hey -T text/plain -H 'Content-Type: text/css' HOST", { "Content-Type": "text/css" }],
    ["hey -A text/css -H 'Accept: text/html' HOST", { accept: "text/css" }],
    ["hey -T text/plain -T text/css HOST", { "content-type": "text/css" }],
    ["oha -H 'A: 1' -H 'A: 2' HOST", { A: "2" }],
    ["oha -H 'Content-Type: text/css' -T text/plain HOST", { "Content-Type": "text/css" }],
    ["oha -a u:p -H 'Authorization: x' HOST", { Authorization: "x" }],
    ["hey -H 'Host: z' HOST", { Host: undefined }],
    ["ab -H 'X: 1' -H 'X: 2' HOST/", { X: "1, 2" }],
    ["ab -C a=1 -C b=2 HOST/", { cookie: "b=2" }],
    ["ab -T text/css HOST/", { "content-type": undefined }],
    ["curl -e 'http://a;auto' HOST", { referer: "http://a" }],
  ];

for (const [line, fields] of FIELDS) {
  Deno.test(`bench sends the header fields of ${line}`, () => {
    const { headers } = sentFor(line);
    for (const [name, value] of Object.entries(fields)) assert.equal(headers[name], value);
    const names = Object.keys(headers).map((name) => name.toLowerCase());
    assert.equal(new Set(names).size, names.length);
  });
}

const REFUSED: readonly (readonly [line: string, what: RegExp])[] = [
  ["curl 'HOST/[1-3]'", /several URLs of \[1-3\] \(-g/],
  ["curl 'HOST/x{a,b}'", /several URLs of \{a,b\}/],
  ["curl 'HOST/a b'", /accepts no URL with spaces/],
  ["curl -G -d 'q=a b' HOST", /accepts no URL with spaces/],
  ["curl -G -d @tests/cli/body.txt HOST", /data files in the URL/],
  ["curl -u ada HOST", /its password/],
  ["curl -T - HOST", /standard input/],
  ["wrk 'HOST/a b'", /visible ASCII/],
  ["wrk HOST/é", /visible ASCII/],
  ["oha http://u:p@127.0.0.1:8080", /the user in its URL/],
  ["ab 'HOST/a b'", /spaces or non-ASCII letters/],
  ["ab HOST/é", /spaces or non-ASCII letters/],
  ["hey 'HOST/?a b'", /spaces or non-ASCII letters/],
];

for (const [line, what] of REFUSED) {
  Deno.test(`bench sends nothing for ${line}, whose URL is another`, () => {
    assert.match(thrown(UserError, () => sentFor(line)).lines.join("\n"), what);
  });
}

const NOTES: readonly (readonly [line: string, note: RegExp])[] = [
  [
    "hey -c 2 HOST -n 9 -m POST",
    /^Unlike hey: Plateau reports what both tools ignore, .*: -n 9 -m POST$/,
  ],
  [
    "hey -H 'Host: a' HOST",
    /^Unlike hey: Plateau reports that the Host of -H is not sent: write -host to send one$/,
  ],
  [
    "ab -p a.txt -H 'Content-Type: text/css' HOST/",
    /^Unlike ab: each request has only one content-type/,
  ],
  ["curl --retry 3 HOST", /^Unlike curl: Plateau runs without repeating/],
  ["curl -T a.txt HOST", /^Unlike curl: the file is sent without Expect/],
];

for (const [line, note] of NOTES) {
  Deno.test(`a note says what is different of ${line}`, () => {
    const measurement = measurementFixture({ target: "a", scenario: "b", medianMs: 1 });
    assert.match(toolDifferences(line.replace("HOST", HOST), measurement)[0], note);
  });
}

Deno.test("hey reads no options after its URL, and others do", () => {
  const argsOf = (line: string): string =>
    withTranslated(["--like", `${line} ${HOST} -n 9 -c 3`]).slice(0, -2).join(" ");
  assert.match(argsOf("hey -n 100 -c 5"), /-n 100 -c 5/);
  assert.match(argsOf("hey --n 100 --c=5"), /-n 100 -c 5/);
  assert.match(argsOf("oha"), /-n 9 -c 3/);
});

for (const launcher of ["npx", "npx --yes", "bunx", "time", "sudo"]) {
  Deno.test(`${launcher} before a tool is the tool`, () => {
    assert.match(
      withTranslated(["--like", `${launcher} autocannon -c 7 ${HOST}`]).join(" "),
      /-c 7/,
    );
  });
}

Deno.test("--request-target is a path, and is not for a log", () => {
  const spec = { parts: benchParts, conflicts: benchConflicts, run: () => Promise.resolve(0) };
  const valuesOf = (args: readonly string[]): void => {
    const read = readArguments(spec, { name: "bench", summary: "" }, [HOST, ...args]);
    if (read.wants === "values") benchRequest(read.values, { files: null });
  };
  assert.throws(() => valuesOf(["--request-target", "*"]), /--request-target: .*start with \//);
  assert.throws(
    () => valuesOf(["--request-target", "/a", "--replay", "a.log"]),
    /Cannot use --request-target with a replay/,
  );
});
