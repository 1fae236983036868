/**
 * A launcher turns a target's lines in the experiment file into a server that responds, and
 * back into nothing. One file a member (app, command, url, …), one line in `launchers.ts`;
 * `tests/conformance/launchers_test.ts` runs the same suite over all of them.
 */
import { type Need, StartError, TargetError } from "../../base/errors.ts";
import type { Access } from "../../base/net/endpoint.ts";
import type { CounterSink, CounterSource } from "../observe/runtime/counter_records.ts";
import type { TargetSpec } from "../../base/target/target_shape.ts";

/** How a process ended. */
export interface Exit {
  readonly code: number;
  readonly signal: string | null;
  /** It is the end of a supervisor, with which its program was ended. */
  readonly isOfSupervisor?: boolean;
}

/** A process tree of ours, as `watchResources` takes it. */
export interface WatchedTree {
  /** The process that Plateau started, or null when it did not start any (`url`). */
  readonly pid: number | null;
  /** True when `pid` is Plateau's supervisor, whose own use is not the target's: only what is under it counts. */
  readonly supervised: boolean;
}

/** A part of a composite target; several may have one name. */
export interface WatchedPart extends WatchedTree {
  /** gateway: it gets the requests, and sends them to the upstreams behind it. */
  readonly role: "gateway" | "upstream";
  /** The kind of gateway, or the target behind it. */
  readonly name: string;
}

/** A server that has passed its ready check; one that ran already (`url`) had none. */
export interface RunningTarget extends WatchedTree {
  /** `http://host:port` or `https://host:port`, without a path. */
  readonly origin: string;
  /** How to reach the origin, beyond what the origin itself says; absent: nothing more. */
  readonly access?: Access;
  /** From the start of the process to its first right response, milliseconds; null for `url`. */
  readonly startUpMs: number | null;
  /** Its runtimes with their versions, such as `node v20.20.2, express 5.3.0`; null if unknown. */
  readonly runtime: string | null;
  /** Path of its ready check; null when there was none. */
  readonly readyPath: string | null;
  /** All its process trees, the target's own included; absent: only its own. More may be added while it runs. */
  readonly parts?: () => readonly WatchedPart[];
  /** To be called when the load begins, for actions that depend on that moment. @param atMs Milliseconds since the epoch. */
  readonly onLoadStart?: (atMs: number) => void;
  /** Reports of its runtimes; absent where they are not requested. */
  readonly counters?: CounterSource;
  /** Resolves when the process ends on its own or by `stop`; never for `url`. */
  readonly exited: Promise<Exit>;
  /** The last lines that it printed (standard output and error together), at most 20. */
  lastLines(): readonly string[];
  /** Ends the process with all its children: TERM, then KILL after a grace of 2 s. Idempotent. */
  stop(): Promise<void>;
}

/** The environment of a launcher. */
export interface LaunchContext {
  /** Name of the target in the experiment, for messages. */
  readonly name: string;
  /** Folder of the experiment file: relative paths in it start here. */
  readonly baseDir: string;
  readonly redisUrl: string | null;
  /** How long a target may take to its first right response, milliseconds. */
  readonly readyTimeoutMs: number;
  /** Ends the wait early, on Ctrl-C. */
  readonly signal: AbortSignal;
  /** The experiment's targets, by name, with one value for each setting. */
  readonly others: Readonly<Record<string, TargetSpec>>;
  /** Called with a line that the user should know. */
  readonly onNote: (text: string) => void;
  /** Address or name of this machine at which it must listen and gets its requests; IPv6 without brackets. */
  readonly host: string;
  /** The port; one of its own choice when absent. */
  readonly listen?: ListeningPort;
  /** Its runtime is to open its inspector, so that profiles can be taken; absent: it is not. */
  readonly inspectable?: boolean;
  /** Takes what its runtime counts; absent: it does not count. */
  readonly counters?: CounterSink;
}

interface ListeningPort {
  readonly port: number;
  /** Other processes listen on the same port, and the kernel shares out connections. */
  readonly shared: boolean;
}

/** The context for launchers of gateways in front of other targets. */
export interface GatewayContext extends LaunchContext {
  /** Starts another target of the experiment, on loopback unless `changes` says otherwise. Throws as `Launcher.start` does. */
  startOther(
    target: string,
    changes?: Partial<Pick<LaunchContext, "name" | "host" | "listen" | "signal">>,
  ): Promise<RunningTarget>;
}

/**
 * Starts a target. Throws a TargetError when it does not come up, the signal's reason when the user
 * interrupts; either way no process is left behind.
 */
export interface Launcher<Spec> {
  start(spec: Spec, context: GatewayContext): Promise<RunningTarget>;
}

/** Starts a program that the experiment needs but that is no target of it: the error names the need. */
export async function startOfNeed<Started>(
  need: Need,
  start: () => Promise<Started>,
): Promise<Started> {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    throw new StartError(error.message, error.evidence, need);
  }
}

/** The one error for a target that does not start. */
export function cannotStart(
  { name }: Pick<LaunchContext, "name">,
  why: string,
  evidence: readonly string[] = [],
  need: Need | null = null,
): StartError {
  return new StartError(`Cannot start target ${name}: ${why}`, evidence, need);
}
