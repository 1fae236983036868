/**
 * The few functions of Windows that Plateau calls, by Deno's FFI: for the processes of the machine, the job object that
 * holds a program with all that it starts, and the CPU time of a thread. Structures are those of 64-bit Windows
 * (winnt.h, winternl.h). Results are null where a function is unavailable: on another system, or without the permission
 * for FFI.
 */

const KERNEL32 = {
  CreateJobObjectW: { parameters: ["pointer", "pointer"], result: "usize" },
  SetInformationJobObject: { parameters: ["usize", "i32", "buffer", "u32"], result: "i32" },
  AssignProcessToJobObject: { parameters: ["usize", "usize"], result: "i32" },
  QueryInformationJobObject: {
    parameters: ["usize", "i32", "buffer", "u32", "pointer"],
    result: "i32",
  },
  GetCurrentProcess: { parameters: [], result: "usize" },
  GetCurrentThread: { parameters: [], result: "usize" },
  GetThreadTimes: {
    parameters: ["usize", "buffer", "buffer", "buffer", "buffer"],
    result: "i32",
  },
} as const;

const NTDLL = {
  NtQuerySystemInformation: { parameters: ["i32", "buffer", "u32", "buffer"], result: "i32" },
} as const;

type Calls<T extends Deno.ForeignLibraryInterface> = Deno.DynamicLibrary<T>["symbols"] | null;

/** The libraries, opened for this isolate at the first call; null if they are unavailable. */
const kernel32 = opened(() => Deno.dlopen("kernel32.dll", KERNEL32).symbols);
const ntdll = opened(() => Deno.dlopen("ntdll.dll", NTDLL).symbols);

function opened<Symbols>(open: () => Symbols): () => Symbols | null {
  let symbols: Symbols | null | undefined;
  return () => {
    if (symbols !== undefined) return symbols;
    try {
      return symbols = Deno.build.os === "windows" ? open() : null;
    } catch {
      return symbols = null;
    }
  };
}

/** Windows gives times in units of 100 ns (FILETIME). */
const UNITS_PER_MS = 10_000n;

function msOf(units: bigint): number {
  return Number(units) / Number(UNITS_PER_MS);
}

// Processes, as a sequence of SYSTEM_PROCESS_INFORMATION.

const SYSTEM_PROCESS_INFORMATION = 5;
const STATUS_INFO_LENGTH_MISMATCH = 0xc0000004 | 0;
const FIRST_LENGTH = 512 * 1024;

/** Offsets in SYSTEM_PROCESS_INFORMATION. */
const NEXT = 0;
const THREADS = 4;
const CREATED = 32;
const USER = 40;
const KERNEL = 48;
const NAME_LENGTH = 56;
const NAME_AT = 64;
const PID = 80;
const PARENT = 88;
const WORKING_SET = 144;

/** A process as Windows lists it. */
export interface WindowsProcess {
  readonly pid: number;
  /** Id of the process that started this one. It may have ended, and another may have its id now. */
  readonly parent: number;
  /** File name of the program. */
  readonly name: string;
  /** Creation time, in units of 100 ns. */
  readonly created: number;
  readonly userMs: number;
  readonly kernelMs: number;
  readonly workingSetBytes: number;
  readonly threads: number;
}

let length = FIRST_LENGTH;

/** All processes of the machine, except the idle process. */
export function windowsProcesses(calls: Calls<typeof NTDLL> = ntdll()): WindowsProcess[] | null {
  if (calls === null) return null;
  const needed = new Uint32Array(1);
  while (true) {
    const buffer = new Uint8Array(length);
    const status = calls.NtQuerySystemInformation(
      SYSTEM_PROCESS_INFORMATION,
      buffer,
      length,
      needed,
    );
    if (status === STATUS_INFO_LENGTH_MISMATCH) {
      length = Math.max(2 * length, needed[0]);
      continue;
    }
    if (status !== 0) return null;
    const address = Deno.UnsafePointer.value(Deno.UnsafePointer.of(buffer));
    return parseProcesses(buffer, BigInt(address));
  }
}

