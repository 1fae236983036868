import assert from "node:assert/strict";
import { asked, countsOf, flowOf, manyRows, requestsOf } from "./made_script.ts";

const drawn: Readonly<Record<string, [value: object | string, form: RegExp, different: number]>> = {
  "a number": [{ from: 5, to: 7 }, /^\/[567]$/, 3],
  "a number from 1 on": [{ to: 2 }, /^\/[12]$/, 2],
  "a negative number": [{ from: -1, to: 0 }, /^\/(-1|0)$/, 2],
  "a number beyond 32 bits": [{ from: 2 ** 40, to: 2 ** 41 }, /^\/[12]\d{12}$/, 1_000],
  "one of several": [{ pick: ["a", 2, true] }, /^\/(a|2|true)$/, 3],
  "a UUID": ["uuid", /^\/[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/, 1_000],
};

for (const [sentence, [value, form, different]] of Object.entries(drawn)) {
  Deno.test(`a value can be ${sentence}, in 1,000 variants`, () => {
    const paths = asked({ get: "/{{ v }}", values: { v: value } }, 1_000);
    for (const path of paths) assert.match(path, form);
    const counts = countsOf(paths);
    assert.equal(counts.size, different);
    const least = 0.8 * 1_000 / different;
    if (different < 10) { for (const [path, count] of counts) assert.ok(count > least, path); }
  });
}

const tables: Readonly<Record<string, [values: object, path: string, asked: string[]]>> = {
  "the column of a file, row after row, then again": [
    { v: { csv: "people.csv", column: "name" } },
    "/{{ v }}",
    ["/ada", "/bob", "/eve", "/ada"],
  ],
  "every column of a file": [{ v: { csv: "people.csv" } }, "/{{ v.name }}/{{v.word}}", [
    "/ada/a1",
    "/bob/b2",
    "/eve/e3",
    "/ada/a1",
  ]],
  "two columns of a file, of one row": [
    { user: { csv: "people.csv", column: "name" }, word: { csv: "people.csv", column: "word" } },
    "/{{user}}/{{word}}",
    ["/ada/a1", "/bob/b2", "/eve/e3"],
  ],
  "the lines of JSON": [{ v: { jsonl: "people.jsonl" } }, "/{{ v.name }}", ["/ada", "/bob"]],
  "what a query gives": [
    { v: { sqlite: "a.db", query: "bob and eve", column: "word" } },
    "/{{ v }}",
    [
      ...["/b2", "/e3", "/b2"],
    ],
  ],
  "the rows of two files, in step while both last": [
    { v: { csv: "people.csv", column: "name" }, n: { csv: "2", column: "n" } },
    "/{{v}}/{{n}}",
    ["/ada/0", "/bob/1", "/eve/0"],
  ],
};

for (const [sentence, [values, path, paths]] of Object.entries(tables)) {
  Deno.test(`a value can be ${sentence}`, () => {
    assert.deepEqual(asked({ get: path, values }, paths.length), paths);
  });
}

Deno.test("rows in random order come once a round each, with their columns together", () => {
  const values = {
    n: { csv: "500", column: "n", order: "random" },
    row: { csv: "500", order: "random" },
  };
  const { requests, sequence } = requestsOf({ get: "/{{n}}-{{row.n}}", values });
  const inOrder = manyRows(500).map(({ n }) => `/${n}-${n}`);
  const paths = requests.map(({ wire }) => wire.path);
  assert.equal(sequence.length, 500);
  assert.notDeepEqual(paths, inOrder);
  assert.deepEqual(new Set(paths), new Set(inOrder));
});

const sizes: Readonly<Record<string, [rows: number, values: object, variants: number]>> = {
  "every row of a long file": [2_500, {}, 2_500],
  "every row of a long file, though something is random": [2_500, { id: "uuid" }, 2_500],
  "whole rounds through a short file, where something is random": [300, { id: "uuid" }, 900],
};

for (const [sentence, [rows, values, variants]] of Object.entries(sizes)) {
  Deno.test(`the variants of a request hold ${sentence}`, () => {
    const all = { ...values, row: { csv: String(rows) } };
    const id = Object.keys(values).map((name) => `{{ ${name} }}`).join("");
    const { requests } = requestsOf({ get: `/{{ row.n }}?${id}`, values: all });
    const counts = countsOf(requests.map(({ wire }) => wire.path.split("?")[0]));
    assert.equal(requests.length, variants);
    assert.deepEqual(new Set(counts.values()), new Set([variants / rows]));
  });
}

Deno.test("a value that no request names makes no variants", () => {
  assert.equal(requestsOf({ get: "/", values: { id: "uuid" } }).requests.length, 1);
});

Deno.test("rows by weight come as often as their weights say, with their columns together", () => {
  const row = { csv: "5", order: "weighted", weight: "n" };
  const values = { n: { ...row, column: "n" }, row };
  const { requests } = requestsOf({ get: "/{{n}}{{row.n}}", values });
  const counts = countsOf(requests.map(({ wire }) => wire.path));
  assert.deepEqual([...counts.keys()].toSorted(), ["/11", "/22", "/33", "/44"]);
  for (const [path, count] of counts) {
    const expected = 1_000 * Number(path[1]) / 10; // its standard deviation is less than 16
    assert.ok(Math.abs(count - expected) < 80, `${path}: ${count}`);
  }
});

const wrongWeights: Readonly<Record<string, [value: object, why: RegExp]>> = {
  "without a column": [
    { order: "weighted" },
    /Cannot draw by weight without a column of weights: write weight/,
  ],
  "that are no numbers": [{ order: "weighted", weight: "name" }, /ada.* of row 1 as a weight/],
  "of a column that is not there": [{ order: "weighted", weight: "nam" }, /did you mean .*name/],
  "in another order": [{ order: "random", weight: "name" }, /write order: weighted/],
};

for (const [sentence, [value, why]] of Object.entries(wrongWeights)) {
  Deno.test(`rows can't be drawn by weights ${sentence}`, () => {
    const values = { v: { csv: "people.csv", column: "name", ...value } };
    assert.throws(() => requestsOf({ get: "/{{ v }}", values }), why);
  });
}

Deno.test("rows that are unique belong to virtual users, beside values that all have", () => {
  const values = {
    user: { csv: "people.csv", order: "unique" },
    size: { pick: ["s", "m"] },
  };
  const { requests, own, tables } = requestsOf({ get: "/{{ user.name }}/{{ size }}", values });
  assert.deepEqual(own, [{ "user.name": "ada" }, { "user.name": "bob" }, { "user.name": "eve" }]);
  assert.deepEqual(countsOf(requests.map(({ wire }) => wire.path)).keys().toArray().sort(), [
    "/{{ user.name }}/m",
    "/{{ user.name }}/s",
  ]);
  assert.deepEqual(tables, [{ values: ["user"], file: "people.csv", rows: 3, rowOf: null }]);
  const flow = flowOf({ flow: [{ get: "/{{ user.name }}" }, { get: "/{{ user.word }}" }], values });
  assert.deepEqual(flow.users, [{}]);
  assert.deepEqual(flow.own?.[1], { "user.name": "bob", "user.word": "b2" });
});

Deno.test("hooks may read every value of their scenario", () => {
  const values = { user: { csv: "people.csv" } };
  const { users } = flowOf({ get: "/", before: "before", values });
  assert.deepEqual(users[0], { "user.name": "ada", "user.word": "a1" });
});
