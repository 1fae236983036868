/**
 * Files that are written whole or not at all: into a draft beside the file, which then takes the file's name. Until
 * then, the old file stays whole, whatever ends the program. No link is followed, whoever made it: the draft has a
 * random name that must be free, and taking the name of a link replaces the link, not the file that it leads to.
 * docs/system.md says so for users.
 */
import { randomBytes } from "node:crypto";
import { closeSync, constants, lstatSync, openSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "./errors.ts";
import { isAlive } from "./system/processes.ts";

/**
 * Distinguishes this process from an earlier one with the same process id, as the program in a restarted container has.
 */
const OWN = randomBytes(8).toString("hex");

const DRAFT = /^\.plateau-(\d+)-([\da-f]{16})-[\da-f]{16}\.part$/;

/** Writes the whole content of the file before it returns. */
type Fill = (file: Deno.FsFile) => void;

/**
 * Writes the file. Throws an Error that says why it can't be written. Drafts of programs that were killed are removed.
 * The new file has the permissions of the old one.
 * @param content A text, or a function that writes the bytes.
 */
export async function replaceFile(path: string, content: string | Fill): Promise<void> {
  const folder = dirname(path);
  await clearDrafts(folder);
  const draft = join(
    folder,
    `.plateau-${Deno.pid}-${OWN}-${randomBytes(8).toString("hex")}.part`,
  );
  try {
    using file = await Deno.open(draft, { write: true, createNew: true, mode: modeFor(path) });
    if (typeof content === "string") writeAll(file, new TextEncoder().encode(content));
    else content(file);
    // Without this, a power failure may leave the new name without content, and the system may write while the next run
    // is measured.
    await file.syncData();
    await Deno.rename(draft, path);
  } catch (error) {
    await Deno.remove(draft).catch(() => {});
    throw new Error(messageOf(error).replace(/: (?:open|rename) '.*$/s, ""), { cause: error });
  }
}

/** Writes all bytes synchronously. */
export function writeAll(file: Deno.FsFile, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
}

/** Folders that hold links to open files: `/dev/stdout`, for one, is a link to this process's standard output. */
const OPEN_FILES = /^\/(?:dev|proc\/\d+\/(?:task\/\d+\/)?fd)$/;

/**
 * Whether `path` passes bytes on as they are written: a terminal, a device, a named pipe, or what this process has
 * open, such as `/dev/stdout` and `/dev/fd/3`. A symbolic link in any other folder is no stream, whatever it points to.
 */
export function isStream(path: string): boolean {
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (info === undefined || info.isFile() || info.isDirectory()) return false;
  return !info.isSymbolicLink() || isOpenFile(path);
}

function isOpenFile(path: string): boolean {
  return OPEN_FILES.test(realpathSync(dirname(resolve(path))));
}

/**
 * Opens an existing file to append to it; for a named pipe, waits until it has a reader. Throws if the path is a link,
 * except a link to an open file such as `/dev/stdout`.
 */
export async function openStream(path: string): Promise<Deno.FsFile> {
  if (!Deno.statSync(path).isFifo) return notByLink(await Deno.open(path, { append: true }), path);
  const held = await pipeWithReader(path);
  try {
    return notByLink(await Deno.open(path, { append: true }), path);
  } finally {
    closeSync(held); // closed last, because a reader of a pipe without writers sees its end
  }
}

const PIPE_POLL_MS = 50;

/**
 * Descriptor of the pipe once it has a reader. Until then, a plain open of Deno 2.6 would block this thread and its
 * handling of signals.
 */
async function pipeWithReader(path: string): Promise<number> {
  for (;; await sleep(PIPE_POLL_MS)) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENXIO")) throw error;
    }
  }
}

/** Like `openStream`, but blocks this thread. */
export function openLog(path: string): Deno.FsFile {
  return notByLink(Deno.openSync(path, { append: true }), path);
}

/**
 * Refuses links, except links to open files such as `/dev/stdout`: the opened file itself must be the one at `path`.
 */
function notByLink(file: Deno.FsFile, path: string): Deno.FsFile {
  const [opened, named] = [file.statSync(), Deno.lstatSync(path)];
  if (opened.dev === named.dev && opened.ino === named.ino || isOpenFile(path)) return file;
  file.close();
  throw new Error("it is a link");
}

/** Mode of the new file: the old file's permissions, or without an old file, what the user's mask allows. */
function modeFor(path: string): number {
  const info = lstatSync(path, { throwIfNoEntry: false });
  return info?.isFile() ? info.mode & 0o777 : 0o666;
}

async function clearDrafts(folder: string): Promise<void> {
  try {
    for await (const { name } of Deno.readDir(folder)) {
      if (isLeftOver(name)) await Deno.remove(join(folder, name)).catch(() => {});
    }
  } catch {
    // A folder that can't be read may be written to all the same.
  }
}

/** Whether the program that made this draft is gone. */
function isLeftOver(name: string): boolean {
  const [, pid, program] = DRAFT.exec(name) ?? [];
  if (pid === undefined || program === OWN) return false;
  return Number(pid) === Deno.pid || !isAlive(Number(pid));
}
