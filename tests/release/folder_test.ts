/** What dist/ holds after a release: its own files, and nothing of an earlier one. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { emptyFolder } from "../e2e/plateau.ts";
import { ReleaseFolder } from "../../release/folder.ts";

const EARLIER = [
  ...["plateau-0.0.9-linux-x64.tar.gz", "plateau-0.0.9-windows-x64.zip"],
  ...["plateau_0.0.9_amd64.deb", "plateau-0.0.9-1.x86_64.rpm"],
  ...["plateau-0.0.9-linux-x64.oci.tar", "npm/plateau-0.0.9.tgz", "man/old.1"],
];
const OTHERS = ["plateau", "plateau-notes.txt", "mine.tar.gz"];

Deno.test("a release leaves no file of an earlier one, and what is no release's alone", () => {
  using folder = emptyFolder();
  const dist = join(folder.path, "dist");
  for (const inner of ["npm", "man"]) Deno.mkdirSync(join(dist, inner), { recursive: true });
  for (const name of [...EARLIER, ...OTHERS]) Deno.writeTextFileSync(join(dist, name), "");
  const release = new ReleaseFolder(dist);
  release.add("npm/plateau-0.1.0.tgz", "b");
  release.add("a.txt", "a");
  release.end();
  assert.deepEqual(
    [...Deno.readDirSync(dist)].map(({ name }) => name).sort(),
    ["SHA256SUMS", "a.txt", ...OTHERS, "npm"].sort(),
  );
  assert.deepEqual([...Deno.readDirSync(join(dist, "npm"))].map(({ name }) => name), [
    "plateau-0.1.0.tgz",
  ]);
  const sums = Deno.readTextFileSync(join(dist, "SHA256SUMS")).trim().split("\n");
  assert.deepEqual(sums.map((line) => line.slice(64)), ["  a.txt", "  npm/plateau-0.1.0.tgz"]);
});

Deno.test("a release begins where nothing was built yet", () => {
  using folder = emptyFolder();
  const release = new ReleaseFolder(join(folder.path, "dist"));
  release.add("a.txt", "a");
  assert.equal(release.sumOf("a.txt").length, 64);
});
