/** A folder on disk that is searched for servers. */
import { statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { findProgram, ownEnv } from "../../targets/launch/environment.ts";
import type { Folder } from "./found.ts";

/** Larger files are not read: nobody writes them by hand, so they do not say how to start a server. */
const MOST_BYTES = 1_000_000;

export function diskFolder(path: string): Folder {
  const at = (name: string): string => join(path, name);
  return {
    name: basename(resolve(path)),
    isLinux: Deno.build.os === "linux",
    read(name): string | null {
      const stat = statSync(at(name), { throwIfNoEntry: false });
      return stat?.isFile() && stat.size <= MOST_BYTES ? Deno.readTextFileSync(at(name)) : null;
    },
    folders(name): string[] {
      if (!statSync(at(name), { throwIfNoEntry: false })?.isDirectory()) return [];
      return [...Deno.readDirSync(at(name))].filter((entry) => entry.isDirectory)
        .map((entry) => entry.name).sort();
    },
    has: (name) => statSync(at(name), { throwIfNoEntry: false }) !== undefined,
    hasProgram: (name) => findProgram(name, { path: ownEnv().PATH ?? "", cwd: path }) !== null,
  };
}
