/** Temporary folders: gone at the end of a process, and what a killed one leaves at the next start. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { sweepTemporaryFolders, TemporaryFolder } from "../../base/system/temporary_folder.ts";
import { emptyFolder } from "../e2e/plateau.ts";
import { needing } from "../needs.ts";

const withLinux = needing("linux");

const MODULE = new URL("../../base/system/temporary_folder.ts", import.meta.url).href;

/** Another process that makes a folder, says where, and then goes on as `then` says. */
function otherProcess(within: string, then: string): Deno.ChildProcess {
  const code = `import { TemporaryFolder } from ${JSON.stringify(MODULE)};
    const folder = TemporaryFolder.make("other", ${JSON.stringify(within)});
    folder.write("a", "text");
    console.log(folder.path);
    ${then}`;
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", `data:application/typescript,${encodeURIComponent(code)}`],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
}

async function madeBy(process: Deno.ChildProcess): Promise<string> {
  const reader = process.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  return new TextDecoder().decode(value).trim();
}

const WAITS = "await Deno.stdin.read(new Uint8Array(1));";

withLinux.test("what a killed process left is swept, and what a living one has is not", async () => {
  using within = emptyFolder();
  const [killed, living] = [otherProcess(within.path, WAITS), otherProcess(within.path, WAITS)];
  try {
    const [dead, kept] = [await madeBy(killed), await madeBy(living)];
    using own = TemporaryFolder.make("own", within.path);
    await sweepTemporaryFolders(within.path);
    assert.ok([dead, kept, own.path].every((path) => existsSync(join(path))));
    killed.kill("SIGKILL");
    await killed.status;
    await Promise.all([sweepTemporaryFolders(within.path), sweepTemporaryFolders(within.path)]);
    assert.deepEqual(
      readdirSync(within.path).sort(),
      [kept, own.path].map((path) => basename(path)).sort(),
    );
  } finally {
    for (const process of [killed, living]) {
      await process.stdin.close().catch(() => {});
      await process.stdout.cancel();
      await process.status;
    }
  }
});

withLinux.test("a process that ends in order leaves no folder, also where it forgot it", async () => {
  for (const end of ["Deno.exit(130);", ""]) {
    using within = emptyFolder();
    const process = otherProcess(within.path, end);
    await process.stdin.close();
    assert.match(await madeBy(process), /plateau-other-/);
    await process.stdout.cancel();
    await process.status;
    assert.deepEqual(readdirSync(within.path), []);
  }
});

withLinux.test("only folders that a process of this system made are swept", async () => {
  using within = emptyFolder();
  using elsewhere = emptyFolder();
  const here = /-([\da-f]{8})-/.exec(ownName(within.path))?.[1];
  const names = {
    left: `plateau-own-${NO_PROCESS}-1-${here}-x`,
    ofAnotherBoot: `plateau-own-${NO_PROCESS}-1-01234567-x`,
    ofNobody: "plateau-test-0123",
    link: `plateau-own-${NO_PROCESS}-2-${here}-x`,
  };
  for (const name of [names.left, names.ofAnotherBoot, names.ofNobody]) {
    mkdirSync(join(within.path, name));
  }
  Deno.writeTextFileSync(join(elsewhere.path, "precious"), "");
  symlinkSync(elsewhere.path, join(within.path, names.link));
  symlinkSync(elsewhere.path, join(within.path, names.left, "link"));
  await sweepTemporaryFolders(within.path);
  assert.deepEqual(
    readdirSync(within.path).sort(),
    [names.ofAnotherBoot, names.ofNobody, names.link].sort(),
  );
  assert.ok(existsSync(join(elsewhere.path, "precious")));
});

/** The highest number that Linux gives, which no process of a test has. */
const NO_PROCESS = 4_194_304;

/** Of a folder of this process. */
function ownName(within: string): string {
  using own = TemporaryFolder.make("own", within);
  return basename(own.path);
}

Deno.test("a folder that can't be made is the user's to mend, and the error says how", () => {
  assert.throws(
    () => TemporaryFolder.make("own", "/nonexistent"),
    ({ lines, exitCode }: { lines: string[]; exitCode: number } & Error) =>
      exitCode === 3 && /^Cannot make a temporary folder in \/nonexistent: /.test(lines[0]),
  );
});
