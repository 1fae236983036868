/** `plateau compare` with thresholds, with folders of sessions, and of runs that are in doubt. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Results } from "../../runner/result/result.ts";
import { doubted } from "../report/concluded.ts";
import { around, resultsAt } from "../report/rates.ts";
import { emptyFolder, plateau } from "./plateau.ts";
import { written } from "./written_results.ts";

/** A folder of sessions, one a day of a month; gives its path. */
function sessions(folder: string, month: string, rates: readonly number[]): string {
  rates.forEach((rate, i) =>
    written(
      folder,
      join(month, `${i}`),
      { api: around(rate) },
      `2031-${month}-${String(i + 1).padStart(2, "0")}T10:00:00.000Z`,
    )
  );
  return join(folder, month);
}

Deno.test("compare --strict exits with 4 when a run is not valid; without it and without a valid run with 5", async () => {
  using folder = emptyFolder();
  const base = written(folder.path, "base", { api: around(1_000) });
  const next = written(folder.path, "next", { api: around(1_000, 0.0005) });
  const file = join(next, "results.json");
  const results: Results = JSON.parse(Deno.readTextFileSync(file));
  for (const [is, without] of [[1, 0], [5, 5]]) {
    const doubtful = doubted(results, ({ repetition }) => repetition <= is);
    Deno.writeTextFileSync(file, JSON.stringify(doubtful));
    const asked = ["compare", base, next, "--margin", "30%"];
    const codes = [await plateau(asked), await plateau([...asked, "--strict"])];
    assert.deepEqual(codes.map(({ code }) => code), [without, 4], codes[0].stdout);
  }
});

Deno.test("compare fails by a threshold against the base, and JUnit and markdown say the same", async () => {
  using folder = emptyFolder();
  const base = written(folder.path, "base", { api: around(1_000) });
  const next = written(folder.path, "next", { api: around(960, 0.0005) });
  const junit = join(folder.path, "junit.xml");
  const rule = "rate not worse than baseline by 1%";
  const flags = ["--margin", "30%", "--threshold", rule, "--junit", junit, "--markdown", "-"];
  const ended = await plateau(["compare", base, next, ...flags]);
  assert.equal(ended.code, 1, ended.stderr);
  assert.match(ended.stdout, /^## fixture\n/);
  assert.match(ended.stdout, /\| rate not worse than baseline by 1% \| static, api \| ✗ fail \|/);
  assert.match(
    Deno.readTextFileSync(junit),
    /api: rate not worse than baseline by 1%" time="0\.000"><failure type="fail"/,
  );
});

Deno.test("compare with thresholds is decided by them alone", async () => {
  using folder = emptyFolder();
  const base = written(folder.path, "base", { api: around(1_000) });
  const next = written(folder.path, "next", { api: around(700, 0.0005) });
  const junit = join(folder.path, "junit.xml");
  const named = "rate(api, static) > 500/s";
  const held = await plateau(["compare", base, next, "--threshold", named, "--junit", junit]);
  assert.equal(held.code, 0, held.stdout + held.stderr);
  assert.match(held.stdout, /^✓ rate\(api, static\) > 500\/s: static, api: rate is/m);
  assert.match(held.stdout, /^The threshold holds\.$/m);
  assert.doesNotMatch(Deno.readTextFileSync(junit), /<failure|<error/);
  const failed = await plateau([
    ...["compare", base, next, "--threshold", "rate > 800/s", "--json", "-"],
  ]);
  assert.equal(failed.code, 1, failed.stderr);
  const { decidedBy, outcome, sentence } = JSON.parse(failed.stdout);
  assert.deepEqual([decidedBy, outcome, sentence], ["thresholds", "fail", "The threshold fails."]);
});

Deno.test("compare warns of what differs, and says what has no counterpart", async () => {
  using folder = emptyFolder();
  const base = written(folder.path, "base", { api: around(1_000), old: around(1_000) });
  const next = join(folder.path, "next.json");
  const results = resultsAt({ api: around(1_000), young: around(1_000) });
  results.machine.cpu = "Another CPU";
  Deno.writeTextFileSync(next, JSON.stringify(results));
  const { stdout } = await plateau(["compare", base, next]);
  assert.match(stdout, /^Not measured alike\n {2}processor: Some CPU @ 2\.40GHz → Another CPU$/m);
  assert.match(stdout, /^Only in BASE: static, old\nOnly in NEW: static, young$/m);
});

Deno.test("compare of two sessions ends at a difference in these, and exits with 5", async () => {
  using folder = emptyFolder();
  const base = sessions(folder.path, "01", [1_000]);
  const next = sessions(folder.path, "02", [900]);
  const ended = await plateau(["compare", base, next]);
  assert.equal(ended.code, 5, ended.stderr);
  assert.match(ended.stdout, /1,000 → 900 requests\/s, .*: differs in these two sessions\n/);
  assert.match(
    ended.stdout,
    /how\s+much\s+results\s+differ\s+between\s+sessions\s+on\s+this\s+machine\s+is\s+unknown/,
  );
});

Deno.test("compare of folders of sessions, or with earlier ones, calls worse what is worse", async () => {
  using folder = emptyFolder();
  const base = sessions(folder.path, "01", [1_000, 1_004, 998]);
  const next = sessions(folder.path, "02", [900, 903, 896]);
  const several = await plateau(["compare", base, next]);
  assert.equal(several.code, 1, several.stdout + several.stderr);
  const single = [join(base, "0"), join(next, "0"), "--sessions", base, "--sessions", next];
  const wide = await plateau(["compare", ...single]);
  assert.equal(wide.code, 5, wide.stdout);
  const rates = [1_000, 1_003, 999, 1_001, 998, 1_002, 997, 1_001, 1_000, 999, 1_003, 998];
  const earlier = sessions(folder.path, "03", rates);
  const known = await plateau(["compare", ...single.slice(0, 2), "--sessions", earlier]);
  assert.equal(known.code, 1, known.stdout + known.stderr);
  assert.match(
    known.stdout,
    /Intervals include the differences between sessions: .* and 12\s+earlier\s+ones/,
  );
});
