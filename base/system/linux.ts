/** Facts of the machine from the texts of /proc and /sys; null where a text is missing. */
import { parseCores } from "./core_list.ts";

/** A file's text, or null when there is none that can be read. */
export type Text = string | null;

/** Null where there is no such file, or it is not for us to read. */
export function readText(path: string): Text {
  if (Deno.build.os !== "linux") return null;
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return null;
  }
}

/** From /proc/self/status: the cores on which the process may run. */
export function parseAllowedCores(status: Text): number[] | null {
  const [, list] = /^Cpus_allowed_list:\s*(\S+)/m.exec(status ?? "") ?? [];
  return list === undefined ? null : parseCores(list);
}

/**
 * The governors of all cores, from scaling_governor of each: `performance` where all have the same, else
 * every one that is there, as `performance, powersave`.
 */
export function parseGovernors(texts: readonly Text[]): string | null {
  const names = texts.flatMap((text) => text?.trim() || []);
  return names.length === 0 ? null : [...new Set(names)].sort().join(", ");
}

/** @param noTurbo intel_pstate/no_turbo: 1 is off. @param boost cpufreq/boost: 1 is on. */
export function parseTurbo(
  { noTurbo, boost }: { readonly noTurbo: Text; readonly boost: Text },
): boolean | null {
  if (noTurbo !== null) return switchOf(noTurbo, "0");
  return boost === null ? null : switchOf(boost, "1");
}

function switchOf(text: string, on: string): boolean | null {
  return /^[01]$/.test(text.trim()) ? text.trim() === on : null;
}

/** The soft limit on open files in /proc/self/limits; null when it is unlimited or unknown. */
export function parseOpenFiles(limits: Text): number | null {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(limits ?? "") ?? [];
  return soft === undefined ? null : Number(soft);
}

/** From /proc/sys/net/ipv4/ip_local_port_range. */
export function parsePorts(text: Text): [first: number, last: number] | null {
  const [, first, last] = /^(\d+)\s+(\d+)\s*$/.exec(text ?? "") ?? [];
  return first === undefined ? null : [Number(first), Number(last)];
}
