/** What is secret stands in nothing that leaves: a canary in every place where a secret may be given. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { results } from "../../runner/result.ts";
import { testWith } from "../needs.ts";
import { canaryOf, filesIn, findCanaries } from "./canaries.ts";
import { emptyFolder, Plateau, plateau } from "./plateau.ts";
import { descendants } from "./processes.ts";

const PROGRAM = join(import.meta.dirname ?? "", "../targets/fixtures/program.ts");

const ENV = {
  C_HEADER: canaryOf("header").replace("é", ""), // header fields are Latin-1 here, and the echo UTF-8
  C_QUERY: canaryOf("query").replace("é", ""),
  C_TITLE: canaryOf("title"),
  C_PRINTED: canaryOf("printed"),
};
const BASIC = btoa(`me:${canaryOf("basic").replace("é", "")}`);

/** Answers with all that it is asked, in several ways of writing it. */
function startEcho(): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const asked = { url: request.url, headers: [...request.headers], body: await request.text() };
    const text = JSON.stringify(asked);
    const body = `${text}\n${encodeURIComponent(text)}\n${
      new TextEncoder().encode(text).toBase64()
    }`;
    return new Response(body, { headers: { "content-type": "text/plain" } });
  });
}

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
load: { connections: 2, duration: 100ms }
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

const FORMS = ["json", "csv", "csv-intervals", "markdown", "junit", "html"];

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
    GITHUB_ACTIONS: "true",
    GITHUB_STEP_SUMMARY: join(forms.path, "summary.md"),
  };
  await using program = new Plateau([...args, ...formsIn(forms.path)], { env });
  const [, url] = await program.prints(/^Live report {2}(\S+)$/m);
  const [live, commands, { code, stdout, stderr }] = await Promise.all([
    watch(url),
    commandsUntil(program),
    program.ended,
  ]);
  assert.equal(code, 3, stderr);
  const written = filesIn(forms.path);
  assert.deepEqual(findCanaries({ ...written, live, commands, stdout, stderr }), []);
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
  const { code, stdout, stderr } = await plateau([...args, ...log, "--expect-body", "other"]);
  assert.equal(code, 1, stderr);
  assert.deepEqual(findCanaries({ ...filesIn(forms.path), stdout, stderr }), []);
});

const RESUMED = `name: resumed
parameters: { given: { secret: true } }
targets: { web: { url: ORIGIN } }
scenarios:
  s: { get: /, headers: { authorization: "Bearer \${env.C_HEADER}", x-mine: "\${given}" } }
load: { connections: 1, requests: 10 }
repeat: 1
`;

/** An experiment that is done, as if it had been interrupted before its end. */
async function interrupted(folder: string, text: string): Promise<string> {
  const file = join(folder, "resumed.yaml");
  writeFileSync(file, text);
  const out = join(folder, "out");
  const given = ["--set", `given=${canaryOf("given")}`];
  const args = ["run", file, "--out", out, "--quiet", ...text.includes("given") ? given : []];
  const { code, stderr } = await plateau(args, { env: ENV });
  assert.equal(code, 0, stderr);
  const path = join(out, "results.json");
  const all = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify({ ...all, state: "interrupted", runs: [] }));
  return out;
}

Deno.test("going on takes secrets from the environment and the command line again", async () => {
  await using server = startEcho();
  using folder = emptyFolder();
  const text = RESUMED.replace("ORIGIN", `http://127.0.0.1:${server.addr.port}`);
  const out = await interrupted(folder.path, text);
  const resume = ["run", "--resume", out, "--quiet"];
  const without = await plateau(resume, { env: ENV });
  assert.equal(without.code, 2);
  assert.match(
    without.stderr,
    /^--set given: Cannot go on without this: it is secret, .* \(add --set given=… again\)$/m,
  );
  const given = ["--set", `given=${canaryOf("marked")}`]; // another value is no other experiment
  const { code, stderr } = await plateau([...resume, ...given], { env: ENV });
  assert.equal(code, 0, stderr);
  assert.equal(JSON.parse(readFileSync(join(out, "results.json"), "utf8")).runs.length, 1);
});

Deno.test("a file that holds secrets itself has to be named to go on, and stays as it is", async () => {
  await using server = startEcho();
  using folder = emptyFolder();
  const text = RESUMED.replace("ORIGIN", `http://127.0.0.1:${server.addr.port}`)
    .replace("Bearer ${env.C_HEADER}", "Bearer literally-secret").replace(/^parameters.*\n/m, "")
    .replace(', x-mine: "${given}"', "");
  const out = await interrupted(folder.path, text);
  assert.doesNotMatch(readFileSync(join(out, "resumed.yaml"), "utf8"), /literally/);
  const copy = await plateau(["run", "--resume", out, "--quiet"]);
  assert.equal(copy.code, 2);
  assert.match(copy.stderr, /Cannot go on from this copy: the secrets that the file held/);
  const file = join(folder.path, "resumed.yaml");
  const named = await plateau(["run", file, "--resume", out, "--quiet"]);
  assert.equal(named.code, 0, named.stderr);
  const beside = await plateau(["run", file, "--out", folder.path, "--quiet"]);
  assert.equal(beside.code, 0, beside.stderr);
  assert.equal(readFileSync(file, "utf8"), text);
});