/** @param address Address of the buffer, because pointers in it are absolute. */
export function parseProcesses(
  buffer: Uint8Array<ArrayBuffer>,
  address: bigint,
): WindowsProcess[] {
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  const utf16 = new TextDecoder("utf-16le");
  const found: WindowsProcess[] = [];
  for (let at = 0;;) {
    const pid = Number(view.getBigUint64(at + PID, true));
    const nameAt = Number(view.getBigUint64(at + NAME_AT, true) - address);
    const nameLength = view.getUint16(at + NAME_LENGTH, true);
    if (pid !== 0) {
      found.push({
        pid,
        parent: Number(view.getBigUint64(at + PARENT, true)),
        name: nameLength === 0 ? "" : utf16.decode(buffer.subarray(nameAt, nameAt + nameLength)),
        created: Number(view.getBigInt64(at + CREATED, true)),
        userMs: msOf(view.getBigInt64(at + USER, true)),
        kernelMs: msOf(view.getBigInt64(at + KERNEL, true)),
        workingSetBytes: Number(view.getBigUint64(at + WORKING_SET, true)),
        threads: view.getUint32(at + THREADS, true),
      });
    }
    const next = view.getUint32(at + NEXT, true);
    if (next === 0) return found;
    at += next;
  }
}

/** CPU time of the calling thread, ms. */
export function windowsThreadMs(calls: Calls<typeof KERNEL32> = kernel32()): number | null {
  const [created, ended, kernel, user] = [0, 1, 2, 3].map(() => new BigInt64Array(1));
  const isTold = calls?.GetThreadTimes(calls.GetCurrentThread(), created, ended, kernel, user);
  return isTold ? msOf(kernel[0] + user[0]) : null;
}

// Job objects, which can be nested since Windows 8.

const JOB_BASIC_PROCESS_ID_LIST = 3;
const JOB_EXTENDED_LIMIT = 9;
/** Size of JOBOBJECT_EXTENDED_LIMIT_INFORMATION; the next constant is the offset of its flags. */
const LIMIT_BYTES = 144;
const LIMIT_FLAGS = 16;
const KILL_ON_JOB_CLOSE = 0x2000;
/** JOBOBJECT_BASIC_PROCESS_ID_LIST begins with two 32-bit counts, which 64-bit process ids follow. */
const LIST_HEAD = 8;
const MOST_LISTED = 4_096;

/** A job that holds this process and everything that it starts from now on. */
export interface Job {
  /** Ids of the living processes in the job, including this one. */
  members(): number[];
}

/**
 * Puts this process into a job that ends all of its members when its last handle is closed. Only this process has a
 * handle, so however this process ends, even killed by another, everything that it started ends, too. Null if this is
 * not possible.
 */
export function enterJob(calls: Calls<typeof KERNEL32> = kernel32()): Job | null {
  if (calls === null) return null;
  const job = calls.CreateJobObjectW(null, null);
  if (job === 0n) return null;
  const limits = new Uint8Array(LIMIT_BYTES);
  new DataView(limits.buffer).setUint32(LIMIT_FLAGS, KILL_ON_JOB_CLOSE, true);
  const isIn = calls.SetInformationJobObject(job, JOB_EXTENDED_LIMIT, limits, LIMIT_BYTES) &&
    calls.AssignProcessToJobObject(job, calls.GetCurrentProcess());
  if (!isIn) return null;
  const list = new Uint8Array(LIST_HEAD + 8 * MOST_LISTED);
  return {
    members(): number[] {
      const isTold = calls.QueryInformationJobObject(
        job,
        JOB_BASIC_PROCESS_ID_LIST,
        list,
        list.length,
        null,
      );
      return isTold ? parseProcessIds(list) : [];
    },
  };
}

/** Parses a JOBOBJECT_BASIC_PROCESS_ID_LIST. */
export function parseProcessIds(list: Uint8Array<ArrayBuffer>): number[] {
  const view = new DataView(list.buffer, list.byteOffset);
  const count = view.getUint32(4, true);
  return Array.from(
    { length: count },
    (_, i) => Number(view.getBigUint64(LIST_HEAD + 8 * i, true)),
  );
}
