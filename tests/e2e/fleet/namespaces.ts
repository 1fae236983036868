/**
 * Machines that are none: network namespaces with an address each, on one bridge with the tests' own
 * (Linux, as root). All are named after this process; those of processes that are gone are removed.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { until } from "../patience.ts";
import { type Cable, layDelayedCable } from "./delayed_cable.ts";

export interface Machine {
  readonly address: string;
  /** The command that runs another one in it, as the same process. */
  readonly through: readonly string[];
}

export interface Network extends AsyncDisposable {
  /** The tests' own. */
  readonly address: string;
  readonly machines: readonly Machine[];
}

/** Names of interfaces have at most 15 characters, which this, a process id and two numbers are below. */
const MARK = "pl-";
let networks = 0;

/**
 * One machine for each of `delaysMs`: by how much what it sends is held up on its way; what is sent to
 * it is not. Leaving the scope takes all of it down.
 */
export async function startNetwork(delaysMs: readonly number[]): Promise<Network> {
  await removeAbandoned();
  const name = `${MARK}${Deno.pid}n${++networks}`;
  const subnet = `10.${100 + networks % 100}.${Deno.pid % 251}`;
  const cables: Cable[] = [];
  const remove = async (): Promise<void> => {
    for (const cable of cables) await cable[Symbol.asyncDispose]();
    await removeNamed(name);
  };
  try {
    ip("link", "add", name, "type", "bridge");
    ip("address", "add", `${subnet}.1/24`, "dev", name);
    ip("link", "set", name, "up");
    const machines: Machine[] = [];
    for (const [at, delayMs] of delaysMs.entries()) {
      const place = { machine: `${name}m${at}`, outer: `${name}o${at}`, inner: `${name}i${at}` };
      ip("netns", "add", place.machine);
      if (delayMs > 0) cables.push(await layDelayedCable(place.outer, place.inner, delayMs));
      else ip("link", "add", place.outer, "type", "veth", "peer", "name", place.inner);
      machines.push(plugIn(place, name, `${subnet}.${at + 2}`));
    }
    return { address: `${subnet}.1`, machines, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Puts the inner end of a cable into the machine and the outer one into the bridge. */
function plugIn(
  { machine, outer, inner }: { machine: string; outer: string; inner: string },
  bridge: string,
  address: string,
): Machine {
  ip("link", "set", inner, "netns", machine);
  ip("link", "set", outer, "master", bridge, "up");
  ip("-n", machine, "link", "set", "lo", "up");
  ip("-n", machine, "address", "add", `${address}/24`, "dev", inner);
  ip("-n", machine, "link", "set", inner, "up");
  return { address, through: ["ip", "netns", "exec", machine] };
}

/** What processes that were killed have left. */
async function removeAbandoned(): Promise<void> {
  const names = `${ip("netns", "list")} ${ip("-o", "link", "show", "type", "bridge")}`;
  for (const [name, pid] of names.matchAll(new RegExp(`\\b${MARK}(\\d+)n\\d+`, "g"))) {
    if (!existsSync(`/proc/${pid}`)) await removeNamed(name);
  }
}

/** Removes a network; with a machine go, soon, the ends of cables in it, and with those the other ends. */
async function removeNamed(name: string): Promise<void> {
  const machines = ip("netns", "list").match(new RegExp(`^${name}m\\d+`, "gm")) ?? [];
  for (const machine of machines) ip("netns", "delete", machine);
  const linksLeft = (): string[] => {
    const lines = ip("-o", "link", "show").matchAll(
      new RegExp(`\\b(${name}(?:[oi]\\d+)?)[@:]`, "g"),
    );
    return [...lines].map(([, link]) => link);
  };
  await until(() => `these are gone: ${linksLeft()}`, () => {
    for (const link of linksLeft()) ipIfPossible("link", "delete", link);
    return linksLeft().length === 0;
  });
}

function ipIfPossible(...args: string[]): void {
  try {
    ip(...args);
  } catch {
    // Tried again as long as what it is about is there.
  }
}

function ip(...args: string[]): string {
  return execFileSync("ip", args, { encoding: "utf8", stdio: "pipe" });
}
