/** Who starts the program from source fetches no package that the tests alone use. */
import assert from "node:assert/strict";
import { cpSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { packageCache, ROOT } from "../../cli/compiled/parts.ts";
import { readText } from "../architecture/tree.ts";
import { testWith } from "../needs.ts";
import { emptyFolder } from "./plateau.ts";

const FOR_TESTS = ["axe-core", "fast-check", "hdr-histogram-js", "playwright-core", "string-width"];

testWith(
  ["linux"],
  "the program starts from source where the packages of the tests are missing",
  async () => {
    using folder = emptyFolder();
    const cache = await packageCache();
    const host = readdirSync(cache).find((name) => existsSync(join(cache, name, "zod"))) ?? "";
    for (const id of lockedPackages()) {
      const at = id.lastIndexOf("@");
      const [name, version] = [id.slice(0, at), id.slice(at + 1)];
      if (FOR_TESTS.includes(name) || !existsSync(join(cache, host, name, version))) continue;
      for (const part of [version, "registry.json"]) {
        const from = join(cache, host, name, part);
        const to = join(folder.path, "npm", host, name, part);
        if (existsSync(from)) cpSync(from, to, { recursive: true });
      }
    }
    const { code, stderr } = new Deno.Command(Deno.execPath(), {
      args: ["run", "--cached-only", "--no-check", "-A", join(ROOT, "main.ts"), "list"],
      env: { DENO_DIR: folder.path },
    }).outputSync();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
  },
);

testWith(
  ["linux"],
  "started without our deno.json, as deno install -g does, it says how to install it",
  () => {
    using folder = emptyFolder();
    const config = join(folder.path, "deno.json");
    Deno.writeTextFileSync(config, "{}");
    const { code, stderr } = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--no-check",
        "--config",
        config,
        join(ROOT, "main.ts"),
        "check",
        "quick",
      ],
    }).outputSync();
    assert.equal(code, 3);
    assert.match(new TextDecoder().decode(stderr), /deno install -g -A --config deno\.json/);
  },
);

/** Name and version of each, without its peers. */
function lockedPackages(): string[] {
  const { npm } = JSON.parse(readText("deno.lock")) as { npm: Record<string, unknown> };
  return Object.keys(npm).map((id) => id.replace(/_.*$/, ""));
}
