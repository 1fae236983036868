/** A run of the tests leaves the home and the temporary folder as it found them, whatever ends it. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { processesWith } from "../../base/system/processes.ts";
import { needing } from "../needs.ts";
import { until } from "./patience.ts";
import { emptyFolder } from "./plateau.ts";
import { descendants } from "./processes.ts";

const withLinux = needing("linux");

const HERE = import.meta.dirname ?? "";
const RUN = join(HERE, "../run.ts");
const SAMPLE = join(HERE, "leftovers/sample.ts");
const CACHES = Deno.env.get("XDG_CACHE_HOME") || join(homedir(), ".cache");

/** A user of their own, with a home in which something is, and the place for their temporary files. */
class Surroundings implements Disposable {
  readonly #folder = emptyFolder();
  readonly home = join(this.#folder.path, "h");
  readonly temporary = join(this.#folder.path, "t");
  readonly #before: ReadonlyMap<string, string>;

  constructor() {
    const cache = join(this.home, ".cache/plateau");
    for (const folder of [cache, this.temporary]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(cache, "calibration-epoll-00000000.json"), "the user's own");
    writeFileSync(join(this.temporary, "pt-strange"), "of another program");
    this.#before = this.#content();
  }

  #content(): ReadonlyMap<string, string> {
    const entries = readdirSync(this.#folder.path, { recursive: true, withFileTypes: true });
    return new Map(entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path, entry.isFile() ? readFileSync(path, "utf8") : "a folder"];
    }));
  }

  /** @param haltsAt The number of the test at which it stays until it is killed. */
  run(haltsAt = 0): Deno.ChildProcess {
    return new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", RUN, SAMPLE],
      env: {
        HOME: this.home,
        TMPDIR: this.temporary,
        XDG_CACHE_HOME: "",
        PLATEAU_HALTS_AT: String(haltsAt),
        PLATEAU_REQUIRE: "", // a run that may skip nothing installs frameworks, which are to stay
        DENO_DIR: Deno.env.get("DENO_DIR") ?? join(CACHES, "deno"),
      },
      stdout: "piped",
      stderr: "null",
    }).spawn();
  }

  /** Whether everything is as it was, and no process is left that has this home. */
  isAsBefore(): boolean {
    try {
      assert.deepEqual(this.#content(), this.#before);
    } catch {
      return false; // a file may go while it is looked at
    }
    return processesWith(`HOME=${this.home}`).length === 0;
  }

  async untilAsBefore(): Promise<void> {
    const what = (): string => `all is as before: ${[...this.#content().keys()].join("\n")}`;
    await until(what, () => this.isAsBefore());
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

/** Reads what it prints until that matches; false where it ends before. */
async function prints(run: Deno.ChildProcess, pattern: RegExp): Promise<boolean> {
  let printed = "";
  for await (const text of run.stdout.pipeThrough(new TextDecoderStream())) {
    printed += text;
    if (pattern.test(printed)) return true;
  }
  return false;
}

withLinux.test("a run of the tests that ends by itself leaves nothing", async () => {
  using user = new Surroundings();
  const run = user.run();
  assert.ok(await prints(run, /^10 passed, 0 failed, 0 skipped$/m));
  await run.status;
  assert.ok(user.isAsBefore());
});

for (let moment = 1; moment <= 10; moment++) {
  withLinux.test(`a run of the tests that is killed in its test ${moment} leaves nothing`, async () => {
    using user = new Surroundings();
    const run = user.run(moment);
    assert.ok(await prints(run, /^halts at /m));
    assert.ok(!user.isAsBefore(), "there is something that might be left");
    run.kill("SIGKILL");
    await run.status;
    await user.untilAsBefore();
  });
}

withLinux.test("what a run leaves that is killed with its keeper, the next removes", async () => {
  using user = new Surroundings();
  const run = user.run(4);
  assert.ok(await prints(run, /^halts at /m));
  const keeper = descendants(run.pid).find(({ command }) => command.includes("keeper.ts"));
  assert.ok(keeper !== undefined);
  Deno.kill(keeper.pid, "SIGKILL");
  run.kill("SIGKILL");
  await run.status;
  assert.ok(!user.isAsBefore());
  const next = user.run();
  assert.ok(await prints(next, /^10 passed, 0 failed, 0 skipped$/m));
  await next.status;
  assert.ok(user.isAsBefore());
});
