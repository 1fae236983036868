import assert from "node:assert/strict";
import { renderBenchPage } from "../../cli/output/formats.ts";
import { runAlone } from "../../report/cells/measured.ts";
import { measurementFixture } from "../report/fixture.ts";

Deno.test("the page of a measurement has its command and its seed, and says nothing of an experiment", () => {
  const measurement = measurementFixture({ target: "", scenario: "s", medianMs: 5, duration: 1 });
  const args = ["http://127.0.0.1:8080/s", "-c", "7", "-b", "hi there"];
  const asked = { thresholds: [], baseline: null, args, seed: 5 };
  const page = renderBenchPage(measurement, asked);
  assert.match(page, /<dt>Seed<\/dt><dd>5<\/dd>/);
  const [, method] = page.split("<h2>Machine and method</h2>");
  const [text] = method.split("</section>");
  assert.ok(
    text.includes(
      "<p>Run <code>plateau bench --seed 5 http://127.0.0.1:8080/s -c 7 -b &quot;hi there&quot;</code></p>",
    ),
    text,
  );
  assert.match(text, /Closed loop: .*No request is left out/s);
  assert.doesNotMatch(text, /experiment|fresh process|blocks|Every run|several runs|resamples/);
});

Deno.test("a measurement whose address is partly secret is shown all the same", () => {
  const { target, scenario } = runAlone({
    ...measurementFixture({ target: "", scenario: "s", medianMs: 5, duration: 1 }),
    url: "http://127.0.0.1:[secret]/s",
  }, "2026-01-01T00:00:00.000Z");
  assert.deepEqual({ target, scenario }, { target: "http://127.0.0.1:[secret]/s", scenario: "/" });
});
