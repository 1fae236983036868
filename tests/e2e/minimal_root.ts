/**
 * A machine that has what the image's base has and no more: the libraries that the program is linked
 * with, what every container shows of its kernel, and an empty /tmp; the rest is missing or read only.
 * Its only user is the image's (Linux, as root).
 */
import { copyFileSync, mkdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { instruction } from "../deploy/image.ts";
import { COMMAND, emptyFolder } from "./plateau.ts";

const [PROGRAM] = COMMAND;
const IS_COMPILED = COMMAND.length === 1;
const PROJECT = resolve(import.meta.dirname ?? "", "../..");
/** This machine's, in there alone. */
export const NAME_OF_HERE = "here.example";
const OF_KERNEL = ["/sys", ...["null", "zero", "random", "urandom"].map((name) => `/dev/${name}`)];

/**
 * `$1` is the root; then come the paths that it shows as they are here, `--`, and the command. What is
 * mounted is seen by this process and its children alone, and ends with them.
 */
const ENTER = `set -eu
root=$1; shift
mount --bind "$root" "$root"
mount -t tmpfs tmpfs "$root/tmp"
mount -t proc proc "$root/proc"
while [ "$1" != -- ]; do
  mkdir -p "$root\${1%/*}"
  if [ -d "$1" ]; then mkdir -p "$root$1"; else : > "$root$1"; fi
  mount --bind "$1" "$root$1"
  case $1 in /dev/*) ;; *) mount -o remount,bind,ro "$root$1" ;; esac
  shift
done
shift
mount -o remount,bind,ro "$root"
exec "$@"`;

export interface MinimalRoot extends Disposable {
  /** The command that runs another one in it. */
  readonly through: readonly string[];
}

export function minimalRoot(): MinimalRoot {
  const folder = emptyFolder();
  const root = folder.path;
  Deno.chmodSync(root, 0o755);
  for (const path of librariesOf(PROGRAM)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    copyFileSync(path, join(root, path));
  }
  for (const name of ["proc", "tmp", "etc"]) mkdirSync(join(root, name));
  // Whoever runs a container writes the one; the other is of the base.
  Deno.writeTextFileSync(join(root, "etc/hosts"), `127.0.0.1 ${NAME_OF_HERE}\n`);
  Deno.writeTextFileSync(join(root, "etc/nsswitch.conf"), "hosts: files dns\n");
  // What is not compiled is Deno with the project and its packages.
  const shown = [...OF_KERNEL, PROGRAM, ...(IS_COMPILED ? [] : [PROJECT, denoDir()])];
  const enter = ["unshare", "--mount", "sh", "-c", ENTER, "sh", root, ...shown, "--"];
  const alone = ["env", "-i", ...environment()];
  const nobody = ["setpriv", "--no-new-privs", "chroot", `--userspec=${instruction("USER")}`, root];
  return {
    through: [...enter, ...alone, ...nobody],
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** The image's, and nothing of this machine's. */
function environment(): string[] {
  const ofImage = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/home/nonroot", instruction("ENV")];
  return [...ofImage, "NO_COLOR=1", ...(IS_COMPILED ? [] : [`DENO_DIR=${denoDir()}`])];
}

/** Full paths of all that the loader needs to start a program. */
export function librariesOf(program: string): string[] {
  const listed = outputOf("ldd", program);
  return [...listed.matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path);
}

/** Names of the libraries that the program is linked with. */
export function libraryNames(): string[] {
  return librariesOf(PROGRAM).map((path) => basename(path));
}

function denoDir(): string {
  return (JSON.parse(outputOf(Deno.execPath(), "info", "--json")) as { denoDir: string }).denoDir;
}

function outputOf(program: string, ...args: string[]): string {
  return new TextDecoder().decode(new Deno.Command(program, { args }).outputSync().stdout);
}
