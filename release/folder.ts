/** The folder of a release, which holds its files and their checksums, and nothing of an earlier one. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sha256 } from "./packages/digest.ts";

const FOLDERS = ["npm", "man", "completions", "homebrew", "winget"];

/** Archives, packages and images, of whatever version. */
const PACKAGE = /^plateau[-_].*\.(?:tar\.gz|zip|deb|rpm|oci\.tar)$/;

/** Files are written as they are made: together they need more memory than a machine may have. */
export class ReleaseFolder {
  readonly #sums = new Map<string, string>();
  readonly #path: string;

  /** Removes what an earlier release has left in it. */
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

  /** Writes the checksums, by path, as `sha256sum -c` reads them in the folder. */
  end(): void {
    const lines = [...this.#sums].sort(([a], [b]) => a < b ? -1 : 1)
      .map(([path, sum]) => `${sum}  ${path}\n`);
    writeFileSync(join(this.#path, "SHA256SUMS"), lines.join(""));
  }
}
