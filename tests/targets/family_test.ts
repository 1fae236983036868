import assert from "node:assert/strict";
import { type TableRow, treeIn } from "../../base/system/process_table.ts";
import { readStat } from "../../base/system/processes.ts";
import { bringUpWithoutProc, type ProcessFamily } from "../../targets/launch/family.ts";
import { endFamily } from "../../targets/launch/supervisor.ts";
import { until } from "../e2e/patience.ts";
import { psHere } from "../machine/ps_here.ts";
import { needing } from "../needs.ts";

const withLinux = needing("linux");

type System = Exclude<Parameters<typeof bringUpWithoutProc>[0], undefined>;

/** The shell that is tried: this process may have other children. */
let shellPid = 0;

/** This process, and all that belongs to the shell. */
function ownRows(): TableRow[] {
  const rows = psHere();
  const under = treeIn(rows, shellPid);
  return rows.filter((row) =>
    row.pid === Deno.pid || row.group === shellPid || under.includes(row)
  );
}

/** Starts a shell as a supervisor would, and ends it, whatever `body` does. */
async function beside(
  script: string,
  system: System,
  body: (family: ProcessFamily, shell: Deno.ChildProcess) => Promise<void>,
): Promise<void> {
  const { detached, env, of } = bringUpWithoutProc(system);
  const shell = new Deno.Command("sh", { args: ["-c", script], env, detached }).spawn();
  shellPid = shell.pid;
  const family = of(shell);
  try {
    await body(family, shell);
  } finally {
    await endFamily(family, 0);
    await shell.status;
  }
}

const MAC = { os: "darwin", table: ownRows, enterJob: () => null } as const;
/** A child, and an orphan of the same group. */
const TWO = "sleep 60 & (sleep 61 &); sleep 62";

withLinux.test("without /proc a family is what a table has under us, and the orphans of the program's group", async () => {
  await beside(TWO, MAC, async (family, shell) => {
    const pids = await until("all are there", () => {
      const living = family.living();
      return living.length === 4 && living;
    });
    assert.ok(pids.includes(shell.pid));
    assert.deepEqual(await endFamily(family, 2_000), []);
    assert.deepEqual(
      pids.map((pid) => readStat(pid)?.state ?? "Z").filter((state) => state !== "Z"),
      [],
    );
  });
});

withLinux.test("an orphan is found when the program itself has ended", async () => {
  await beside("(sleep 61 &); exit 0", MAC, async (family, shell) => {
    await shell.status;
    const [orphan, ...others] = await until("it is there", () => {
      const living = family.living();
      return living.length === 1 && living;
    });
    assert.deepEqual(others, []);
    assert.deepEqual(await endFamily(family, 2_000), []);
    assert.notEqual(readStat(orphan)?.state, "S");
  });
});

withLinux.test("on Windows a family is what is in the job, without the supervisor itself", async () => {
  const members = [Deno.pid];
  const windows = {
    os: "windows",
    table: () => [],
    enterJob: () => ({ members: () => members }),
  } as const;
  await beside("sleep 60", windows, (family, shell) => {
    members.push(shell.pid, 4_000_001);
    assert.deepEqual(family.living(), [shell.pid, 4_000_001]);
    members.length = 1;
    return Promise.resolve();
  });
});

withLinux.test("on Windows without a job the table shows who is under the supervisor", async () => {
  const windows = { os: "windows", table: ownRows, enterJob: () => null } as const;
  await beside("sleep 60 & sleep 62", windows, async (family, shell) => {
    const pids = await until("all are there", () => {
      const living = family.living();
      return living.length === 3 && living;
    });
    assert.ok(pids.includes(shell.pid));
  });
});

const UNSEEN: [why: string, table: System["table"]][] = [
  ["nothing shows processes", null],
  ["ps may not look", () => []],
];

for (const [why, table] of UNSEEN) {
  withLinux.test(`where ${why}, the program's group is signalled while the program lives`, async () => {
    const unseen = { os: "darwin", table, enterJob: () => null } as const;
    await beside("sleep 60 & sleep 61", unseen, async (family, shell) => {
      const group = (): TableRow[] => psHere().filter((row) => row.group === shell.pid);
      await until("all are there", () => group().length === 3);
      assert.deepEqual(family.living(), [shell.pid]);
      assert.deepEqual(await endFamily(family, 2_000), []);
      assert.equal((await shell.status).signal, "SIGTERM");
      await until("its children have ended, too", () => group().length === 0);
    });
  });
}

withLinux.test("on Windows without a job and a table the program alone is signalled, as there are no groups", async () => {
  const unseen = { os: "windows", table: () => [], enterJob: () => null } as const;
  await beside("exec sleep 60", unseen, async (family, shell) => {
    assert.deepEqual(family.living(), [shell.pid]);
    assert.ok(family.signal("SIGTERM"));
    assert.equal((await shell.status).signal, "SIGTERM");
    assert.deepEqual(family.living(), []);
  });
});
