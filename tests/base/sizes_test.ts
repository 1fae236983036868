import assert from "node:assert/strict";
import { sizeText } from "../../base/limits.ts";

Deno.test("a size is in the unit that it rounds to, in decimal kB, MB and GB", () => {
  const texts = [999, 16_000, 999_940, 999_960, 1_000_000, 256_000_000, 999_960_000, 3.7e9]
    .map(sizeText);
  assert.deepEqual(texts, [
    "999 bytes",
    "16 kB",
    "999.9 kB",
    "1 MB",
    "1 MB",
    "256 MB",
    "1 GB",
    "3.7 GB",
  ]);
});
