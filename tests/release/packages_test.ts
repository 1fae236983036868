/** Packages of systems as their own tools read them, and what they say of the program. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { emptyFolder } from "../e2e/plateau.ts";
import { testWith } from "../needs.ts";
import { librariesOf } from "../../release/libraries.ts";
import { deb } from "../../release/packages/deb.ts";
import { sha256 } from "../../release/packages/digest.ts";
import { formula } from "../../release/packages/homebrew.ts";
import { image } from "../../release/packages/image.ts";
import { rpm } from "../../release/packages/rpm.ts";
import type { Companions } from "../../release/packages/system.ts";
import { wingetManifests } from "../../release/packages/winget.ts";
import { platformNamed } from "../../release/platforms.ts";
import { VERSION } from "../../release/product.ts";
import { parse } from "yaml";

const TIME_S = 1_769_862_610;
const X64 = platformNamed("linux-x64");
const PROGRAM = new TextEncoder().encode("#!/bin/sh\necho hello\n");
const COMPANIONS: Companions = {
  license: "MIT\n",
  notices: "others\n",
  completions: { bash: "# bash\n", zsh: "# zsh\n", fish: "# fish\n" },
  manual: new Map([["plateau.1", ".TH X 1\n"]]),
};

function outputOf(program: string, ...args: string[]): string {
  const { success, stdout, stderr } = new Deno.Command(program, { args }).outputSync();
  assert.ok(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

testWith(["dpkg-deb"], "dpkg reads a .deb, and the checksums in it are those of its files", () => {
  using folder = emptyFolder();
  const path = join(folder.path, "a.deb");
  Deno.writeFileSync(path, deb(X64, PROGRAM, COMPANIONS, TIME_S));
  assert.equal(
    outputOf("dpkg-deb", "--field", path, "Version", "Architecture"),
    `Version: ${VERSION}\nArchitecture: amd64\n`,
  );
  // Debian 10 and Ubuntu 18.04, which have the glibc that it needs, have no libgcc-s1 yet.
  assert.match(outputOf("dpkg-deb", "--field", path, "Depends"), /, libgcc-s1 \| libgcc1\n$/);
  const root = join(folder.path, "root");
  outputOf("dpkg-deb", "--raw-extract", path, root);
  assert.equal(outputOf(join(root, "usr/bin/plateau")), "hello\n");
  outputOf("sh", "-c", `cd '${root}' && md5sum --check --strict --quiet DEBIAN/md5sums`);
  const owners = outputOf("dpkg-deb", "--contents", path).trim().split("\n");
  assert.deepEqual(owners.filter((line) => !/^[-d]\S+ root\/root /.test(line)), []);
});

testWith(["rpm"], "rpm finds every checksum of an .rpm right, and unpacks it", () => {
  using folder = emptyFolder();
  const path = join(folder.path, "a.rpm");
  Deno.writeFileSync(path, rpm(X64, PROGRAM, COMPANIONS, TIME_S));
  const database = ["--dbpath", join(folder.path, "db")]; // by default in HOME
  assert.match(outputOf("rpm", ...database, "--checksig", path), /digests OK/i);
  const query =
    "%{NAME} %{VERSION} %{ARCH} %{LICENSE}\n[%{FILENAMES} %{FILEMODES:perms} %{FILEDIGESTS}\n]";
  const [head, ...files] = outputOf("rpm", ...database, "-qp", "--qf", query, path).trim().split(
    "\n",
  );
  assert.equal(head, `plateau ${VERSION} x86_64 MIT`);
  assert.ok(files.includes(`/usr/bin/plateau -rwxr-xr-x ${sha256(PROGRAM)}`), files.join("\n"));
  outputOf("sh", "-c", `cd '${folder.path}' && HOME=. rpm2cpio a.rpm | cpio -id --quiet`);
  assert.equal(outputOf(join(folder.path, "usr/bin/plateau")), "hello\n");
});

Deno.test("an image has what an older glibc resolves names with", () => {
  using folder = emptyFolder();
  const inRoot = (name: string): string => `lib/x86_64-linux-gnu/${name}`;
  const resolving = ["libnss_dns.so.2", "libnss_files.so.2", "libresolv.so.2"].map(inRoot);
  const linked = ["c.so.6", "dl.so.2", "gcc_s.so.1", "m.so.6", "pthread.so.0", "rt.so.1"]
    .map((name) => inRoot(`lib${name}`));
  for (const path of ["lib64/ld-linux-x86-64.so.2", ...linked, ...resolving]) {
    Deno.mkdirSync(join(folder.path, dirname(path)), { recursive: true });
    Deno.writeTextFileSync(join(folder.path, path), "");
  }
  const paths = librariesOf(X64, folder.path)?.map(({ path }) => path) ?? [];
  assert.deepEqual(resolving.filter((path) => !paths.includes(path)), []);
  Deno.removeSync(join(folder.path, inRoot("libnss_dns.so.2")));
  assert.equal(librariesOf(X64, folder.path)?.length, paths.length - 1);
});

testWith(["tar"], "an image names its blobs by their digests, and a user who is not root", () => {
  using folder = emptyFolder();
  const path = join(folder.path, "a.tar");
  const files = librariesOf(X64, "/") ?? [];
  Deno.writeFileSync(path, image(X64, files, TIME_S));
  outputOf("tar", "-xf", path, "-C", folder.path);
  const blob = (digest: string): Uint8Array =>
    Deno.readFileSync(join(folder.path, "blobs", digest.replace(":", "/")));
  const json = (bytes: Uint8Array): Described => JSON.parse(new TextDecoder().decode(bytes));
  const index = json(Deno.readFileSync(join(folder.path, "index.json")));
  const manifest = json(blob(index.manifests[0].digest));
  const config = json(blob(manifest.config.digest));
  for (const { digest, size } of [index.manifests[0], manifest.config, ...manifest.layers]) {
    assert.equal(blob(digest).length, size);
    assert.equal(`sha256:${sha256(blob(digest))}`, digest);
  }
  assert.equal(config.config.User, "65532:65532");
  const layer = join(folder.path, "blobs", manifest.layers[0].digest.replace(":", "/"));
  assert.match(outputOf("tar", "-tvzf", layer), /^drwxrwxrwt .* tmp\/$/m);
});

interface Described {
  readonly manifests: readonly { readonly digest: string; readonly size: number }[];
  readonly layers: readonly { readonly digest: string; readonly size: number }[];
  readonly config: { readonly digest: string; readonly size: number; readonly User: string };
}

const ARCHIVE = { platform: "macos-arm64", address: "https://a.test/archive", sha256: "ab12" };

Deno.test("the formula fetches each platform's archive by its checksum", () => {
  const text = formula([ARCHIVE, { ...ARCHIVE, platform: "linux-x64", sha256: "cd34" }]) ?? "";
  assert.match(
    text,
    /on_macos do\n {4}on_arm do\n {6}url "https:\/\/a\.test\/archive"\n {6}sha256 "ab12"/,
  );
  assert.equal(formula([{ ...ARCHIVE, platform: "windows-x64" }]), null);
  assert.match(text, /on_linux do\n {4}on_intel do\n.*\n {6}sha256 "cd34"/);
  assert.equal(text.match(/\bdo$/gm)?.length, (text.match(/^ *end$/gm)?.length ?? 0) - 2);
});

Deno.test("the manifests of winget are YAML with the keys that its schema asks for", () => {
  const manifests = [...wingetManifests(ARCHIVE).values()].map((text) => parse(text));
  assert.deepEqual(manifests.map(({ ManifestType }) => ManifestType), [
    "version",
    "installer",
    "defaultLocale",
  ]);
  assert.deepEqual(
    new Set(manifests.map(({ PackageVersion }) => PackageVersion)),
    new Set([VERSION]),
  );
  assert.equal(manifests[1].Installers[0].InstallerSha256, "AB12");
});
