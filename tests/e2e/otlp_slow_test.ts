/** Metrics as users send them: after a measurement, to the collector that they name, and to nobody else. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { measurement, results } from "../../runner/result/result.ts";
import { startCollector } from "../cli/collector.ts";
import {
  attributesOf,
  durationPoints,
  exportMetricsServiceRequest,
  type ExportRequest,
  pointsOf,
} from "../report/otlp_schema.ts";
import { emptyFolder, exits, plateau } from "./plateau.ts";
import { startWitness } from "./witness.ts";

type Collector = ReturnType<typeof startCollector>;

function sentTo({ asked }: Collector): ExportRequest[] {
  return asked.map(({ body }) => exportMetricsServiceRequest.parse(JSON.parse(body)));
}

function taken(): Response {
  return new Response("{}");
}

Deno.test("bench sends what it measured, once", async () => {
  await using witness = startWitness();
  await using collector = startCollector(taken);
  const args = ["bench", witness.origin, "-c", "2", "-n", "50", "--otlp", collector.origin];
  const { stdout } = await exits(0, [...args, "--json", "-"]);
  const measured = measurement.parse(JSON.parse(stdout));
  const sent = sentTo(collector);
  assert.equal(sent.length, 1);
  const [{ is, value }] = pointsOf(sent, "plateau.requests");
  assert.deepEqual([is["http.request.method"], is["plateau.outcome"], value], [
    "GET",
    "completed",
    50,
  ]);
  const [duration] = durationPoints(sent);
  assert.equal(Number(duration.count), measured.latency.count);
  assert.equal(duration.max, measured.latency.max * 1_000 / 1e6);
  const startedAt = Number(BigInt(duration.startTimeUnixNano) / 1_000_000n);
  assert.equal(new Date(startedAt).toISOString(), measured.loadStartedAt);
});

Deno.test("where a collector refuses, everything else is written, and the exit code is 3", async () => {
  await using witness = startWitness();
  await using collector = startCollector(() =>
    new Response('{"message":"not today"}', { status: 400 })
  );
  using folder = emptyFolder();
  const at = (name: string): string => join(folder.path, name);
  const experiment = {
    name: "sent",
    targets: { here: { url: witness.origin } },
    scenarios: { s: { get: "/" } },
    load: { connections: [1, 2], requests: 20 },
    repeat: 2,
  };
  await Deno.writeTextFile(at("sent.json"), JSON.stringify(experiment));
  const forms = ["--csv", at("a.csv"), "--otlp", collector.origin];
  const args = ["run", at("sent.json"), "--out", at("out"), "-q", ...forms];
  const { code, stdout, stderr } = await plateau(args);
  assert.equal(code, 3, stderr);
  assert.match(
    stderr,
    /^Cannot send metrics to http:\/\/127\.0\.0\.1:\d+\/v1\/metrics: it responds with 400, not today$/m,
  );
  assert.match(stdout, /\nResults {2}/);
  const { runs } = results.parse(JSON.parse(await Deno.readTextFile(at("out/results.json"))));
  assert.equal(runs.length, 4);
  assert.ok((await Deno.readTextFile(at("a.csv"))).length > 0);
  const rates = pointsOf(sentTo(collector), "plateau.request.rate");
  assert.deepEqual(rates.map(({ value }) => value), runs.map(({ rate }) => rate));
  await exits(3, ["report", at("out"), "--otlp", collector.origin]);
  assert.equal(collector.asked[1].body, collector.asked[0].body);
});

Deno.test("report sends several results, each as a resource of its own", async () => {
  await using witness = startWitness();
  await using collector = startCollector(taken);
  using folder = emptyFolder();
  const at = (name: string): string => join(folder.path, name);
  await Promise.all(["one", "two"].map(async (name) => {
    const experiment = {
      name,
      targets: { here: { url: witness.origin } },
      scenarios: { s: { get: "/" } },
      load: { connections: 1, requests: 20 },
      repeat: 1,
    };
    await Deno.writeTextFile(at(`${name}.json`), JSON.stringify(experiment));
    const args = ["run", at(`${name}.json`), "--out", at(name), "-q"];
    await exits(0, args);
  }));
  const args = ["report", at("one"), at("two"), "-o", at("page.html"), "--otlp", collector.origin];
  await exits(0, args);
  const resources = sentTo(collector).flatMap(({ resourceMetrics }) => resourceMetrics);
  assert.deepEqual(
    resources.map(({ resource }) => attributesOf(resource)["plateau.experiment"]),
    ["one", "two"],
  );
});

Deno.test("variables of OpenTelemetry alone send nothing", async () => {
  await using witness = startWitness();
  await using collector = startCollector(taken);
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${collector.origin}/v1/metrics`,
    OTEL_EXPORTER_OTLP_HEADERS: "no header field",
  };
  await exits(0, ["bench", witness.origin, "-c", "1", "-n", "5"], { env });
  assert.deepEqual(collector.asked, []);
});
