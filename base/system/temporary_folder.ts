/**
 * Makes all temporary folders of this program. Each is for this user alone, is removed when the program ends in an
 * orderly way, and has the process id in its name, by which the next start recognises and removes the folders of killed
 * processes.
 */
import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf, TargetError } from "../errors.ts";
import { isAlive, readStat } from "./processes.ts";
import { orEmpty } from "./listeners.ts";

/** Folders of this process that still exist. */
const ours = new Set<string>();

export class TemporaryFolder implements Disposable, AsyncDisposable {
  private constructor(readonly path: string) {}

  /**
   * Makes an empty folder. Throws a TargetError if that is impossible.
   * @param kind A word for its purpose.
   * @param within Absent: the system's folder for temporary files.
   */
  static make(kind: string, within: string = tmpdir()): TemporaryFolder {
    try {
      const path = Deno.makeTempDirSync({ dir: within, prefix: `plateau-${kind}-${ownTag()}-` });
      if (ours.size === 0) globalThis.addEventListener("unload", removeOurs, { once: true });
      ours.add(path);
      return new TemporaryFolder(path);
    } catch (error) {
      throw new TargetError(
        `Cannot make a temporary folder in ${within}: ${messageOf(error).replace(/: tmpdir$/, "")}`,
        [adviceFor(within)],
      );
    }
  }

  /** Writes a file in the folder. Throws a TargetError if that is impossible. */
  write(name: string, text: string): void {
    try {
      writeFileSync(join(this.path, name), text, { mode: 0o600 });
    } catch (error) {
      throw new TargetError(
        `Cannot write ${name} into the temporary folder ${this.path}: ${messageOf(error)}`,
        [adviceFor(tmpdir())],
      );
    }
  }

  /** Removes the folder with all its content, as far as this user may. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.path, { recursive: true }).catch(() => {});
    ours.delete(this.path);
  }

  /** Like the asynchronous dispose, but blocks this thread. */
  [Symbol.dispose](): void {
    removeNow(this.path);
    ours.delete(this.path);
  }
}

function adviceFor(folder: string): string {
  return folder === tmpdir()
    ? "set TMPDIR to a folder that this user may write to"
    : `give this user write access to ${folder}`;
}

function removeOurs(): void {
  for (const path of ours) removeNow(path);
}

function removeNow(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch {
    // The folder is gone already, or another user's process wrote there.
  }
}

// Temporary folders left behind by killed processes.

const NAME = /^plateau-[a-z]+-(\d+-\d+-[\da-f]+)-/;

/** The most folders that are removed at one start; the next start continues. */
const MOST_SWEPT = 64;

/**
 * Removes the folders of this user whose process has ended. Safe beside other processes that start at the same time,
 * because a folder has its final name from the beginning. Folders that cannot be seen or removed stay.
 */
export async function sweepTemporaryFolders(within: string = tmpdir()): Promise<void> {
  try {
    const left: string[] = [];
    for await (const { name, isDirectory } of Deno.readDir(within)) {
      if (left.length === MOST_SWEPT) break;
      const path = join(within, name);
      if (isDirectory && isLeft(name) && lstatSync(path).uid === Deno.uid()) left.push(path);
    }
    for (const path of left) await Deno.remove(path, { recursive: true }).catch(() => {});
  } catch {
    // A user who can't look there can't make a folder there either, and gets that error later.
  }
}

function isLeft(name: string): boolean {
  const [, tag] = NAME.exec(name) ?? [];
  return tag !== undefined && hasOwnerEnded(tag);
}

/** Whether the process with this tag ran in this boot and this namespace of process ids, and has ended. */
export function hasOwnerEnded(tag: string): boolean {
  const [pid, startTicks, where] = tag.split("-");
  if (where !== ownWhere()) return false;
  const stat = readStat(Number(pid));
  if (stat === null) return !isAlive(Number(pid));
  return "ZX".includes(stat.state) || stat.startTicks !== Number(startTicks);
}

let tag: string | null = null;

/** Identifies this process: its id, its start, and the system on which they are valid. */
export function ownTag(): string {
  return tag ??= `${Deno.pid}-${readStat(Deno.pid)?.startTicks ?? 0}-${ownWhere()}`;
}

let place: string | null = null;

/**
 * A digest of this boot of this machine and of its namespace of process ids. Containers and machines may share a
 * folder, but the same process id means another process in each of them. Constant off Linux.
 */
function ownWhere(): string {
  return place ??= createHash("sha256")
    .update(orEmpty(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8")))
    .update(orEmpty(() => readlinkSync("/proc/self/ns/pid")))
    .digest("hex").slice(0, 8);
}
