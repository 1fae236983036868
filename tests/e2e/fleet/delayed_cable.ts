/**
 * A network cable that holds up what goes one way, as `tc … netem delay` does, which not every kernel
 * has: two Ethernet devices of our own (TAP, <linux/if_tun.h>), and a process that carries frames
 * between them. It looks for frames without awaiting anything, so it has a process for itself.
 */
import { Buffer } from "node:buffer";
import { until } from "../patience.ts";

export type Cable = AsyncDisposable;

/**
 * Makes two interfaces, joined; leaving the scope takes them away.
 * @param delayMs For frames from `inner` to `outer`.
 */
export async function layDelayedCable(
  outer: string,
  inner: string,
  delayMs: number,
): Promise<Cable> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", import.meta.filename ?? "", outer, inner, `${delayMs}`],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const remove = async (): Promise<void> => {
    await output.cancel();
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended.
    }
    await child.status;
    await until("the cable is gone", () => !isThere(outer) && !isThere(inner));
  };
  const { value } = await output.read();
  if (value !== LAID) {
    await remove();
    throw new Error("Cannot lay a delayed cable");
  }
  return { [Symbol.asyncDispose]: remove };
}

function isThere(name: string): boolean {
  return Deno.readTextFileSync("/proc/net/dev").includes(`${name}:`);
}

const LAID = "laid\n";
const O_RDWR = 2;
const TUNSETIFF = 0x400454ca;
const IFF_TAP = 0x0002;
const IFF_NO_PI = 0x1000;
const IFREQ_BYTES = 40;
const IFREQ_FLAGS_AT = 16;
const POLLIN = 1;
const LONGEST_FRAME_BYTES = 65_536;

const SYMBOLS = {
  open: { parameters: ["buffer", "i32"], result: "i32" },
  ioctl: { parameters: ["i32", "u64", "buffer"], result: "i32" },
  poll: { parameters: ["buffer", "u64", "i32"], result: "i32" },
  read: { parameters: ["i32", "buffer", "u64"], result: "i64" },
  write: { parameters: ["i32", "buffer", "u64"], result: "i64" },
} as const;

type Libc = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

/** Makes an interface; it lives as long as the file that is returned. */
function makeInterface({ open, ioctl }: Libc, name: string): number {
  const file = open(Buffer.from("/dev/net/tun\0"), O_RDWR);
  const request = Buffer.alloc(IFREQ_BYTES);
  request.write(name, "latin1");
  request.writeUInt16LE(IFF_TAP | IFF_NO_PI, IFREQ_FLAGS_AT);
  if (file < 0 || ioctl(file, BigInt(TUNSETIFF), request) < 0) {
    throw new Error(`Cannot make the interface ${name}`);
  }
  return file;
}

function carry(outerName: string, innerName: string, delayMs: number): never {
  const libc = Deno.dlopen("libc.so.6", SYMBOLS).symbols;
  const [outer, inner] = [outerName, innerName].map((name) => makeInterface(libc, name));
  Deno.stdout.writeSync(new TextEncoder().encode(LAID));
  const held: { frame: Uint8Array<ArrayBuffer>; dueMs: number }[] = [];
  const files = new Int32Array([outer, POLLIN, inner, POLLIN]);
  const returned = new Int16Array(files.buffer);
  const buffer = new Uint8Array(LONGEST_FRAME_BYTES);
  const readFrom = (file: number): Uint8Array<ArrayBuffer> =>
    buffer.slice(0, Math.max(0, Number(libc.read(file, buffer, BigInt(buffer.length)))));
  const writeTo = (file: number, frame: Uint8Array<ArrayBuffer>): void => {
    libc.write(file, frame, BigInt(frame.length)); // refused until the interface is up, as by any cable
  };
  while (true) {
    const waitMs = held.length > 0 ? Math.ceil(held[0].dueMs - performance.now()) : -1;
    libc.poll(files, 2n, Math.max(held.length > 0 ? 0 : -1, waitMs));
    if (returned[3] & POLLIN) writeTo(inner, readFrom(outer));
    if (returned[7] & POLLIN) {
      held.push({ frame: readFrom(inner), dueMs: performance.now() + delayMs });
    }
    while (held.length > 0 && held[0].dueMs <= performance.now()) {
      writeTo(outer, held.shift()?.frame ?? new Uint8Array());
    }
  }
}

if (import.meta.main) {
  const [outer, inner, delayMs] = Deno.args;
  carry(outer, inner, Number(delayMs));
}
