/** The folder of a release, with its files and their checksums, and nothing left of an earlier release. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sha256 } from "./packages/digest.ts";

const FOLDERS = ["npm", "man", "completions", "homebrew", "winget"];

/** Archives, packages and images of any version. */
const PACKAGE = /^plateau[-_].*\.(?:tar\.gz|zip|deb|rpm|oci\.tar)$/;

/** Files are written as soon as they are made, because all of them together may exceed the memory. */
export class ReleaseFolder {
  readonly #sums = new Map<string, string>();
  readonly #path: string;

  /** Removes the files of an earlier release. */
  constructor(path: string) {
    this.#path = path;
    const names = existsSync(path) ? readdirSync(path) : [];
    for (const name of names.filter((name) => FOLDERS.includes(name) || PACKAGE.test(name))) {
      rmSync(join(path, name), { recursive: true });
    }
  }

  add(path: string, content: Uint8Array | string): void {
    const place = join(this.#path, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, content);
    this.#sums.set(path, sha256(content));
  }

  sumOf(path: string): string {
    return this.#sums.get(path) ?? "";
  }

  /** Writes the checksums, sorted by path, in the format that `sha256sum -c` reads. */
  end(): void {
    const lines = [...this.#sums].sort(([a], [b]) => a < b ? -1 : 1)
      .map(([path, sum]) => `${sum}  ${path}\n`);
    writeFileSync(join(this.#path, "SHA256SUMS"), lines.join(""));
  }
}
