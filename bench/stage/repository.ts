/** Makes git repositories for benches, and the environment in which `plateau ab` runs on them. */
import { copyFileSync, existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { TargetError } from "../../base/errors.ts";

/** Makes an empty repository with the branch `main`. */
export async function initRepository(path: string): Promise<void> {
  Deno.mkdirSync(path);
  await git(path, "init", "--quiet", "--initial-branch=main");
}

/** Commits all changes, including new files. */
export async function commitAll(path: string, message: string): Promise<void> {
  await git(path, "add", "--all");
  await git(path, "commit", "--quiet", "--message", message);
}

/** Runs git with a fixed identity and unsigned commits, whatever the user's configuration says. */
export async function git(cwd: string, ...args: string[]): Promise<void> {
  const someone = ["-c", "user.name=bench", "-c", "user.email=bench", "-c", "commit.gpgSign=false"];
  await output(cwd, ["git", ...someone, ...args]);
}

/** Throws a TargetError if the program fails. */
async function output(
  cwd: string,
  [program, ...args]: readonly [string, ...string[]],
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args, cwd }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes).trim());
  if (success) return out;
  throw new TargetError(`Cannot measure: ${[program, ...args].join(" ")} failed`, err.split("\n"));
}

/**
 * An environment with a Plateau cache of its own, which starts with this machine's calibration but without builds. The
 * caches of Deno and Go remain the user's.
 */
export function envIn(folder: string): Record<string, string> {
  const users = Deno.env.get("XDG_CACHE_HOME") || join(homedir(), ".cache");
  const cache = join(folder, "cache");
  const [from, to] = [users, cache].map((path) => join(path, "plateau"));
  Deno.mkdirSync(to, { recursive: true });
  for (const { name } of existsSync(from) ? Deno.readDirSync(from) : []) {
    if (name.startsWith("calibration-")) copyFileSync(join(from, name), join(to, name));
  }
  const kept = { DENO_DIR: join(users, "deno"), GOCACHE: join(users, "go-build") };
  return { ...kept, ...Deno.env.toObject(), XDG_CACHE_HOME: cache };
}
