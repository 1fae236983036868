/** Files that are whole or as they were, and links that are not followed. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { TargetError } from "../../base/errors.ts";
import { replaceFile, writeAll } from "../../base/whole_file.ts";
import { writeFile } from "../../cli/flags/output_flags.ts";
import { writeCalibration } from "../../runner/host/calibration_cache.ts";
import { LogFile } from "../../runner/load/recording/request_log.ts";
import { ResultFile } from "../../runner/result/result_file.ts";
import { emptyFolder } from "../e2e/plateau.ts";
import { testWith } from "../needs.ts";
import { resultsFixture } from "../report/fixture.ts";
import { rejected } from "../thrown.ts";

const MODULE = import.meta.resolve("../../base/whole_file.ts");
const EVAL = [
  Deno.execPath(),
  "eval",
  "--config",
  join(import.meta.dirname ?? "", "../../deno.json"),
];
const OUT_DIR = import.meta.resolve("../../cli/results/out_dir.ts");
const OUTPUTS = import.meta.resolve("../../cli/flags/output_flags.ts");

/** A shared folder, and a file elsewhere that nobody may write through a link. */
class Shared implements Disposable {
  readonly #folder = emptyFolder();
  readonly path = join(this.#folder.path, "shared");

  constructor() {
    Deno.mkdirSync(this.path);
    Deno.writeTextFileSync(this.#victim, "precious");
  }

  get #victim(): string {
    return join(this.#folder.path, "victim");
  }

  at(name: string): string {
    return join(this.path, name);
  }

  /** Somebody else's links. */
  plant(...names: string[]): void {
    for (const name of names) Deno.symlinkSync(this.#victim, this.at(name));
  }

  names(): string[] {
    return [...Deno.readDirSync(this.path)].map(({ name }) => name).sort();
  }

  assertVictimWhole(): void {
    assert.equal(Deno.readTextFileSync(this.#victim), "precious");
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

function isOrdinary(path: string): boolean {
  return Deno.lstatSync(path).isFile;
}

const HALF: (file: Deno.FsFile) => void = (file) =>
  writeAll(file, new TextEncoder().encode("half"));

Deno.test("results take the place of planted links, whatever their names, and follow none", async () => {
  using shared = new Shared();
  shared.plant("results.json", "results.json.part");
  await new ResultFile(shared.path, resultsFixture({ cells: [] })).save();
  shared.assertVictimWhole();
  assert.ok(isOrdinary(shared.at("results.json")));
});

Deno.test("a report or another form takes the place of a link that has its name", async () => {
  using shared = new Shared();
  shared.plant("report.html");
  await writeFile(shared.at("report.html"), "<p>new</p>");
  shared.assertVictimWhole();
  assert.equal(Deno.readTextFileSync(shared.at("report.html")), "<p>new</p>");
  assert.ok(isOrdinary(shared.at("report.html")));
});

Deno.test("a calibration is written through no link", async () => {
  using shared = new Shared();
  const of = {
    ...{ cpu: "a", arch: "b", cores: 1, kernel: "c", plateau: "d", deno: "e" },
    driver: "tcp" as const,
  };
  const save = (): Promise<void> =>
    writeCalibration(shared.path, of, { peakThroughput: 1, baselineLatency: 1 }, new Date());
  await save();
  const [name] = shared.names();
  Deno.removeSync(shared.at(name));
  shared.plant(name, `${name}.${Deno.pid}`);
  await save();
  shared.assertVictimWhole();
  assert.ok(isOrdinary(shared.at(name)));
});

Deno.test("a link that takes the request log's place is not written through", () => {
  using shared = new Shared();
  shared.plant("log.csv");
  assert.throws(() => new LogFile(shared.at("log.csv")), /it is a link/);
  shared.assertVictimWhole();
});

Deno.test("a new folder for results is nobody else's, not even by a link", async () => {
  using shared = new Shared();
  const program = `
    import { makeOutDir } from ${JSON.stringify(OUT_DIR)};
    const first = await makeOutDir(undefined, "a");
    Deno.removeSync(first);
    Deno.symlinkSync("..", first);
    const second = await makeOutDir(undefined, "a");
    console.log(JSON.stringify([first === second, Deno.lstatSync(second).isDirectory]));`;
  const { stdout } = await new Deno.Command(EVAL[0], {
    args: [...EVAL.slice(1), program],
    cwd: shared.path,
  }).output();
  assert.deepEqual(JSON.parse(new TextDecoder().decode(stdout)), [false, true]);
});

Deno.test("what can't be written whole leaves what was there, and no draft", async () => {
  using shared = new Shared();
  const path = shared.at("results.json");
  await replaceFile(path, "whole");
  const full = (file: Deno.FsFile): void => {
    HALF(file);
    throw new Error("No space left on device (os error 28)");
  };
  await assert.rejects(replaceFile(path, full), /^Error: No space left on device \(os error 28\)$/);
  assert.equal(Deno.readTextFileSync(path), "whole");
  assert.deepEqual(shared.names(), ["results.json"]);
});

testWith(["mountns"], "a disk that is full keeps what was there", async () => {
  using shared = new Shared();
  const program = `
    import { writeFile } from ${JSON.stringify(OUTPUTS)};
    await writeFile("runs.csv", "whole");
    const why = await writeFile("runs.csv", "x".repeat(99_999)).catch(({ message }) => message);
    const names = [...Deno.readDirSync(".")].map(({ name }) => name);
    console.log(JSON.stringify([why, names, Deno.readTextFileSync("runs.csv")]));`;
  const script = 'mount -t tmpfs -o size=64k none . && cd "$PWD" && exec "$@"';
  const { stdout, stderr } = await new Deno.Command("unshare", {
    args: ["-m", "sh", "-c", script, "sh", ...EVAL, program],
    cwd: shared.path,
  }).output();
  const decoder = new TextDecoder();
  assert.deepEqual(
    JSON.parse(decoder.decode(stdout) || decoder.decode(stderr)),
    ["Cannot write runs.csv: No space left on device (os error 28)", ["runs.csv"], "whole"],
  );
});

Deno.test("a kill in the middle leaves the last whole file, and the next write clears the draft away", async () => {
  using shared = new Shared();
  const path = shared.at("results.json");
  await replaceFile(path, "whole");
  const program = `
    import { replaceFile, writeAll } from ${JSON.stringify(MODULE)};
    await replaceFile(${JSON.stringify(path)}, (file) => {
      writeAll(file, new TextEncoder().encode("half"));
      Deno.kill(Deno.pid, "SIGKILL");
    });`;
  const { signal } = await new Deno.Command(Deno.execPath(), { args: ["eval", program] }).output();
  assert.equal(signal, "SIGKILL");
  assert.equal(Deno.readTextFileSync(path), "whole");
  const [draft, ...others] = shared.names();
  assert.match(draft, /^\.plateau-\d+-[\da-f]{16}-[\da-f]{16}\.part$/);
  assert.deepEqual(others, ["results.json"]);

  const parts = draft.split("-");
  const ofOther = [parts[0], Deno.ppid, ...parts.slice(2)].join("-");
  const ofEarlier = [parts[0], Deno.pid, ...parts.slice(2)].join("-");
  for (const name of [ofOther, ofEarlier]) Deno.writeTextFileSync(shared.at(name), "half");
  await replaceFile(path, "next");
  assert.deepEqual(shared.names(), [ofOther, "results.json"], "only a living program has drafts");
});

Deno.test("a new file has the mode of any new file, and one that was private or read-only stays so", async () => {
  if (Deno.build.os === "windows") return;
  using shared = new Shared();
  const modeOf = (name: string): number => (Deno.statSync(shared.at(name)).mode ?? 0) & 0o777;
  Deno.writeTextFileSync(shared.at("plain"), "");
  await replaceFile(shared.at("new"), "a");
  assert.equal(modeOf("new"), modeOf("plain"));
  for (const mode of [0o600, 0o400, 0o444]) {
    Deno.chmodSync(shared.at("new"), mode);
    await replaceFile(shared.at("new"), "b");
    assert.equal(modeOf("new"), mode);
  }
});

const impossible: [what: string, path: string, why: RegExp][] = [
  ["in a folder that is not there", "nowhere/a.csv", /: No such file or directory \(os error 2\)$/],
  ["over a folder", "folder", /: Is a directory \(os error 21\)$/],
];

for (const [what, path, why] of impossible) {
  Deno.test(`nothing is written ${what}: the error names the place, and no draft is left`, async () => {
    using shared = new Shared();
    Deno.mkdirSync(shared.at("folder"));
    const error = await rejected(TargetError, writeFile(shared.at(path), "a"));
    assert.ok(error.message.startsWith(`Cannot write ${shared.at(path)}: `), error.message);
    assert.match(error.message, why);
    assert.deepEqual(shared.names(), ["folder"]);
  });
}

testWith(["linux"], "named pipes, devices and open files are written through", async () => {
  using shared = new Shared();
  const pipe = shared.at("pipe");
  await new Deno.Command("mkfifo", { args: [pipe] }).output();
  const reader = new Deno.Command("cat", { args: [pipe], stdout: "piped" }).spawn();
  await writeFile(pipe, "through");
  const { stdout } = await reader.output();
  assert.equal(new TextDecoder().decode(stdout), "through");
  assert.ok(Deno.lstatSync(pipe).isFifo);
  await writeFile("/dev/null", "away");
  assert.ok(Deno.lstatSync("/dev/null").isCharDevice);

  const program = `import { writeFile } from ${JSON.stringify(OUTPUTS)};
    for (const path of ["/dev/stdout", "/dev/fd/3", "/dev/stderr", "/proc/self/fd/4"]) {
      await writeFile(path, path + ";");
    }`;
  const printed = await new Deno.Command("sh", {
    args: ["-c", 'exec "$@" 3>&1 4>>file', "sh", ...EVAL, program],
    cwd: shared.path,
  }).output();
  const read = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  assert.equal(read(printed.stderr), "/dev/stderr;");
  assert.equal(read(printed.stdout), "/dev/stdout;/dev/fd/3;");
  assert.equal(Deno.readTextFileSync(shared.at("file")), "/proc/self/fd/4;");
});
