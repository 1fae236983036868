/**
 * Becomes another program for which the kernel denies some calls, as sandboxes and older kernels do:
 *
 *     deno run -A denying.ts epoll_pwait2=ENOSYS,prctl=EPERM PROGRAM ARGS…
 *
 * seccomp(2) with a filter in the kernel's classic BPF (Documentation/userspace-api/seccomp_filter.rst),
 * which every thread and process below inherits; then execveat(2), so that execve(2) may be denied, too.
 * PROGRAM is a full path. Linux on x86-64 and arm64.
 */

/** Numbers of the calls that tests deny: [x86-64, arm64], from asm/unistd_64.h and asm-generic/unistd.h. */
const CALLS = {
  clock_gettime: [228, 113],
  clone3: [435, 435],
  connect: [42, 203],
  execve: [59, 221],
  execveat: [322, 281],
  epoll_create1: [291, 20],
  epoll_ctl: [233, 21],
  epoll_pwait: [281, 22],
  epoll_pwait2: [441, 441],
  getrlimit: [97, 163],
  pidfd_open: [434, 434],
  pidfd_send_signal: [424, 424],
  prctl: [157, 167],
  prlimit64: [302, 261],
  sched_getaffinity: [204, 123],
  sched_setaffinity: [203, 122],
  sched_setattr: [314, 274],
  setrlimit: [160, 164],
  setsockopt: [54, 208],
  timerfd_create: [283, 85],
  timerfd_settime: [286, 86],
} as const satisfies Record<string, readonly [number, number]>;

export type Call = keyof typeof CALLS;

const ERRORS = { EPERM: 1, ENOSYS: 38 } as const;
export type ErrorName = keyof typeof ERRORS;

/** The command that runs the one that follows it without these calls. */
export function without(calls: readonly Call[], error: ErrorName): string[] {
  const denied = calls.map((call) => `${call}=${error}`).join();
  return [Deno.execPath(), "run", "--allow-all", import.meta.filename ?? "", denied];
}

// linux/bpf_common.h, linux/seccomp.h, linux/audit.h, linux/prctl.h
const LOAD_WORD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const FAIL = 0x00050000;
const AT_FDCWD = -100;
const INSTRUCTION_BYTES = 8;
const ARCH = Deno.build.arch === "x86_64" ? 0xc000003e : 0xc00000b7;
const PR_SET_SECCOMP = 22;
const PR_SET_NO_NEW_PRIVS = 38;
const SECCOMP_MODE_FILTER = 2n;

/** Instructions as [code, jump when equal, jump otherwise, constant]; `seccomp_data` is { nr, arch, … }. */
function filterOf(denied: readonly { number: number; errno: number }[]): number[][] {
  return [
    [LOAD_WORD, 0, 0, 4],
    [JUMP_IF_EQUAL, 1, 0, ARCH],
    [RETURN, 0, 0, ALLOW],
    [LOAD_WORD, 0, 0, 0],
    ...denied.flatMap(({ number, errno }) => [
      [JUMP_IF_EQUAL, 0, 1, number],
      [RETURN, 0, 0, FAIL | errno],
    ]),
    [RETURN, 0, 0, ALLOW],
  ];
}

function bytesOf(filter: readonly number[][]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(filter.length * INSTRUCTION_BYTES);
  const view = new DataView(bytes.buffer);
  filter.forEach(([code, whenEqual, otherwise, constant], index) => {
    const at = index * INSTRUCTION_BYTES;
    view.setUint16(at, code, true);
    view.setUint8(at + 2, whenEqual);
    view.setUint8(at + 3, otherwise);
    view.setUint32(at + 4, constant, true);
  });
  return bytes;
}

function parseDenied(text: string): { number: number; errno: number }[] {
  return text.split(",").map((part) => {
    const [call, error] = part.split("=") as [Call, ErrorName];
    return { number: numberOf(call), errno: ERRORS[error] };
  });
}

function numberOf(call: Call): number {
  return CALLS[call][Deno.build.arch === "x86_64" ? 0 : 1];
}

/** Where the bytes lie, for a pointer within a structure. */
function addressOf(bytes: Uint8Array<ArrayBuffer>): bigint {
  return Deno.UnsafePointer.value(Deno.UnsafePointer.of(bytes));
}

function become(command: readonly string[], denied: string): never {
  const { symbols: { prctl, syscall, environ } } = Deno.dlopen("libc.so.6", {
    prctl: { parameters: ["i32", "u64", "buffer", "u64", "u64"], result: "i32" },
    syscall: { parameters: ["i64", "i32", "buffer", "buffer", "pointer", "i32"], result: "i64" },
    environ: { type: "pointer" },
  });
  const filter = filterOf(parseDenied(denied));
  const code = bytesOf(filter);
  const program = BigUint64Array.of(BigInt(filter.length), addressOf(code)); // struct sock_fprog
  const words = command.map((word) => new TextEncoder().encode(`${word}\0`));
  const args = BigUint64Array.from([...words.map(addressOf), 0n]);
  const environment = environ && new Deno.UnsafePointerView(environ).getPointer();
  const isDenied = prctl(PR_SET_NO_NEW_PRIVS, 1n, null, 0n, 0n) === 0 &&
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0n, 0n) === 0;
  if (isDenied) syscall(BigInt(numberOf("execveat")), AT_FDCWD, words[0], args, environment, 0);
  throw new Error(`Cannot ${isDenied ? `become ${command[0]}` : `deny ${denied}`}`);
}

if (import.meta.main) {
  const [denied, ...command] = Deno.args;
  become(command, denied);
}
