/**
 * The processes of this machine that listen at an address: those that have the listening socket open, found by its
 * inode (proc(5): /proc/net/tcp, /proc/net/unix and /proc/PID/fd). Linux only. The list is empty if the processes are
 * unknown: without the right to look, in another network namespace, behind a program that only forwards connections, or
 * if there is too much to look at.
 */
import { readName } from "./processes.ts";

/** An address in network order, 4 or 16 bytes, or the path of a unix socket. */
type ListeningAt =
  | { readonly bytes: Uint8Array; readonly port: number }
  | { readonly path: string };

/**
 * These programs listen on behalf of containers or other machines, which do the work, so their own CPU time says
 * nothing about the target.
 */
const FORWARDERS = /^(?:docker-proxy|rootlessport|rootlesskit|slirp4netns|pasta|kubectl|ssh|sshd)/;

/**
 * The most open files among which a search looks for the socket. To read the link of one takes some 4 µs, so a search
 * ends after some 0.2 s. The limit is a count rather than a time, so that the result does not depend on how busy the
 * machine is.
 */
const MOST_OPEN_FILES = 50_000;

/** Ids of the processes that listen at the address. Empty if unknown, or if one of them only forwards connections. */
export function listenersAt(at: ListeningAt): number[] {
  const pids = occupantsOf(at);
  return pids.some((pid) => FORWARDERS.test(readName(pid) ?? "")) ? [] : pids;
}

/** Ids of the processes that listen at the address, including those that only forward connections. */
export function occupantsOf(at: ListeningAt): number[] {
  const inodes = "path" in at ? unixInodes(at.path) : tcpInodes(at);
  return inodes.length === 0 ? [] : holdersOf(new Set(inodes.map((inode) => `socket:[${inode}]`)));
}

function unixInodes(path: string): string[] {
  return parseUnixListeners(orEmpty(() => Deno.readTextFileSync("/proc/net/unix")), path);
}

export type TcpAddress = Omit<TcpListener, "inode">;

/**
 * Reads tcp6 for an IPv4 address, too, because a listener at all addresses of IPv6 also gets IPv4 connections for which
 * there is no other listener.
 */
function tcpInodes(at: TcpAddress): string[] {
  const files = at.bytes.length === 4 ? ["/proc/net/tcp", "/proc/net/tcp6"] : ["/proc/net/tcp6"];
  for (const file of files) {
    const inodes = inodesAt(at, parseTcpListeners(orEmpty(() => readListeners(file))));
    if (inodes.length > 0) return inodes;
  }
  return [];
}

const CHUNK_BYTES = 8 * 1024;
/** A row in any state but LISTEN, which ends the reading because listening sockets come first. */
const CONNECTION = /^ *\d+: \S+ \S+ (?!0A)/m;

/** The start of the file; the rest has a row for every connection, perhaps 100,000 of them. */
function readListeners(path: string): string {
  using file = Deno.openSync(path);
  const chunk = new Uint8Array(CHUNK_BYTES);
  let text = "";
  while (!CONNECTION.test(text)) {
    const length = file.readSync(chunk);
    if (length === null) break;
    text += String.fromCharCode(...chunk.subarray(0, length)); // the file is all ASCII
  }
  return text;
}

interface TcpListener {
  readonly bytes: Uint8Array;
  readonly port: number;
  readonly inode: string;
}

const LISTEN = "0A";

/** Parses /proc/net/tcp and tcp6: `sl local remote st …`; addresses are 32-bit words in host byte order. */
export function parseTcpListeners(text: string): TcpListener[] {
  return text.split("\n").flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    const [, address, port] = /^([\dA-F]+):([\dA-F]{4})$/.exec(fields[1] ?? "") ?? [];
    if (address === undefined || fields[3] !== LISTEN) return [];
    const words = address.match(/.{8}/g) ?? [];
    const bytes = words.flatMap((word) => word.match(/../g)?.reverse() ?? []);
    return [{
      bytes: Uint8Array.from(bytes, (byte) => parseInt(byte, 16)),
      port: parseInt(port, 16),
      inode: fields[9],
    }];
  });
}

/**
 * The inodes of the listeners that get a connection to this address: the kernel chooses a listener at exactly this
 * address, or else one at the wildcard address.
 */
export function inodesAt(
  { bytes, port }: TcpAddress,
  listeners: readonly TcpListener[],
): string[] {
  const there = listeners.filter((listener) => listener.port === port);
  const exact = there.filter((listener) => isSame(listener.bytes, bytes));
  const any = there.filter((listener) => isAnyAddress(listener.bytes));
  return (exact.length > 0 ? exact : any).map(({ inode }) => inode);
}

/** Whether the address stands for all addresses of the machine. */
export function isAnyAddress(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

/** `127.0.0.1` or `::1`. */
export function ipText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join(".");
  const words = new DataView(bytes.buffer, bytes.byteOffset);
  const groups = Array.from({ length: 8 }, (_, at) => words.getUint16(2 * at).toString(16));
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

const ACCEPTS = "00010000";

/** Parses /proc/net/unix: `num refs protocol flags type state inode path`; a flag marks listeners. */
export function parseUnixListeners(text: string, path: string): string[] {
  return text.split("\n").flatMap((line) => {
    const [, flags, inode, at] = /^\S+ \S+ \S+ (\S+) \S+ \S+ +(\d+) (.+)$/.exec(line) ?? [];
    return flags === ACCEPTS && at === path ? [inode] : [];
  });
}

/** Ports on which the process itself listens at 127.0.0.1. Empty if unknown. */
export function loopbackPortsOf(pid: number): number[] {
  return listenersOf([pid]).filter(({ bytes }) => isSame(bytes, LOOPBACK_BYTES))
    .map(({ port }) => port);
}

const LOOPBACK_BYTES = Uint8Array.of(127, 0, 0, 1);

/** TCP addresses at which the processes themselves listen. Empty if unknown. */
export function listenersOf(pids: readonly number[]): TcpAddress[] {
  const links = new Set(pids.flatMap((pid) => openFilesOf(String(pid)).map(linkOf)));
  return ["/proc/net/tcp", "/proc/net/tcp6"]
    .flatMap((file) => parseTcpListeners(orEmpty(() => readListeners(file))))
    .filter(({ inode }) => links.has(`socket:[${inode}]`));
}

function holdersOf(links: ReadonlySet<string>): number[] {
  const holders: number[] = [];
  let openFiles = 0;
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const files = openFilesOf(name);
    openFiles += files.length;
    if (openFiles > MOST_OPEN_FILES) return [];
    if (files.some((file) => links.has(linkOf(file) ?? ""))) holders.push(Number(name));
  }
  return holders;
}

/** Paths in /proc of the links to a process's open files. Empty if this user may not see them, or the process is gone. */
function openFilesOf(pid: string): string[] {
  try {
    const folder = `/proc/${pid}/fd`;
    return [...Deno.readDirSync(folder)].map(({ name }) => `${folder}/${name}`);
  } catch {
    return [];
  }
}

/** The target of a link; null if the file was closed meanwhile, or this user may not see it. */
function linkOf(path: string): string | null {
  try {
    return Deno.readLinkSync(path);
  } catch {
    return null;
  }
}

export function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return ""; // not Linux
  }
}
