/** The common archive format of Unix, which holds the members of a Debian package. Pure. */
import { Buffer } from "node:buffer";
import type { ArchiveFile } from "./entry.ts";

/** Makes an archive, in the order of `files`. @param timeS Modification time of all files, in seconds since 1970. */
export function ar(files: readonly ArchiveFile[], timeS: number): Uint8Array {
  const members = files.flatMap(({ path, content, mode }) => [
    Buffer.from(
      [
        path.padEnd(16),
        `${timeS}`.padEnd(12),
        "0".padEnd(6),
        "0".padEnd(6),
        `100${mode.toString(8)}`.padEnd(8),
        `${content.length}`.padEnd(10),
        "`\n",
      ].join(""),
    ),
    content,
    Buffer.from(content.length % 2 === 1 ? "\n" : ""),
  ]);
  return Buffer.concat([Buffer.from("!<arch>\n"), ...members]);
}
