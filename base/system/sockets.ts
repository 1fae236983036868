/**
 * Sockets of the network namespace that a process is in, from /proc/PID/net (proc(5)): where connections wait to be
 * accepted, and which sockets lead to a name server. Linux only. A table counts as unknown if it is too long to be read
 * repeatedly.
 */

/** The most bytes that are read of a table of sockets: some 1,700 rows. */
const MOST_BYTES = 256 * 1024;
/** Port of name servers (RFC 1035). */
const NAME_SERVER_PORT = 53;

/** States from include/net/tcp_states.h, as the tables write them. */
const ESTABLISHED = "01";
const LISTEN = "0A";

/** Rows of /proc/net/tcp: `sl local remote st tx:rx tr:when retrnsmt uid timeout inode`. */
function rowsAt(port: number, state: string, text: string): { received: number; inode: string }[] {
  const local = `[0-9A-F]+:${hexPort(port)}`;
  const row = new RegExp(
    `^ *\\d+: ${local} \\S+ ${state} [0-9A-F]+:([0-9A-F]+) \\S+ \\S+ +\\d+ +\\d+ (\\d+)`,
    "gm",
  );
  return [...text.matchAll(row)]
    .map(([, received, inode]) => ({ received: parseInt(received, 16), inode }));
}

function hexPort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}

/**
 * Connections to the port that the kernel has established and no program has accepted yet; null if nothing listens
 * there.
 */
export function queuedAt(port: number, table: string): number | null {
  const listening = rowsAt(port, LISTEN, table);
  return listening.length === 0 ? null : listening.reduce((sum, row) => sum + row.received, 0);
}

/** Connections to the port that a program has accepted: unaccepted ones belong to no process, so their inode is 0. */
export function acceptedAt(port: number, table: string): number {
  return rowsAt(port, ESTABLISHED, table).filter(({ inode }) => inode !== "0").length;
}

/**
 * Sockets that are connected to a name server, in the form in which /proc/PID/fd links to them, such as `socket:[123]`.
 * @param text The content of /proc/net/udp.
 */
export function nameServerSockets(text: string): string[] {
  const remote = `[0-9A-F]+:${hexPort(NAME_SERVER_PORT)}`;
  const row = new RegExp(`^ *\\d+: \\S+ ${remote} \\S+ \\S+ \\S+ \\S+ +\\d+ +\\d+ (\\d+)`, "gm");
  return [...text.matchAll(row)].map(([, inode]) => `socket:[${inode}]`);
}

export interface AcceptQueue {
  /** Connections in the queue, from `queuedAt`. */
  readonly queued: number;
  /** Accepted connections, from `acceptedAt`; null if the table is too long. */
  readonly accepted: number | null;
}

/**
 * Accept queue of a port; null if no listener is visible. Takes 1 to 4 ms, because the kernel walks its whole hash
 * table of connections, empty buckets included.
 */
export function readAcceptQueue(pid: number, port: number): AcceptQueue | null {
  for (const name of ["tcp", "tcp6"]) {
    const text = readTable(pid, name);
    const queued = queuedAt(port, text);
    if (queued === null) continue;
    return { queued, accepted: isWhole(text) ? acceptedAt(port, text) : null };
  }
  return null;
}

/** Sockets to name servers, from `nameServerSockets`; null if the tables are too long. */
export function readNameServerSockets(pid: number): string[] | null {
  const tables = ["udp", "udp6"].map((name) => readTable(pid, name));
  return tables.every(isWhole) ? tables.flatMap(nameServerSockets) : null;
}

function isWhole(text: string): boolean {
  return text.length < MOST_BYTES;
}

const buffer = new Uint8Array(MOST_BYTES);
const decoder = new TextDecoder();

/** The text of a table. A long text is cut, which loses no listening sockets, because they come first. */
function readTable(pid: number, name: string): string {
  try {
    using file = Deno.openSync(`/proc/${pid}/net/${name}`);
    let length = 0;
    for (let read: number | null = 1; read && length < MOST_BYTES; length += read ?? 0) {
      read = file.readSync(buffer.subarray(length));
    }
    return decoder.decode(buffer.subarray(0, length)); // the table is all ASCII
  } catch {
    return ""; // the process is gone, or the protocol does not exist here
  }
}
