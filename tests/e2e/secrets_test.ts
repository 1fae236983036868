/** What is secret stands in nothing that leaves: a canary in every place where a secret may be given. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { results } from "../../runner/result/result.ts";
import { testWith } from "../needs.ts";
import { startCollector } from "../cli/collector.ts";
import { canaryOf, filesIn, findCanaries, startEcho } from "./canaries.ts";
import { emptyFolder, exits, Plateau } from "./plateau.ts";
import { descendants } from "./processes.ts";

const PROGRAM = join(import.meta.dirname ?? "", "../targets/fixtures/program.ts");

const ENV = {
  C_HEADER: canaryOf("header").replace("é", ""), // header fields are Latin-1 here, and the echo UTF-8
  C_QUERY: canaryOf("query").replace("é", ""),
  C_TITLE: canaryOf("title"),
  C_PRINTED: canaryOf("printed"),
};
const BASIC = btoa(`me:${canaryOf("basic").replace("é", "")}`);

function experimentFor(origin: string): string {
  const deno = JSON.stringify(Deno.execPath());
  const serving = `[${deno}, run, -A, ${PROGRAM}, serve]`;
  const failing = `[sh, -c, 'env >&2; env | base64 -w0 >&2; exit 3']`;
  return `name: canaries
title: Of \${env.C_TITLE}
parameters:
  marked: { secret: true, value: '${canaryOf("marked").replaceAll("'", "''")}' }
  given: { secret: true }
targets:
  web: { url: ${origin} }
  ours: { command: ${serving}, env: { KEY: "\${env.C_PRINTED}" } }
  failing:
    command: ${failing}
    env: { KEY: "\${env.C_PRINTED}", DB: "postgres://me:${
    encodeURIComponent(canaryOf("address"))
  }@h/" }
scenarios:
  right:
    get: "/echo?key=\${env.C_QUERY}"
    headers: { authorization: "Bearer \${env.C_HEADER}", cookie: 'a=${cookie()}' }
    targets: [web]
  wrong:
    post: /echo
    json: { given: "\${given}", marked: "\${marked}" }
    headers: { authorization: Basic ${BASIC}, x-api-key: "\${env.C_HEADER}" }
    expect: { body: other than this }
    targets: [web, ours]
  never: { get: "/\${env.C_QUERY}", targets: [failing] }
load: { connections: 2, requests: 50 }
repeat: 1
thresholds: [p50 < 1us]
`;
}

function cookie(): string {
  return canaryOf("cookie").replace("'", "").replace("é", "");
}

/** Looks at the page as browsers do, until its end. */
async function watch(url: string): Promise<string> {
  const seen: string[] = [];
  const { body } = await fetch(new URL("events", url));
  for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    seen.push(part, await (await fetch(url)).text());
    for (const [, receipt] of part.matchAll(/"receipt":"([^"]+)"/g)) {
      await (await fetch(new URL("shown", url), { method: "POST", body: receipt })).body?.cancel();
    }
  }
  return seen.join("\n");
}

/**
 * Command lines of all that the program has started, as often as they can be read until it ends; without
 * its own, which a child has until it becomes another program.
 */
async function commandsUntil(program: Plateau): Promise<string> {
  const seen = new Set<string>();
  let isOver = false;
  void program.ended.then(() => isOver = true);
  while (!isOver) {
    for (const { command } of descendants(program.pid)) {
      if (!command.includes("--live")) seen.add(command);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return [...seen].join("\n");
}

const FORMS = ["json", "csv", "csv-intervals", "markdown", "junit", "hlog", "html"];

function formsIn(folder: string): string[] {
  return FORMS.flatMap((form) => [`--${form}`, join(folder, `form.${form}`)]);
}

testWith(["linux"], "no form of a run holds a secret, wherever it was given", async () => {
  await using server = startEcho();
  using folder = emptyFolder();
  using forms = emptyFolder();
  const file = join(folder.path, "canaries.yaml");
  writeFileSync(file, experimentFor(`http://127.0.0.1:${server.addr.port}`));
  const out = join(forms.path, "out");
  const args = ["run", file, "--out", out, "--live", "--set", `given=${canaryOf("given")}`];
  const env = {
    ...ENV,
    OTEL_EXPORTER_OTLP_HEADERS: `api-key=${encodeURIComponent(canaryOf("collector"))}`,
    GITHUB_ACTIONS: "true",
    GITHUB_STEP_SUMMARY: join(forms.path, "summary.md"),
  };
  await using collector = startCollector(() => new Response("{}"));
  const otlp = ["--otlp", collector.origin];
  await using program = new Plateau([...args, ...formsIn(forms.path), ...otlp], { env });
  const [, url] = await program.prints(/^Live report {2}(\S+)$/m);
  const [live, commands, { code, stdout, stderr }] = await Promise.all([
    watch(url),
    commandsUntil(program),
    program.ended,
  ]);
  assert.equal(code, 3, stderr);
  const written = filesIn(forms.path);
  const sent = collector.asked.map(({ body }) => body).join("\n");
  assert.match(sent, /"http\.client\.request\.duration"/);
  assert.deepEqual(findCanaries({ ...written, sent, live, commands, stdout, stderr }), []);
  assert.match(commands, /program\.ts serve/);
  const all = results.parse(JSON.parse(written["out/results.json"]));
  assert.equal(all.experiment.title, "Of ${env.C_TITLE}");
  assert.match(all.source, /authorization: "Bearer \$\{env\.C_HEADER\}", cookie: "\[secret\]"/);
  assert.deepEqual(all.flags?.set, { given: "[secret]" });
  assert.equal(all.file?.withheld, true);
  assert.deepEqual(all.runs.map(({ scenario }) => scenario), ["right"]);
  assert.deepEqual(
    all.missing.map(({ scenario, target }) => `${scenario} ${target}`).sort(),
    ["never failing", "wrong ours", "wrong web"],
  );
  const failed = all.missing.find(({ target }) => target === "failing");
  assert.match(failed?.evidence.join("\n") ?? "", /^DB=postgres:\/\/me:\[secret\]@h\/$/m);
  assert.match(failed?.evidence.join("\n") ?? "", /^KEY=\$\{env\.C_PRINTED\}$/m);
  const wrong = all.missing.find(({ target }) => target === "web");
  assert.match(wrong?.reason ?? "", /authorization\\",\\"\[secret\]\\"/);
});

Deno.test("no form of a single measurement holds the fields that prove who asks", async () => {
  await using server = startEcho();
  using forms = emptyFolder();
  const origin = `http://127.0.0.1:${server.addr.port}/echo`;
  const fields = [`authorization: Basic ${BASIC}`, `cookie: a=${cookie()}`];
  const headers = fields.flatMap((field) => ["-H", field]);
  const args = ["bench", origin, ...headers, "-c", "1", "-n", "5", ...formsIn(forms.path)];
  const log = ["--log", join(forms.path, "requests.log")];
  const { stdout, stderr } = await exits(1, [...args, ...log, "--expect-body", "other"]);
  assert.deepEqual(findCanaries({ ...filesIn(forms.path), stdout, stderr }), []);
});
