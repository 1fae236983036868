import assert from "node:assert/strict";
import { openExperiment } from "../../runner/experiment/provenance.ts";
import { secrets } from "../../base/secrets.ts";

Deno.test("names of an experiment stay where they are meant, though a secret is such a word", () => {
  secrets.keep("static", "${env.WAY}");
  secrets.keep("p4ssword-of-it", "${env.PASSWORD}");
  const experiment = {
    title: "Of static files",
    targets: { api: { url: "http://h/static" } },
    scenarios: { static: { get: "/static", body: "p4ssword-of-it", targets: ["api", "static"] } },
    claims: [{ text: "p50(static) < 1s by p4ssword-of-it" }],
  };
  assert.deepEqual(openExperiment(experiment), {
    title: "Of ${env.WAY} files",
    targets: { api: { url: "http://h/${env.WAY}" } },
    scenarios: {
      static: { get: "/${env.WAY}", body: "${env.PASSWORD}", targets: ["api", "static"] },
    },
    claims: [{ text: "p50(static) < 1s by ${env.PASSWORD}" }],
  });
});
