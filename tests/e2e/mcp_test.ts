/** `plateau mcp` by its lines: what it runs, ends and refuses. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { needing } from "../needs.ts";
import { Lines, LONG, sleepers, stateOf } from "./mcp_lines.ts";
import { until } from "./patience.ts";
import { emptyFolder } from "./plateau.ts";

const withLinux = needing("linux");

withLinux.test("a cancelled run ends with all that it started, and is not answered", async () => {
  using folder = emptyFolder();
  Deno.writeTextFileSync(join(folder.path, "long.yaml"), LONG);
  await using client = new Lines([], folder.path);
  await client.call(1, "run", { experiment: "long.yaml", out: "results" });
  await until("its target runs", () => sleepers().length > 0);
  await client.call(2, "bench", { url: "http://192.0.2.1/" });
  await client.call(3, "explain", { about: "steal", figures: false });
  const explained = JSON.stringify(await client.answer(3));
  assert.match(explained, /hypervisor/);
  assert.doesNotMatch(explained, /structuredContent/);
  assert.equal(client.messages.find(({ id }) => id === 2), undefined); // one measurement at a time
  await client.send({ method: "notifications/cancelled", params: { requestId: 1 } });
  const { result } = await client.answer(2);
  assert.match(JSON.stringify(result), /Cannot load 192\.0\.2\.1/);
  await until("its target has ended", () => sleepers().length === 0);
  assert.equal(client.messages.find(({ id }) => id === 1), undefined);
  assert.equal(stateOf(join(folder.path, "results/results.json")), "interrupted");
  assert.equal(await client.close(), 0);
});

Deno.test("no tool loads another host, whichever way an experiment names it", async () => {
  using folder = emptyFolder();
  const targets = [
    "{ url: 'http://192.0.2.1' }",
    "{ url: 'http://example.test' }",
    "{ url: 'http://127.0.0.1:1', httpProxy: 'http://192.0.2.1:3128' }",
    "{ proxy: { origin: 'http://192.0.2.1:80' } }",
  ];
  const scenarios = "{ s: { get: /, follow: { hops: 1, hosts: ['https://192.0.2.1'] } } }";
  const files = [
    ...targets.map((target) => [target, "{ s: { get: / } }"]),
    ["{ app: api }", scenarios],
  ].map(([target, scenario]) =>
    `name: x\ntargets: { t: ${target} }\nscenarios: ${scenario}\nload: { duration: 1s }\nrepeat: 1\n`
  );
  await using client = new Lines([], folder.path);
  for (const [at, text] of files.entries()) {
    Deno.writeTextFileSync(join(folder.path, `${at}.yaml`), text);
    await client.call(at, "run", { experiment: `${at}.yaml` });
    const { result } = await client.answer(at);
    assert.match(
      JSON.stringify(result),
      /Cannot load (192\.0\.2\.1|example\.test): plateau mcp may load only/,
      text,
    );
    assert.match(JSON.stringify(result), /"isError":true/);
  }
  assert.throws(() => Deno.statSync(join(folder.path, "results")), Deno.errors.NotFound);
  const script = `export default {
    name: "x",
    targets: { t: { app: "api" } },
    scenarios: { s: { get: "/" } },
    async setup() { return (await fetch("http://192.0.2.1/")).text(); },
    load: { duration: "1s" },
    repeat: 1,
  };`;
  Deno.writeTextFileSync(join(folder.path, "x.js"), script);
  await client.call(files.length, "run", { experiment: "x.js", out: "scripted" });
  const { result } = await client.answer(files.length);
  assert.match(JSON.stringify(result), /Cannot load 192\.0\.2\.1: plateau mcp may load only/);
  await client.call(90, "bench", { url: "http://127.0.0.1:1/", body: "@/etc/hostname" });
  assert.match(JSON.stringify(await client.answer(90)), /reads @ as a file/);
  await client.call(91, "bench", { url: "--help" });
  assert.match(JSON.stringify(await client.answer(91)), /"isError":true/);
});

Deno.test("--allow-host allows more, and a message that is too long is refused alone", async () => {
  await using client = new Lines(["--allow-host", "192.0.2.0/24,example.test"]);
  await client.call(1, "bench", { url: "http://192.0.3.1/" });
  const text = JSON.stringify(await client.answer(1));
  assert.match(
    text,
    /plateau mcp may load only localhost, 127\.0\.0\.0\/8, ::1, 192\.0\.2\.0\/24, example\.test;/,
  );
  await client.send({ method: "x".repeat(1_100_000) });
  await until(
    "it is refused",
    () =>
      client.messages.some(({ error }) =>
        /a message of more than 1,000,000 characters/.test(JSON.stringify(error ?? ""))
      ),
  );
  await client.call(2, "explain", { about: "steal" });
  assert.match(JSON.stringify(await client.answer(2)), /hypervisor/);
});
