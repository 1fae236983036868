/**
 * A pipe into which another process writes, polled from time to time: a waiting reader would be woken by each write, at
 * the expense of the writer.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { libcOr, pipeCalls } from "./libc.ts";

const O_RDONLY_NONBLOCK_CLOEXEC = 0o4000 | 0o2000000;
const F_SETPIPE_SZ = 1031;
/** The largest capacity that the system grants unprivileged users by default (pipe(7)). */
const CAPACITY = 1_048_576;
const READ_BYTES = 65_536;

/**
 * A reader of a process's standard error that polls every `everyMs` while nothing comes. The caller has to close its
 * own end of the pipe. Null if this is not possible: on systems other than Linux, or if the process has ended or
 * belongs to another user.
 */
export function polledErrors(pid: number, everyMs: number): ReadableStream<Uint8Array> | null {
  return libcOr(() => poll(`/proc/${pid}/fd/2`, everyMs), () => null);
}

function poll(path: string, everyMs: number): ReadableStream<Uint8Array> | null {
  const { open, fcntl, read, close } = pipeCalls();
  const fd = open(new TextEncoder().encode(`${path}\0`), O_RDONLY_NONBLOCK_CLOEXEC);
  if (fd < 0) return null;
  fcntl(fd, F_SETPIPE_SZ, CAPACITY); // if this is denied, a program that writes a lot may have to wait
  const buffer = new Uint8Array(READ_BYTES);
  let isClosed = false;
  const end = (): void => {
    if (!isClosed) close(fd);
    isClosed = true;
  };
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    while (!isClosed) {
      const bytes = read(fd, buffer, READ_BYTES);
      if (bytes > 0) return controller.enqueue(buffer.slice(0, bytes));
      if (bytes < 0) await sleep(everyMs);
      else end();
    }
    controller.close();
  };
  return new ReadableStream({ pull, cancel: end }, { highWaterMark: 0 });
}
