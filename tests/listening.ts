/** Who listens where on this machine, as Linux tells it (proc(5), /proc/net/tcp). */

/** A loopback address of this process of tests alone; process ids have at most 22 bits. */
export const OWN_HOST = [127, 64 + (Deno.pid >> 16), Deno.pid >> 8 & 255, Deno.pid & 255].join(".");

/** All addresses of the machine, as the kernel writes them. */
const EVERYWHERE = /^0+$/;

const LISTENS = "0A";

/** Ports on which somebody listens at this IPv4 address, or at all addresses; each once, ascending. */
export function listeningPorts(at: string | "everywhere"): number[] {
  const isThere = at === "everywhere"
    ? (address: string): boolean => EVERYWHERE.test(address)
    : (address: string): boolean => address === hexOf(at);
  const ports = ["tcp", "tcp6"].flatMap((table) => {
    const rows = Deno.readTextFileSync(`/proc/net/${table}`).trim().split("\n").slice(1);
    return rows.flatMap((row) => {
      const [, local, , state] = row.trim().split(/\s+/);
      const [address, port] = local.split(":");
      return state === LISTENS && isThere(address) ? [parseInt(port, 16)] : [];
    });
  });
  return [...new Set(ports)].sort((a, b) => a - b);
}

/** Bytes of the address, the last first, as little-endian processors keep them. */
function hexOf(address: string): string {
  const bytes = address.split(".").map((byte) => Number(byte).toString(16).padStart(2, "0"));
  return bytes.reverse().join("").toUpperCase();
}
