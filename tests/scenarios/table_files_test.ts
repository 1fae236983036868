/** Rows of files as they are read. */
import assert from "node:assert/strict";
import { jsonRows } from "../../scenarios/file/table_files.ts";

Deno.test("a whole number of a JSON line that would be rounded is refused at its line", () => {
  const most = '{"id":9007199254740991,"text":"9007199254740993","number":1e300,"list":[-1.5]}';
  assert.deepEqual(jsonRows(most), [
    { id: "9007199254740991", text: "9007199254740993", number: "1e+300", list: "[-1.5]" },
  ]);
  for (const value of ["9007199254740993", "-12345678901234567890", "[[9007199254740993]]"]) {
    const lines = `{"id":1}\n{"id":${value}}`;
    assert.throws(() => jsonRows(lines), /^Error: line 2 has -?\d+, which would be rounded/);
  }
});
