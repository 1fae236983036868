/**
 * The few functions of libc that Plateau calls on Linux, by Deno's FFI, in groups: an isolate looks up a group when it
 * first needs one of its functions, so that the start costs nothing for unused groups. Lengths are declared u32,
 * because passing a JS number as `usize` takes ten times as long. Off Linux, without glibc, or without the permission
 * for FFI, the look-up throws; `libcOr` then calls a fallback.
 */

const CLOCK_GETTIME = { parameters: ["i32", "buffer"], result: "i32" } as const;
const PRCTL = { parameters: ["i32", "u64", "u64", "u64", "u64"], result: "i32" } as const;

export type LibrarySymbols<Declared extends Deno.ForeignLibraryInterface> = Deno.DynamicLibrary<
  Declared
>["symbols"];

/**
 * Looks up the declared functions at the first use. Later uses get the same object, because the engine optimises calls
 * of functions that it has seen before.
 */
function group<const Declared extends Deno.ForeignLibraryInterface>(
  declared: Declared,
): () => LibrarySymbols<Declared> {
  let symbols: LibrarySymbols<Declared> | null = null;
  let failure: unknown = null;
  return () => {
    if (failure !== null) throw failure;
    try {
      return symbols ??= Deno.dlopen("libc.so.6", declared).symbols;
    } catch (error) {
      failure = error;
      throw error;
    }
  };
}

/** The result of a call, or of `fallback` if the functions of its group are unavailable. */
export function libcOr<Result>(call: () => Result, fallback: () => Result): Result {
  if (Deno.build.os !== "linux") return fallback();
  try {
    return call();
  } catch {
    return fallback();
  }
}

export const processCalls = group({
  clock_gettime: CLOCK_GETTIME,
  prctl: PRCTL,
  getrlimit: { parameters: ["i32", "buffer"], result: "i32" },
  setrlimit: { parameters: ["i32", "buffer"], result: "i32" },
  waitpid: { parameters: ["i32", "pointer", "i32"], result: "i32" },
  sched_setaffinity: { parameters: ["i32", "usize", "buffer"], result: "i32" },
  sched_getaffinity: { parameters: ["i32", "usize", "buffer"], result: "i32" },
  // for system calls without a function in libc
  syscall: { parameters: ["i64", "i64", "buffer", "i64", "i64"], result: "i64" },
});

export const pipeCalls = group({
  open: { parameters: ["buffer", "i32"], result: "i32" },
  fcntl: { parameters: ["i32", "i32", "i32"], result: "i32" },
  read: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
});

export const listenCalls = group({
  bind: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  listen: { parameters: ["i32", "i32"], result: "i32" },
  getsockname: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  accept4: { parameters: ["i32", "pointer", "pointer", "i32"], result: "i32" },
});

/** Calls that make connections and wait for events on them. */
const SOCKET_SYMBOLS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  connect: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
  getsockopt: { parameters: ["i32", "i32", "i32", "buffer", "buffer"], result: "i32" },
  ioctl: { parameters: ["i32", "u64", "buffer"], result: "i32" },
  send: { parameters: ["i32", "buffer", "u32", "i32"], result: "i32" },
  recv: { parameters: ["i32", "buffer", "u32", "i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  epoll_create1: { parameters: ["i32"], result: "i32" },
  epoll_ctl: { parameters: ["i32", "i32", "i32", "buffer"], result: "i32" },
  epoll_wait: { parameters: ["i32", "buffer", "i32", "i32"], result: "i32" },
  epoll_pwait2: {
    parameters: ["i32", "buffer", "i32", "buffer", "pointer", "u32"],
    result: "i32",
    optional: true, // null before glibc 2.35
  },
  timerfd_create: { parameters: ["i32", "i32"], result: "i32" },
  timerfd_settime: { parameters: ["i32", "i32", "buffer", "pointer"], result: "i32" },
  clock_gettime: CLOCK_GETTIME,
  prctl: PRCTL,
  __errno_location: { parameters: [], result: "pointer" },
  strerror: { parameters: ["i32"], result: "pointer" },
} as const satisfies Deno.ForeignLibraryInterface;

export type Libc = LibrarySymbols<typeof SOCKET_SYMBOLS> & {
  /** Number of this thread's last error, to be read right after the call that failed. */
  errno(): number;
  /** What an error number means, in the words of libc. */
  explain(errno: number): string;
};

// Constants of the Linux kernel's interface (include/uapi), the same on x86-64 and arm64.
export const AF_INET = 2;
export const AF_INET6 = 10;
export const SOCK_STREAM_NONBLOCK_CLOEXEC = 1 | 0o4000 | 0o2000000;
export const IPPROTO_IP = 0;
export const IPPROTO_TCP = 6;
export const TCP_NODELAY = 1;
/** Since Linux 6.3, for both address families (ip(7)). */
export const IP_LOCAL_PORT_RANGE = 51;
export const SOL_SOCKET = 1;
export const SO_ERROR = 4;
export const MSG_DONTWAIT_NOSIGNAL = 0x40 | 0x4000;
export const EPOLL_CLOEXEC = 0o2000000;
export const EPOLL_CTL_ADD = 1;
export const EPOLL_CTL_MOD = 3;
export const EPOLLIN = 1;
export const EPOLLOUT = 4;
export const EPOLLRDHUP = 0x2000;
export const EPOLLET = 1 << 31;
export const CLOCK_MONOTONIC = 1;
export const TFD_NONBLOCK_CLOEXEC = 0o4000 | 0o2000000;
export const EAGAIN = 11;
export const EINTR = 4;
export const EINPROGRESS = 115;
export const PR_SET_TIMERSLACK = 29;
export const PR_GET_TIMERSLACK = 30;

/**
 * Length of struct epoll_event in 32-bit words: packed on x86-64, with padding before the data on other architectures.
 */
export const EVENT_WORDS = Deno.build.arch === "x86_64" ? 3 : 4;
/** Index of the word at which an event's data begins. */
export const DATA_WORD = EVENT_WORDS - 2;

const socketCalls = group(SOCKET_SYMBOLS);
let withErrors: Libc | null = null;

/** The calls of the epoll transport. Throws without FFI permission, off Linux, or without glibc. */
export function libc(os: typeof Deno.build.os = Deno.build.os): Libc {
  if (os !== "linux") throw new Error("only Linux has it");
  return withErrors ??= addErrors(socketCalls());
}

function addErrors(symbols: LibrarySymbols<typeof SOCKET_SYMBOLS>): Libc {
  const location = symbols.__errno_location();
  if (location === null) throw new Error("libc has no errno");
  const view = new Deno.UnsafePointerView(location);
  return Object.assign(symbols, {
    errno: () => view.getInt32(),
    explain: (errno: number) => {
      const text = symbols.strerror(errno);
      return text === null ? `error ${errno}` : Deno.UnsafePointerView.getCString(text);
    },
  });
}
