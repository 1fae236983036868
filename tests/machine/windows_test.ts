import assert from "node:assert/strict";
import { readCoreTimes } from "../../base/system/core_times.ts";
import {
  enterJob,
  parseProcesses,
  parseProcessIds,
  windowsProcesses,
  windowsThreadMs,
} from "../../base/system/windows.ts";

// Opened for good, before the resources of a test are counted.
windowsProcesses();
windowsThreadMs();
readCoreTimes(null);

/** Of the buffer, as Windows has it. */
const ADDRESS = 0x7ff6_0000_1000n;
/** SYSTEM_PROCESS_INFORMATION, and one SYSTEM_THREAD_INFORMATION behind it. */
const ENTRY_BYTES = 256 + 80;

interface Entry {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
}

/** The entries, each with its name behind its threads. @param address Of the buffer. */
function processInformation(
  entries: readonly Entry[],
  address = ADDRESS,
): Uint8Array<ArrayBuffer> {
  const slot = ENTRY_BYTES + 64;
  const buffer = new Uint8Array(slot * entries.length);
  const view = new DataView(buffer.buffer);
  entries.forEach(({ pid, parent, name }, i) => {
    const at = i * slot;
    view.setUint32(at, i === entries.length - 1 ? 0 : slot, true);
    view.setUint32(at + 4, 11, true); // NumberOfThreads
    view.setBigInt64(at + 32, 133_000_000_000_000_000n + BigInt(pid), true); // CreateTime
    view.setBigInt64(at + 40, 25_000_000n, true); // UserTime
    view.setBigInt64(at + 48, 5_000_000n, true); // KernelTime
    view.setUint16(at + 56, 2 * name.length, true); // ImageName.Length
    view.setBigUint64(at + 64, name === "" ? 0n : address + BigInt(at + ENTRY_BYTES), true);
    view.setBigUint64(at + 80, BigInt(pid), true);
    view.setBigUint64(at + 88, BigInt(parent), true);
    view.setBigUint64(at + 144, 52_428_800n, true); // WorkingSetSize
    [...name].forEach((letter, j) =>
      view.setUint16(at + ENTRY_BYTES + 2 * j, letter.charCodeAt(0), true)
    );
  });
  return buffer;
}

Deno.test("what ntdll says of processes is read with times, memory and names, without the idle one", () => {
  const buffer = processInformation([
    { pid: 0, parent: 0, name: "" },
    { pid: 4, parent: 0, name: "" },
    { pid: 1_000, parent: 4, name: "größe.exe" },
  ]);
  const [system, app, ...others] = parseProcesses(buffer, ADDRESS);
  assert.deepEqual(others, []);
  assert.deepEqual([system.pid, system.name], [4, ""]);
  const { created, ...rest } = app;
  assert.deepEqual(rest, {
    pid: 1_000,
    parent: 4,
    name: "größe.exe",
    userMs: 2_500,
    kernelMs: 500,
    workingSetBytes: 52_428_800,
    threads: 11,
  });
  assert.ok(created > system.created - 1_000);
});

Deno.test("the members of a job are as many as the list says, whatever stands behind them", () => {
  const list = new Uint8Array(8 + 3 * 8);
  const view = new DataView(list.buffer);
  view.setUint32(0, 3, true);
  view.setUint32(4, 2, true);
  [12n, 340n, 7n].forEach((pid, i) => view.setBigUint64(8 + 8 * i, pid, true));
  assert.deepEqual(parseProcessIds(list), [12, 340]);
});

Deno.test({
  name: "off Windows none of its calls is to be had, and none is tried",
  ignore: Deno.build.os === "windows",
  fn: () => {
    const found = [windowsProcesses(), windowsThreadMs(), enterJob()];
    assert.deepEqual(found, [null, null, null]);
  },
});

type Ntdll = NonNullable<Parameters<typeof windowsProcesses>[0]>;
type Kernel32 = NonNullable<Parameters<typeof enterJob>[0]>;

