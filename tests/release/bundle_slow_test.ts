/** What a release is made of does not depend on where it is made, and names all that is in it. */
import assert from "node:assert/strict";
import { cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { emptyFolder } from "../e2e/plateau.ts";
import { testWith } from "../needs.ts";
import { licenseNotices, packagesOf } from "../../cli/compiled/packages.ts";
import { bundledParts, packageCache, ROOT } from "../../cli/compiled/parts.ts";
import { sbom } from "../../release/sbom.ts";

const parts = await bundledParts();
const cache = await packageCache();
const packages = packagesOf(parts, cache);

const SOURCES = [
  ...["base", "cli", "report", "runner", "scenarios", "targets", "release"],
  ...["main.ts", "deno.json", "deno.lock", "LICENSE"],
];

testWith(
  ["linux"],
  "sources and packages that lie elsewhere make the same parts, by the same names",
  () => {
    using folder = emptyFolder();
    const copy = join(folder.path, "a/b/c/checkout");
    for (const name of SOURCES) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    const cacheThere = join(folder.path, "packages");
    symlinkSync(join(cache, ".."), cacheThere);
    const module = pathToFileURL(join(copy, "cli/compiled/parts.ts")).href;
    const program = `import { bundledParts } from "${module}";
    Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify([...await bundledParts()])));`;
    const { success, stdout, stderr } = new Deno.Command(Deno.execPath(), {
      args: ["eval", program],
      cwd: copy,
      env: { DENO_DIR: cacheThere },
    }).outputSync();
    assert.ok(success, new TextDecoder().decode(stderr));
    const there = new Map<string, string>(JSON.parse(new TextDecoder().decode(stdout)));
    assert.deepEqual([...there.keys()], [...parts.keys()]);
    const others = [...there].filter(([name, text]) => parts.get(name) !== text);
    assert.deepEqual(others.map(([name]) => name), []);
  },
);

Deno.test("no part holds a path of this machine", () => {
  const paths = [ROOT, cache].map((path) => path.replace(/^\//, ""));
  const found = [...parts].filter(([, text]) => paths.some((path) => text.includes(path)));
  assert.deepEqual(found.map(([name]) => name), []);
});

Deno.test("the licences of all packages in the program and its page are told, with their texts", () => {
  const names = packages.map(({ name }) => name);
  for (const name of ["bullmq", "chart.js", "@kurkle/color", "semver", "zod"]) {
    assert.ok(names.includes(name), name);
  }
  for (const name of ["fast-check", "playwright-core"]) assert.ok(!names.includes(name), name);
  const notices = licenseNotices(packages);
  for (const { name, version, license, text } of packages) {
    assert.ok(notices.includes(`${name} ${version} (${license})`), name);
    assert.match(text, /copyright|blue oak|apache license/i, name);
    assert.match(text, /permi(?:t|ssion)|licen[cs]e/i, name);
  }
});

Deno.test("the list of parts has each package once, by name, version and checksum", () => {
  const runtime = { deno: "2.9.6", v8: "15.0" };
  const list = sbom({ packages, commit: null, runtime, timeS: 1e9 }) as List;
  const ids = list.packages.map(({ SPDXID }) => SPDXID);
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(ids.filter((id) => !/^SPDXRef-[A-Za-z0-9.-]+$/.test(id)), []);
  const zod = list.packages.find(({ name }) => name === "zod");
  assert.match(zod?.checksums?.[0].checksumValue ?? "", /^[0-9a-f]{128}$/);
});

interface List {
  readonly packages: readonly {
    readonly SPDXID: string;
    readonly name: string;
    readonly checksums?: readonly { readonly checksumValue: string }[];
  }[];
}
