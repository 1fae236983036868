/** The shared libraries that the program needs, taken from a Linux system, for an image FROM scratch. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ArchiveFile, PROGRAM_MODE } from "./archives/entry.ts";
import type { Platform } from "./platforms.ts";

const LOADERS = {
  x64: "lib64/ld-linux-x86-64.so.2",
  arm64: "lib/ld-linux-aarch64.so.1",
} as const;

/** Where Debian and Fedora, and the distributions derived from them, have libraries. */
const FOLDERS = {
  x64: ["lib/x86_64-linux-gnu", "lib64"],
  arm64: ["lib/aarch64-linux-gnu", "lib64"],
} as const;

const NAMES = [
  "libc.so.6",
  "libdl.so.2",
  "libgcc_s.so.1",
  "libm.so.6",
  "libpthread.so.0",
  "librt.so.1",
];

/** Libraries that glibc before 2.34 loads to resolve names; newer versions may not have them. */
const RESOLVING = ["libnss_dns.so.2", "libnss_files.so.2", "libresolv.so.2"];

/** The libraries' licences, if the system is a Debian. */
const LICENSES = ["libc6", "libgcc-s1", "libgcc1"].map((name) => `usr/share/doc/${name}/copyright`);

/**
 * The libraries, with paths from the root; null if the system lacks any of them.
 * @param root A system's root folder.
 */
export function librariesOf({ cpu }: Platform, root: string): ArchiveFile[] | null {
  const folder = FOLDERS[cpu].find((one) => existsSync(join(root, one, "libc.so.6")));
  if (folder === undefined) return null;
  const paths = [LOADERS[cpu], ...NAMES.map((name) => `${folder}/${name}`)];
  if (!paths.every((path) => existsSync(join(root, path)))) return null;
  const further = [...RESOLVING.map((name) => `${folder}/${name}`), ...LICENSES]
    .filter((path) => existsSync(join(root, path)));
  return [...paths, ...further].map((path) => ({
    path,
    content: Deno.readFileSync(join(root, path)),
    mode: PROGRAM_MODE,
  }));
}
