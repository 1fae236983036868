/** Data of users that is renewed while workers read it. */
import assert from "node:assert/strict";
import { FreshData } from "../../runner/load/hooks/fresh_data.ts";
import { LIMITS } from "../../base/limits.ts";

Deno.test("another thread reads what was written last, of whatever length", () => {
  const written = new FreshData();
  const read = new FreshData(written.memory);
  for (const [at, text] of ["first ü", "x".repeat(100_000), "", "🙂"].entries()) {
    const json = JSON.stringify(text);
    written.write(json);
    assert.equal(read.version, at + 1);
    assert.equal(read.read(), json);
  }
});

Deno.test("who reads what was just replaced gets it whole", () => {
  const written = new FreshData();
  written.write('"old"');
  const { version } = written;
  written.write(JSON.stringify("new, and longer"));
  assert.equal(written.read(version), '"old"');
});

Deno.test("what is too large is refused, and what was there stays", () => {
  const written = new FreshData();
  written.write('"kept"');
  const json = "x".repeat(LIMITS.scriptData.most + 1);
  assert.throws(() => written.write(json), /bytes, but the limit is/);
  assert.equal(written.read(), '"kept"');
});

Deno.test("what is written over while it is read is read again", () => {
  let overwrites = 2;
  class Overwritten extends FreshData {
    override read(version?: number): string {
      const json = super.read(version);
      if (overwrites-- <= 0) return json;
      this.write('"newer"');
      this.write('"newest"');
      return json.slice(0, 3) + super.read(version).slice(3); // torn, as by another thread
    }
  }
  const written = new Overwritten();
  written.write('"oldest"');
  assert.deepEqual(written.latest(), { version: 5, json: '"newest"' });
});
