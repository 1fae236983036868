import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
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

Deno.test("JSON lines may hold objects, lists, numbers and nothing", () => {
  using folder = folderWith({
    "a.jsonl": '\ufeff{"a":1,"b":{"c":null,"d":[1,"x"]}}\r\n\n{"b":{"d":[],"c":"é"},"a":true}\n',
  });
  assert.deepEqual(filesFrom(folder.path).jsonRows("a.jsonl"), [
    { a: "1", "b.c": "", "b.d": '[1,"x"]' },
    { "b.d": "[]", "b.c": "é", a: "true" },
  ]);
});

Deno.test("a query gives rows of a database, which it can't change", () => {
  using folder = folderWith({});
  const database = new DatabaseSync(join(folder.path, "a.db"));
  database.exec(
    "CREATE TABLE users (name, age); INSERT INTO users VALUES ('ada', 36), (NULL, 1.5)",
  );
  database.close();
  const { queried } = filesFrom(folder.path);
  const rows = [{ name: "ada", age: "36" }, { name: "", age: "1.5" }];
  assert.deepEqual(queried("a.db", "SELECT * FROM users"), rows);
  const changing = thrown(Error, () => queried("a.db", "DELETE FROM users RETURNING name"));
  assert.match(changing.message, /syntax error/);
  assert.deepEqual(queried("a.db", "SELECT name, age FROM users"), rows);
});

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
  ["a line that is no JSON", ({ jsonRows }) => jsonRows("bad.jsonl"), /^line 2 is not JSON/],
  [
    "a line that is no object",
    ({ jsonRows }) => jsonRows("list.jsonl"),
    /^line 1 is not a JSON object/,
  ],
  [
    "a line without a column",
    ({ jsonRows }) => jsonRows("few.jsonl"),
    /^line 3 has no b, but the first line has one$/,
  ],
  ["no lines", ({ jsonRows }) => jsonRows("empty.csv"), /^it has no rows/],
  ["a database that is none", ({ queried }) => queried("short.csv", "SELECT 1"), /not a database/],
  [
    "a database that is missing",
    ({ queried }) => queried("no.db", "SELECT 1"),
    /^there is no file/,
  ],
  [
    "a query without an end",
    ({ queried }) => {
      const query =
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n";
      return queried("empty.csv", query);
    },
    /more than 100,000 rows, the limit/,
  ],
  ["a table without rows", ({ rows }) => rows("names.csv"), /^it has no rows below/],
  ["an empty file", ({ rows }) => rows("empty.csv"), /^it has no rows below/],
  [
    "more rows than there is room for",
    ({ rows }) => rows("long.csv"),
    /^a table of values has more than 100,000 rows, the limit/,
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
      "bad.jsonl": '{"a":1}\n{"a":',
      "list.jsonl": "[1]",
      "few.jsonl": '{"a":1,"b":2}\n\n{"a":1}',
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
