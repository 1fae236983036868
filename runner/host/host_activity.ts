/**
 * The machine's activity during a run, which the workers' own reports do not show: the use of the cores that this
 * process may run on, the time that the hypervisor took from these cores, and how long a CPU limit held this program
 * back. The last two are known on Linux only; elsewhere they are null.
 */
import type { Endpoint } from "../../base/net/endpoint.ts";
import { cpuGroups, throttledMsOf } from "../../base/system/cgroup.ts";
import { type CoreTimes, coreUseBetween, readCoreTimes } from "../../base/system/core_times.ts";
import { readAllowedCores } from "../../base/system/linux.ts";
import type { HostActivity } from "../result/generator.ts";

interface HostReading {
  /** Time by a monotonic clock. */
  readonly atMs: number;
  readonly times: CoreTimes | null;
  readonly throttledMs: number | null;
}

/** The activity if it was not observed. */
export const UNKNOWN_ACTIVITY: HostActivity = {
  cores: null,
  busy: null,
  steal: null,
  throttled: null,
};

/** Starts observing; call the returned function to stop and get the activity. */
export function watchHostActivity(): () => HostActivity {
  const allowed = readAllowedCores();
  const groups = cpuGroups("self");
  const before = look(allowed, groups);
  return () => hostActivityBetween(before, look(allowed, groups));
}

function look(allowed: readonly number[] | null, groups: readonly string[]): HostReading {
  return {
    atMs: performance.now(),
    times: readCoreTimes(allowed),
    throttledMs: throttledMsOf(groups),
  };
}

export function hostActivityBetween(before: HostReading, after: HostReading): HostActivity {
  const throttled = before.throttledMs === null || after.throttledMs === null
    ? null
    : Math.max(0, after.throttledMs - before.throttledMs);
  const elapsedMs = after.atMs - before.atMs;
  if (before.times === null || after.times === null || elapsedMs <= 0) {
    return { ...UNKNOWN_ACTIVITY, throttled };
  }
  const { cores } = after.times;
  const { busyMs, stolenMs } = coreUseBetween(before.times, after.times, elapsedMs);
  const share = (ms: number): number => Math.min(1, ms / (cores * elapsedMs));
  const steal = stolenMs === null ? null : share(stolenMs);
  return { cores, busy: share(busyMs), steal, throttled };
}

/**
 * Whether the target runs on this machine, and so takes cores from the generator.
 * @param own Addresses of this machine's interfaces, and its name.
 */
export function isHere(endpoint: Endpoint, own: ReadonlySet<string>): boolean {
  if ("path" in endpoint) return true;
  const { hostname, addresses = [hostname] } = endpoint;
  return addresses.some((address) => LOOPBACK.test(address) || own.has(address));
}

/**
 * Loopback addresses and names (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3, RFC 6761 §6.3), and the unspecified addresses
 * 0.0.0.0 and ::, which lead to this machine, too.
 */
const LOOPBACK =
  /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:7f[\da-f]{2}:[\da-f]+|(?:.+\.)?localhost|0\.0\.0\.0|::)$/i;

/** Names and addresses of this machine. */
export function ownNames(): ReadonlySet<string> {
  return new Set([Deno.hostname(), ...Deno.networkInterfaces().map(({ address }) => address)]);
}
