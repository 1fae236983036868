/** `plateau mcp` as clients start it: the official one, and one that goes away at the wrong moment. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { pythonWith } from "../../bench/stage/python.ts";
import { needing } from "../needs.ts";
import { Lines, LONG, sleepers, stateOf } from "./mcp_lines.ts";
import { until } from "./patience.ts";
import { COMMAND, emptyFolder, exits, serve } from "./plateau.ts";

const withClient = needing("mcp");

const withLinux = needing("linux");

const HERE = import.meta.dirname ?? "";

const CLIENT = join(HERE, "../mcp/client.py");

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
