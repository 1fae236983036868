/** Caches of their own for programs under test: what another has left there is unknown to them. */
import { copyFileSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { cacheFolder } from "../../runner/host/calibration_cache.ts";

/** Deno keeps its own cache where it is, or it would fetch every package again. */
const DENO_DIR = Deno.env.get("DENO_DIR") ??
  join(Deno.env.get("XDG_CACHE_HOME") || join(homedir(), ".cache"), "deno");

/** The environment of a user who has nothing in their cache yet, which is `folder`. */
export function freshCache(folder: string): { XDG_CACHE_HOME: string; DENO_DIR: string } {
  return { XDG_CACHE_HOME: folder, DENO_DIR };
}

/** The same where the generator was calibrated, as it was here: that takes a second of all cores. */
export function calibratedCache(folder: string): ReturnType<typeof freshCache> {
  const [from, to] = [cacheFolder() ?? "", join(folder, "plateau")];
  mkdirSync(to, { recursive: true });
  const known = existsSync(from) ? readdirSync(from) : [];
  for (const name of known.filter((name) => name.startsWith("calibration-"))) {
    copyFileSync(join(from, name), join(to, name));
  }
  return freshCache(folder);
}