/** What a call fills, in this process's memory as Windows would. */
function bytesOf(buffer: unknown): Uint8Array<ArrayBuffer> {
  assert.ok(buffer instanceof Uint8Array && buffer.buffer instanceof ArrayBuffer);
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

function addressOf(buffer: Uint8Array<ArrayBuffer>): bigint {
  return BigInt(Deno.UnsafePointer.value(Deno.UnsafePointer.of(buffer)));
}

/** More processes than fit at first: as many as the buffer must have room for. */
const CROWD_BYTES = 3_000_000;

Deno.test("a list of processes that has grown is read again with room for it, and at once from then on", () => {
  const rooms: number[] = [];
  const ntdll: Ntdll = {
    NtQuerySystemInformation: (_what, buffer, length, needed) => {
      rooms.push(length);
      if (length < CROWD_BYTES) {
        assert.ok(needed instanceof Uint32Array);
        needed[0] = CROWD_BYTES;
        return 0xc0000004 | 0; // STATUS_INFO_LENGTH_MISMATCH
      }
      const bytes = bytesOf(buffer);
      bytes.set(processInformation([{ pid: 8, parent: 4, name: "node.exe" }], addressOf(bytes)));
      return 0;
    },
  };
  for (const _ of [1, 2]) {
    assert.deepEqual(windowsProcesses(ntdll)?.map(({ pid, name }) => [pid, name]), [
      [8, "node.exe"],
    ]);
  }
  assert.deepEqual(rooms.map((length) => length >= CROWD_BYTES), [false, true, true]);
});

Deno.test("nobody is listed where ntdll denies it", () => {
  const denied = 0xc0000022 | 0; // STATUS_ACCESS_DENIED
  assert.equal(windowsProcesses({ NtQuerySystemInformation: () => denied }), null);
});

/** kernel32 of a system where all is well, but for some calls. */
function kernel32With(calls: Partial<Kernel32>): Kernel32 {
  return {
    CreateJobObjectW: () => 40n,
    SetInformationJobObject: () => 1,
    AssignProcessToJobObject: () => 1,
    QueryInformationJobObject: () => 0,
    GetCurrentProcess: () => 0xffffffffffffffffn,
    GetCurrentThread: () => 0xfffffffffffffffen,
    GetThreadTimes: () => 0,
    ...calls,
  };
}

Deno.test("this process is put into a job that ends with its last handle, and is listed with what is in it", () => {
  const said: unknown[] = [];
  const job = enterJob(kernel32With({
    SetInformationJobObject: (handle, kind, limits, length) => {
      const view = new DataView(bytesOf(limits).buffer);
      said.push([handle, kind, length, view.getUint32(16, true)]);
      return 1;
    },
    AssignProcessToJobObject: (handle, process) => said.push([handle, process]),
    QueryInformationJobObject: (handle, kind, list) => {
      said.push([handle, kind]);
      const view = new DataView(bytesOf(list).buffer);
      view.setUint32(4, 2, true);
      view.setBigUint64(8, 12n, true);
      view.setBigUint64(16, 340n, true);
      return 1;
    },
  }));
  assert.deepEqual(job?.members(), [12, 340]);
  assert.deepEqual(said, [
    [40n, 9, 144, 0x2000], // JobObjectExtendedLimitInformation, KILL_ON_JOB_CLOSE
    [40n, 0xffffffffffffffffn],
    [40n, 3], // JobObjectBasicProcessIdList
  ]);
});

const REFUSED: [what: string, calls: Partial<Kernel32>][] = [
  ["made", { CreateJobObjectW: () => 0n }],
  ["told to end its members", { SetInformationJobObject: () => 0 }],
  ["entered", { AssignProcessToJobObject: () => 0 }],
];

for (const [what, calls] of REFUSED) {
  Deno.test(`there is no job where it can't be ${what}`, () => {
    assert.equal(enterJob(kernel32With(calls)), null);
  });
}

Deno.test("a thread's time is what it used in the kernel and out of it, and unknown where that is denied", () => {
  const calls = kernel32With({
    GetThreadTimes: (_thread, _created, _ended, kernel, user) => {
      assert.ok(kernel instanceof BigInt64Array && user instanceof BigInt64Array);
      [kernel[0], user[0]] = [156_250n, 312_500n]; // units of 100 ns
      return 1;
    },
  });
  assert.equal(windowsThreadMs(calls), 46.875);
  assert.equal(windowsThreadMs(kernel32With({})), null);
});

const ofWindows = { ignore: Deno.build.os !== "windows" };

Deno.test("this process is in the list, with what it has used", ofWindows, () => {
  const own = windowsProcesses()?.find(({ pid }) => pid === Deno.pid);
  assert.ok(own !== undefined);
  assert.match(own.name, /\.exe$/i);
  assert.equal(own.parent, Deno.ppid);
  assert.ok(own.threads > 0 && own.workingSetBytes > 1_000_000);
  const usedMs = own.userMs + own.kernelMs;
  assert.ok(usedMs > 0);
  computeUntil(() => {
    const later = windowsProcesses()?.find(({ pid }) => pid === Deno.pid);
    return later !== undefined && later.userMs + later.kernelMs >= usedMs + 100;
  });
});

Deno.test("a thread that computes uses CPU time of its own", ofWindows, () => {
  const beforeMs = windowsThreadMs();
  assert.ok(beforeMs !== null);
  computeUntil(() => (windowsThreadMs() ?? 0) >= beforeMs + 100);
});

Deno.test("cores are idle for no longer than there is time", ofWindows, () => {
  const [beforeMs, before] = [performance.now(), readCoreTimes(null)];
  compute(300);
  const [after, elapsedMs] = [readCoreTimes(null), performance.now() - beforeMs];
  assert.ok(before !== null && after !== null && after.cores > 0);
  const idleMs = after.idleMs - before.idleMs;
  assert.ok(idleMs >= 0 && idleMs <= after.cores * elapsedMs + 100, `${idleMs} of ${elapsedMs} ms`);
});

Deno.test("a job has this process and what it starts", ofWindows, async () => {
  const job = enterJob();
  assert.ok(job !== null);
  const child = new Deno.Command("cmd.exe", { args: ["/c", "pause"], stdin: "piped" }).spawn();
  try {
    assert.ok(job.members().includes(Deno.pid));
    assert.ok(job.members().includes(child.pid));
  } finally {
    child.kill("SIGKILL");
    await child.status;
    await child.stdin.close().catch(() => {});
  }
});

/** A machine that is busy with others gives it little. */
function computeUntil(isEnough: () => boolean): void {
  for (const endMs = performance.now() + 60_000; performance.now() < endMs;) {
    compute(20);
    if (isEnough()) return;
  }
  assert.fail("Cannot wait longer than a minute for CPU time");
}

/** Of wall time. */
function compute(ms: number): void {
  for (const endMs = performance.now() + ms; performance.now() < endMs;);
}
