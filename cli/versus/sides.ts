/** The two servers of `plateau versus`: how to reach each, the requests it gets, and its processes. */
import { type Problem, UserError } from "../../base/errors.ts";
import { type Endpoint, endpointOf } from "../../base/net/endpoint.ts";
import { resolve } from "../../base/net/resolve.ts";
import { listenersAt } from "../../base/system/listeners.ts";
import { isHere, ownNames } from "../../runner/host/host_activity.ts";
import { type Pids, treeOf } from "../../runner/slices/side_cpu.ts";
import { loadOf } from "../../scenarios/load/load.ts";
import { whyNotInSlices } from "../../scenarios/plan/in_slices.ts";
import type { Cell } from "../../scenarios/plan/plan.ts";
import type { RunningTarget } from "../../targets/launch/launcher.ts";
import type { RawArguments } from "../command_line/command.ts";
import { filesFor, requestWith } from "../commands/bench.ts";
import { benchConflicts, type BenchValues, isHttp2 } from "../flags/bench_flags.ts";

export const NAMES = { base: "base", next: "new" } as const;

/** The flags of `bench` that determine how both servers are loaded. */
export type SidesValues =
  & Omit<Parameters<typeof requestWith>[0], "url" | "log" | "follow" | "files">
  & Omit<Parameters<typeof loadOf>[0], "duration">
  & Pick<BenchValues, "form" | "resolve">
  & { readonly base: URL; readonly next: URL };

export interface VersusSide {
  readonly name: string;
  readonly url: URL;
  readonly cell: Cell;
  readonly target: RunningTarget;
  readonly endpoint: Endpoint;
}

/** Flags that are allowed if at least one of the servers has a use for them. */
const OF_ONE = ["--cacert", "--cert", "--resolve"];

/** Problems of the flags together with either URL. A flag in `OF_ONE` is a problem only if neither URL can have it. */
export function sideConflicts({ base, next, ...given }: RawArguments): Problem[] {
  const urls = [base, next].filter((url) => typeof url === "string");
  const bySide = urls.map((url) => benchConflicts({ ...given, url }));
  const problems = bySide.flat().filter(({ place }) =>
    !OF_ONE.includes(place) || bySide.every((own) => own.some((other) => other.place === place))
  );
  const distinct = new Map(problems.map((one) => [`${one.place} ${one.message}`, one]));
  return [...distinct.values(), ...given.unix === undefined ? [] : socketConflicts(urls)];
}

function socketConflicts(urls: readonly string[]): Problem[] {
  const origins = new Set(urls.map((url) => URL.parse(url)?.origin));
  if (origins.size < 2) return [];
  const message =
    "Cannot reach two servers through one socket: both URLs would lead to the same server";
  return [{ place: "--unix", message, fix: "leave out --unix, or name one host in both URLs" }];
}

/**
 * Throws a UserError if the servers can't be loaded alternately (in slices).
 * @param durationMs Time for which each server is loaded.
 */
export async function sidesOf(values: SidesValues, durationMs: number): Promise<VersusSide[]> {
  const files = await filesFor(values);
  const load = loadOf({
    ...values,
    http2: isHttp2(values),
    duration: durationMs,
  });
  const sides = [values.base, values.next].map((url, at): VersusSide => {
    const name = at === 0 ? NAMES.base : NAMES.next;
    const isNamed = values.resolve?.isHostOf(url) ?? false;
    const { scenario: request, ...access } = requestWith(
      {
        ...{ ...values, url, files, log: undefined, follow: undefined },
        resolve: isNamed ? values.resolve : undefined,
      },
      load,
    );
    const target: RunningTarget = {
      ...{ origin: url.origin, access, pid: null, supervised: false, startUpMs: null },
      ...{ runtime: null, readyPath: null, exited: new Promise(() => {}), lastLines: () => [] },
      stop: () => Promise.resolve(),
    };
    const cell: Cell = {
      ...{ target: name, others: {}, scenario: SCENARIO, request, load, parameters: {} },
      targetSpec: { url: url.origin, insecure: values.insecure },
    };
    return { name, url, cell, target, endpoint: endpointOf(url.origin, { ...access, ...load }) };
  });
  const why = whyNotInSlices(sides.map(({ cell }) => cell));
  if (why === null) return sides;
  throw new UserError([{ place: "versus", message: `Cannot measure this in slices: ${why}` }]);
}

const SCENARIO = "request";

export interface SidePids {
  /** The processes of each side; empty if they are unknown or shared. */
  readonly pids: readonly Pids[];
  /** Whether a process serves both sides, so that its CPU time can't be attributed to either side. */
  readonly areShared: boolean;
}

/** The processes of the two servers, which must already be listening. */
export async function pidsOfSides(
  sides: readonly Pick<VersusSide, "endpoint">[],
): Promise<SidePids> {
  return distinctPids(await Promise.all(sides.map(({ endpoint }) => pidsAt(endpoint))));
}

/**
 * The processes of each side, unless a process serves both sides: it would be busy with one side while the other is
 * idle, so its CPU time can't be attributed. In that case neither side has any processes.
 */
export function distinctPids(pids: readonly Pids[]): SidePids {
  const [base, next] = pids.map((own) => new Set(own()));
  const areShared = !base.isDisjointFrom(next);
  return { pids: areShared ? pids.map(() => () => []) : pids, areShared };
}

/**
 * The processes of the server; empty if they are on another machine or not visible to this process, and on other
 * systems than Linux.
 */
async function pidsAt(endpoint: Endpoint): Promise<Pids> {
  if (Deno.build.os !== "linux" || !isHere(endpoint, ownNames())) return () => [];
  const found = "path" in endpoint ? [endpoint] : await resolve(endpoint);
  if (typeof found === "string") return () => [];
  const listeners = [...new Set(found.flatMap(listenersAt))];
  // Often one of the processes that share a port has started the others, so remove duplicates.
  return () => [...new Set(listeners.flatMap(treeOf))];
}
