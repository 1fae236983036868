import assert from "node:assert/strict";
import { join } from "node:path";
import { filesFrom } from "../../scenarios/file/disk_files.ts";
import { UserError } from "../../base/errors.ts";
import { loadExperiment } from "../../scenarios/file/experiment_file.ts";
import type { Files } from "../../base/files.ts";
import { planCells } from "../../scenarios/plan/plan.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
import { rejected, thrown } from "../thrown.ts";

interface Folder extends Disposable {
  readonly path: string;
}

function folderWith(files: Readonly<Record<string, string | Uint8Array>>): Folder {
  const path = Deno.makeTempDirSync();
  for (const [name, content] of Object.entries(files)) {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    Deno.writeFileSync(join(path, name), bytes);
  }
  return { path, [Symbol.dispose]: () => Deno.removeSync(path, { recursive: true }) };
}

const readable: [sentence: string, csv: string, rows: object[]][] = [
  ["names in the first line and values below", "a,b\n1,2\n3,4\n", [{ a: "1", b: "2" }, {
    a: "3",
    b: "4",
  }]],
  ["lines that end as on Windows, and the last not at all", "a\r\n1\r\n2", [{ a: "1" }, {
    a: "2",
  }]],
  ["a byte order mark", "\ufeffa\n1", [{ a: "1" }]],
  ["commas, quotes and line breaks in quotes", 'a,b\n"1,""2""","3\n4"', [{
    a: '1,"2"',
    b: "3\n4",
  }]],
  ["spaces around values, but those in quotes", 'a , b\n 1 ," 2 "', [{ a: "1", b: " 2 " }]],
  ["empty values, and empty lines between rows", "a,b\n,\n\n1,\n", [{ a: "", b: "" }, {
    a: "1",
    b: "",
  }]],
];

for (const [sentence, csv, rows] of readable) {
  Deno.test(`a CSV file may hold ${sentence}`, () => {
    using folder = folderWith({ "a.csv": csv });
    assert.deepEqual(filesFrom(folder.path).rows("a.csv"), rows);
  });
}

const unreadable: [sentence: string, read: (files: Files) => unknown, why: RegExp][] = [
  [
    "a file that is missing, with where it was looked for",
    ({ octets }) => octets("no.json"),
    /^there is no file .+no\.json$/,
  ],
  ["a folder", ({ octets }) => octets("."), /directory|denied/i],
  ["what is no UTF-8", ({ rows }) => rows("bytes"), /encoded data/],
  ["a row that is too short, with its line", ({ rows }) => rows("short.csv"), /line 3/],
  ["a quote that is never closed", ({ rows }) => rows("quote.csv"), /quote/i],
  ["a table without rows", ({ rows }) => rows("names.csv"), /^it has no rows below/],
  ["an empty file", ({ rows }) => rows("empty.csv"), /^it has no rows below/],
  [
    "more rows than there is room for",
    ({ rows }) => rows("long.csv"),
    /^a CSV file of an experiment has more than 100,000 rows, the limit/,
  ],
];

for (const [sentence, read, why] of unreadable) {
  Deno.test(`a file is not read: ${sentence}`, () => {
    using folder = folderWith({
      bytes: Uint8Array.of(0xff, 0xfe),
      "short.csv": "a,b\n1,2\n3\n",
      "quote.csv": 'a\n"1',
      "names.csv": "a,b\n",
      "empty.csv": "",
      "long.csv": `a\n${"1\n".repeat(100_001)}`,
    });
    assert.match(thrown(Error, () => read(filesFrom(folder.path))).message, why);
  });
}

Deno.test("a body keeps every byte of its file, a byte order mark too", () => {
  using folder = folderWith({ "body.txt": "\ufeffé\r\n" });
  assert.equal(
    new TextDecoder("utf-8", { ignoreBOM: true }).decode(filesFrom(folder.path).octets("body.txt")),
    "\ufeffé\r\n",
  );
});

function experimentWith(scenario: string): string {
  return `name: files\ntargets: { a: { app: api } }\nscenarios: { s: ${scenario} }\n`;
}

Deno.test("an experiment finds its files beside itself, from any folder", async () => {
  using folder = folderWith({
    "x.yaml": experimentWith(
      '{ post: "/{{ u }}", body: { file: ./b.txt }, values: { u: { csv: u.csv, column: name } } }',
    ),
    "b.txt": "hello {{ u }}",
    "u.csv": "name\nada\nbob\n",
  });
  const { experiment } = await loadExperiment(join(folder.path, "x.yaml"));
  const [{ request }] = planCells(experiment);
  const script = scriptOf(request, 1);
  assert.ok(script.kind === "requests");
  assert.deepEqual(script.requests.map(({ wire }) => [wire.path, wire.body]), [
    ["/ada", "hello ada"],
    ["/bob", "hello bob"],
  ]);
  assert.match(
    JSON.stringify(experiment),
    /"csv":\{"path":"u\.csv","sha256":"[0-9a-f]{64}"\}/,
    "a table is saved as its path and a digest",
  );
});

Deno.test("an experiment tells of every file that it can't read, at its place", async () => {
  using folder = folderWith({
    "x.yaml": experimentWith("{ post: /, body: { file: b.txt }, values: { u: { csv: u.csv } } }"),
  });
  const error = await rejected(UserError, loadExperiment(join(folder.path, "x.yaml")));
  const told = error.lines.map((line) => line.replace(/^.*x\.yaml:3:\d+: (\S+): .*$/, "$1"));
  assert.deepEqual(told, ["scenarios.s.body.file", "scenarios.s.values.u.csv"]);
});
