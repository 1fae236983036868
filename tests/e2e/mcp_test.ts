/** `plateau mcp` as clients start it: the official one, and one that goes away at the wrong moment. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { pythonWith } from "../../bench/stage/python.ts";
import { needing } from "../needs.ts";
import { until } from "./patience.ts";
import { COMMAND, emptyFolder, exits, serve } from "./plateau.ts";
import { descendants } from "./processes.ts";

const withClient = needing("mcp");
const withLinux = needing("linux");

const HERE = import.meta.dirname ?? "";
const CLIENT = join(HERE, "../mcp/client.py");
const [PROGRAM, ...FIRST] = COMMAND;

interface Seen {
  readonly version: string;
  readonly name: string;
  readonly tools: readonly string[];
  readonly schemas: readonly { readonly type: string }[];
  readonly seen: Readonly<
    Record<string, { readonly text: string; readonly isError: boolean; readonly figures: Figures }>
  >;
  readonly progress: readonly (readonly [seconds: number, message: string])[];
  readonly refused: readonly [isError: boolean, text: string];
  readonly wrong: readonly [isError: boolean, text: string];
}

interface Figures extends Readonly<Record<string, unknown>> {
  readonly schema: string;
}

for (const [mode, version] of [["auto", "2026-07-28"], ["legacy", "2025-11-25"]]) {
  withClient.test(`the official client calls every tool, in its mode ${mode}`, async () => {
    using folder = emptyFolder();
    await using api = await serve("api");
    const file = join(HERE, "fixtures/small.yaml");
    const results = join(folder.path, "results");
    const { code, stdout, stderr } = await new Deno.Command(pythonWith("mcp") ?? "", {
      args: [CLIENT, mode, `${api.origin}/static`, file, results, ...COMMAND, "mcp"],
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    const said: Seen = JSON.parse(new TextDecoder().decode(stdout));
    assert.deepEqual([said.version, said.name], [version, "plateau"]);
    assert.deepEqual(said.tools, ["check", "bench", "run", "compare", "explain"]);
    assert.deepEqual(said.schemas.map(({ type }) => type), Array(5).fill("object"));
    const { check, bench, run, compare, explain } = said.seen;
    assert.deepEqual(
      [check, bench, run, explain].map(({ figures }) => figures.schema),
      ["plateau.check/1", "plateau.bench/2", "plateau.results/2", "plateau.explanation/1"],
    );
    assert.deepEqual(
      [check, bench, run, compare, explain].map(({ isError }) => isError),
      Array(5).fill(false),
    );
    assert.match(check.text, /^8 runs of 4 cells|^4 runs of 2 cells/m);
    assert.match(bench.text, /^Requests\/s /m);
    assert.match(run.text, /^Report /m);
    const saved = JSON.parse(Deno.readTextFileSync(join(results, "results.json")));
    assert.deepEqual(run.figures, saved);
    const again = join(folder.path, "compared.json");
    await exits(5, ["compare", results, results, "--json", again]);
    assert.deepEqual(compare.figures, JSON.parse(Deno.readTextFileSync(again)));
    assert.ok(said.progress.length >= 1, "a bench of 3 s tells its progress");
    assert.ok(said.refused[0]);
    assert.match(said.refused[1], /Cannot load 192\.0\.2\.1: .*--allow-host 192\.0\.2\.1/);
    assert.ok(said.wrong[0]);
    assert.match(said.wrong[1], /experiment/);
  });
}

/** A client that only writes and reads lines. */
class Lines implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #read: Promise<void>;
  #text = "";

  constructor(args: readonly string[], cwd?: string) {
    this.#child = new Deno.Command(PROGRAM, {
      args: FIRST.concat(["mcp", ...args]),
      cwd,
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    this.#read = this.#readAll(this.#child.stdout);
  }

  async #readAll(stream: Deno.ChildProcess["stdout"]): Promise<void> {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) this.#text += text;
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Messages so far. */
  get messages(): Readonly<Record<string, unknown>>[] {
    return this.#text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
  }

  async call(id: number, name: string, input: object): Promise<void> {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      progressToken: id,
    };
    await this.send({ id, method: "tools/call", params: { _meta, name, arguments: input } });
  }

  async send(message: object): Promise<void> {
    const line = `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
    await this.#input.write(new TextEncoder().encode(line));
  }

  answer(id: number): Promise<Readonly<Record<string, unknown>>> {
    return until(
      `request ${id} is answered`,
      () => this.messages.find((message) => message.id === id) ?? null,
    );
  }

  /** Closes its input; the exit code. */
  async close(): Promise<number> {
    await this.#input.close();
    return (await this.#child.status).code;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.kill();
    } catch {
      // it has ended
    }
    await this.#input.close().catch(() => {});
    await this.#child.status;
    await this.#read;
  }
}

/** Of this process alone: others may run the same tests. */
const SLEEP = `sleep 61.${Deno.pid}`;

/** An experiment that goes on for a minute unless it is ended, on a server of its own. */
const LONG = `name: long
targets: { app: { command: [sh, -c, "exec ${SLEEP} & exec ${PROGRAM} ${
  FIRST.join(" ")
} serve api --port $PORT"] } }
scenarios: { s: { get: /static } }
load: { connections: 1, duration: 60s }
repeat: 1
`;

/** "" where there are no results. */
function stateOf(results: string): string {
  try {
    return JSON.parse(Deno.readTextFileSync(results)).state;
  } catch {
    return "";
  }
}

function sleepers(): { readonly pid: number }[] {
  return descendants(1).filter(({ command }) => command.startsWith(SLEEP));
}

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

for (
  const [how, end] of [
    ["closes its input", (client: Lines) => client.close()],
    ["kills the server", (client: Lines) => client.kill()],
  ] as const
) {
  withLinux.test(`when the client ${how}, what runs ends with all that it started`, async () => {
    using folder = emptyFolder();
    Deno.writeTextFileSync(join(folder.path, "long.yaml"), LONG);
    await using client = new Lines([], folder.path);
    await client.call(1, "run", { experiment: "long.yaml", out: "results" });
    await until("its target runs", () => sleepers().length > 0);
    await end(client);
    await until("its target has ended", () => sleepers().length === 0);
    const saved = join(folder.path, "results/results.json");
    await until("it has saved what it measured", () => stateOf(saved) === "interrupted");
  });
}

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
  assert.match(JSON.stringify(await client.answer(90)), /names a file/);
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
      client.messages.some(({ error }) => /a message this long/.test(JSON.stringify(error ?? ""))),
  );
  await client.call(2, "explain", { about: "steal" });
  assert.match(JSON.stringify(await client.answer(2)), /hypervisor/);
});
