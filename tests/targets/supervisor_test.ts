import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readStat } from "../../base/system/processes.ts";
import { selfCommand } from "../../targets/launch/child.ts";
import type { ProcessFamily } from "../../targets/launch/family.ts";
import {
  endFamily,
  limitFamily,
  SUPERVISED_ENV,
  SUPERVISED_FOLDER,
  SUPERVISED_SIGN,
} from "../../targets/launch/supervisor.ts";
import { needing } from "../needs.ts";

const withLinux = needing("linux");

function supervise(command: string[], env: Record<string, string> = {}): Deno.ChildProcess {
  const [program, args] = selfCommand(["supervise", "--", ...command]);
  const pipes = { stdin: "piped", stdout: "piped", stderr: "piped" } as const;
  return new Deno.Command(program, { args, env, ...pipes }).spawn();
}

const ENDS: [what: string, script: string, code: number][] = [
  ["0 when its program succeeds", "exit 0", 0],
  ["the code of a program that fails", "exit 7", 7],
  ["128 + 9 when its program was killed", "kill -KILL $$", 137],
  ["128 + 15 when its program was terminated", "kill -TERM $$", 143],
];

for (const [what, script, code] of ENDS) {
  withLinux.test(`a supervisor ends with ${what}`, async () => {
    const child = supervise(["sh", "-c", script]);
    const output = await child.output();
    await child.stdin.close();
    assert.deepEqual([output.code, output.signal], [code, null]);
    assert.match(new TextDecoder().decode(output.stdout), /^started \d+\n$/);
  });
}

Deno.test("a supervisor says why it can't run a program, and ends with 127 as a shell does", async () => {
  const child = supervise(["/no/such/program"]);
  const { code, stdout, stderr } = await child.output();
  await child.stdin.close();
  assert.equal(code, 127);
  assert.equal(stdout.length, 0);
  assert.match(new TextDecoder().decode(stderr), /^Cannot run \/no\/such\/program: /);
});

withLinux.test("a supervisor gives its program the environment that it was given for it, and its output", async () => {
  const env = { [SUPERVISED_ENV]: JSON.stringify({ PATH: "/usr/bin:/bin", COLOUR: "blue" }) };
  const child = supervise(["sh", "-c", "echo $COLOUR $DENO_DIR >&2; env | wc -l"], env);
  const { stdout, stderr } = await child.output();
  await child.stdin.close();
  assert.equal(new TextDecoder().decode(stderr), "blue\n");
  // Either line may be the first. sh adds PWD, perhaps SHLVL.
  assert.match(
    new TextDecoder().decode(stdout).split("\n").sort().join(" "),
    /^ [2-4] started \d+$/,
  );
});

withLinux.test("a supervisor signs what it prints, with a sign that its program does not know", async () => {
  const env = {
    [SUPERVISED_ENV]: JSON.stringify({ PATH: "/usr/bin:/bin" }),
    [SUPERVISED_SIGN]: "17",
  };
  const child = supervise(["sh", "-c", `env | grep -c ${SUPERVISED_SIGN}`], env);
  const { stdout } = await child.output();
  await child.stdin.close();
  assert.match(new TextDecoder().decode(stdout), /^(?:17 started \d+\n0|0\n17 started \d+)\n$/);
});

withLinux.test("a supervisor removes its program's folder when that has ended", async () => {
  const folder = Deno.makeTempDirSync();
  const env = {
    [SUPERVISED_ENV]: JSON.stringify({ PATH: "/usr/bin:/bin" }),
    [SUPERVISED_FOLDER]: folder,
  };
  const script = `mkdir -p ${folder}/a/b; env | grep -c ${SUPERVISED_FOLDER}`;
  const child = supervise(["sh", "-c", script], env);
  const { stdout } = await child.output();
  await child.stdin.close();
  assert.match(new TextDecoder().decode(stdout), /^0$/m); // the program is not told of it
  assert.equal(existsSync(folder), false);
});

withLinux.test("a supervisor whose parent is gone before the start leaves no program behind", async () => {
  const file = await Deno.makeTempFile();
  const child = supervise(["sh", "-c", `echo $$ > ${file}; exec sleep 60`]);
  await Promise.all([child.stdout.cancel(), child.stderr.cancel(), child.stdin.close()]);
  await child.status;
  const pid = Number(await Deno.readTextFile(file));
  await Deno.remove(file);
  assert.equal(readStat(pid), null, `process ${pid} lives`);
});

/** Of one process that only KILL ends. @param haltMs How long the machine halts in each wait. */
async function endStubborn(haltMs: number): Promise<[left: number[], signals: string[]]> {
  const signals: string[] = [];
  const family: ProcessFamily = {
    living: () => signals.includes("SIGKILL") ? [] : [7],
    signal: (name) => signals.push(name) > 0,
  };
  let nowMs = 0;
  const sleep = (ms: number): Promise<void> => {
    nowMs += ms + haltMs;
    return Promise.resolve();
  };
  return [await endFamily(family, 2_000, { nowMs: () => nowMs, sleep }), signals];
}

for (const haltMs of [0, 300, 10_000]) {
  Deno.test(`who ignores TERM is killed after the grace, though the machine halts for ${haltMs} ms`, async () => {
    assert.deepEqual(await endStubborn(haltMs), [[], ["SIGTERM", "SIGKILL"]]);
  });
}

Deno.test("who takes no signal, or hangs in spite of KILL, is left and named", async () => {
  for (const isTaken of [false, true]) {
    let nowMs = 0;
    const family: ProcessFamily = { living: () => [7], signal: () => isTaken };
    const sleep = (ms: number): Promise<void> => {
      nowMs += ms;
      return Promise.resolve();
    };
    assert.deepEqual(await endFamily(family, 2_000, { nowMs: () => nowMs, sleep }), [7]);
    assert.ok(nowMs < 5_000, `${nowMs} ms`); // whoever waits for the supervisor waits no longer
  }
});

Deno.test("what a program has forked before its limits were set gets them, too, and what that forks meanwhile", () => {
  const looks = [[6, 7], [6, 7, 8, 9], [6, 7, 9]];
  const limited: number[] = [];
  const family = { living: () => looks.shift() ?? [6, 7, 9] };
  limitFamily(6, family, (pid) => {
    limited.push(pid);
    if (pid === 8) throw new Error("ESRCH: no such process"); // it has ended
  });
  assert.deepEqual(limited, [6, 7, 8, 9]);
  let last = 6;
  limitFamily(6, { living: () => [++last] }, () => {}); // ends, although the program forks all the time
  const refuse = (): never => {
    throw new Error("EACCES");
  };
  assert.throws(() => limitFamily(6, family, refuse), /EACCES/);
});

Deno.test("who is missed in one look, as its parent has just ended, is ended all the same", async () => {
  const looks = [[6], [], [7], [7]];
  const signals: string[] = [];
  const family: ProcessFamily = {
    living: () => looks.shift() ?? [],
    signal: (name) => signals.push(name) > 0,
  };
  const nowMs = (): number => signals.length === 0 ? 0 : 3_000; // its grace is over
  const time = { nowMs, sleep: () => Promise.resolve() };
  assert.deepEqual(await endFamily(family, 2_000, time), []);
  assert.ok(signals.includes("SIGKILL"), signals.join(" "));
});
