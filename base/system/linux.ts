/** Reads what Linux shows of the machine in /proc and /sys; null where a file is missing. */
import { parseCores } from "./affinity.ts";

/** A file's text; null when no such file can be read. */
export type Text = string | null;

/** The cores on which the process may run, from /proc/self/status. */
export function parseAllowedCores(status: Text): number[] | null {
  const [, list] = /^Cpus_allowed_list:\s*(\S+)/m.exec(status ?? "") ?? [];
  return list === undefined ? null : parseCores(list);
}

/** The cores on which a process may run; null if unknown. */
export function readAllowedCores(pid: number | "self" = "self"): number[] | null {
  return parseAllowedCores(readSystemFile(`/proc/${pid}/status`));
}

/**
 * Whether a process ignores a signal, from its /proc/PID/status. For example, a process that nohup(1) started ignores
 * SIGHUP. Null if unknown.
 */
export function parseIgnores(status: Text, signal: number): boolean | null {
  const [, mask] = /^SigIgn:\s*([\da-f]+)$/m.exec(status ?? "") ?? [];
  return mask === undefined ? null : (BigInt(`0x${mask}`) >> BigInt(signal - 1) & 1n) === 1n;
}

/** Whether this process ignores a signal; null if unknown. */
export function readIgnores(signal: number): boolean | null {
  return parseIgnores(readSystemFile(OWN_STATUS), signal);
}

export const OWN_STATUS = "/proc/self/status";

/**
 * The governors of all cores, from scaling_governor of each: one name if all cores have the same, otherwise all that
 * occur, as in `performance, powersave`.
 */
export function parseGovernors(texts: readonly Text[]): string | null {
  const names = texts.flatMap((text) => text?.trim() || []);
  return names.length === 0 ? null : [...new Set(names)].sort().join(", ");
}

/**
 * Whether turbo is on; null if unknown.
 * @param noTurbo Text of intel_pstate/no_turbo, where 1 means that turbo is off.
 * @param boost Text of cpufreq/boost, where 1 means that turbo is on.
 */
export function parseTurbo(
  { noTurbo, boost }: { readonly noTurbo: Text; readonly boost: Text },
): boolean | null {
  if (noTurbo !== null) return switchOf(noTurbo, "0");
  return boost === null ? null : switchOf(boost, "1");
}

function switchOf(text: string, on: string): boolean | null {
  return /^[01]$/.test(text.trim()) ? text.trim() === on : null;
}

/** The range of ports in /proc/sys/net/ipv4/ip_local_port_range. */
export function parsePorts(text: Text): [first: number, last: number] | null {
  const [, first, last] = /^(\d+)\s+(\d+)\s*$/.exec(text ?? "") ?? [];
  return first === undefined ? null : [Number(first), Number(last)];
}

/** The text of a file; null if there is none or this user may not read it. */
export function readSystemFile(path: string): Text {
  if (Deno.build.os !== "linux") return null;
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return null;
  }
}
