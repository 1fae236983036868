/**
 * Where a run of the tests keeps what it and the programs under test write: their temporary files, and a cache of their
 * own, in which a calibration that was measured beside other tests misleads nobody. The folder lies where the system
 * keeps temporary files, as git and Deno would find a repository above any other. It goes with the run, whatever ends
 * that: `keeper.ts` outlives it, and what is left where that was killed, too, the next run removes.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { hasOwnerEnded, ownTag } from "../base/system/temporary_folder.ts";

/** Short, as the name of a Unix socket has 107 octets with all folders above it. */
const NAME = /^pt-(\d+-\d+-[\da-f]+)$/;

const FRAMEWORKS = "plateau/frameworks";

/** In the environment of every process of the run: the folder. */
export const MARK = "PLATEAU_TESTS";

export class OwnFolder implements AsyncDisposable {
  private constructor(readonly path: string, private readonly keeper: Deno.ChildProcess) {}

  /**
   * From now on this process and all that it starts have their temporary files and caches in it.
   *
   * @param installs Whether tests install frameworks, which stay for the next run.
   */
  static async enter({ installs }: { readonly installs: boolean }): Promise<OwnFolder> {
    await sweep(tmpdir());
    const path = join(tmpdir(), `pt-${ownTag()}`);
    const keeper = keeperOf(path, "piped");
    await Deno.mkdir(path);
    await Deno.chmod(path, 0o1777); // some tests start programs as another user
    const caches = Deno.env.get("XDG_CACHE_HOME") || join(homedir(), ".cache");
    if (installs) mkdirSync(join(caches, FRAMEWORKS), { recursive: true });
    shareCaches(caches, join(path, "cache"));
    for (const [name, value] of Object.entries(environmentIn(path, caches))) {
      Deno.env.set(name, value);
    }
    return new OwnFolder(path, keeper);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.keeper.stdin.close();
    await this.keeper.status;
  }
}

/** Deno and Go keep their caches, which are theirs: they would fetch and compile everything again. */
function environmentIn(folder: string, caches: string): Record<string, string> {
  return {
    [MARK]: folder,
    TMPDIR: folder,
    XDG_CACHE_HOME: join(folder, "cache"),
    DENO_DIR: Deno.env.get("DENO_DIR") ?? join(caches, "deno"),
    GOCACHE: Deno.env.get("GOCACHE") ?? join(caches, "go-build"),
    DENO_NO_UPDATE_CHECK: "1", // each process would ask for the newest version until one gets an answer
  };
}

/** Installed frameworks are shared, and what is known of the generator is copied: both take long to be had again. */
function shareCaches(from: string, to: string): void {
  const [theirs, own] = [join(from, "plateau"), join(to, "plateau")];
  mkdirSync(own, { recursive: true });
  if (existsSync(join(from, FRAMEWORKS))) {
    symlinkSync(join(from, FRAMEWORKS), join(to, FRAMEWORKS));
  }
  const known = existsSync(theirs) ? readdirSync(theirs) : [];
  for (const name of known.filter((name) => name.startsWith("calibration-"))) {
    copyFileSync(join(theirs, name), join(own, name));
  }
}

/** @param stdin What it waits for the end of. */
function keeperOf(folder: string, stdin: "piped" | "null"): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", join(import.meta.dirname ?? "", "keeper.ts"), folder],
    stdin,
    stdout: "null",
  }).spawn();
}

/** Ends what is left of runs that were killed together with their keepers. */
async function sweep(within: string): Promise<void> {
  const left = [...Deno.readDirSync(within)].filter(({ name }) => {
    const [, tag] = NAME.exec(name) ?? [];
    return tag !== undefined && hasOwnerEnded(tag);
  });
  await Promise.all(left.map(({ name }) => keeperOf(join(within, name), "null").status));
}
