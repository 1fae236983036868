/**
 * The interface of launchers. A launcher starts the server that a target's settings in the experiment file describe,
 * and stops it without leaving anything behind. Each launcher (app, command, url, …) has one file and one line in
 * `launchers.ts`; `tests/conformance/launchers_test.ts` runs the same suite for all of them.
 */
import { type Need, StartError, TargetError } from "../../base/errors.ts";
import type { Access } from "../../base/net/endpoint.ts";
import type { CounterSink, CounterSource } from "../observe/runtime/counter_records.ts";
import type { TargetSpec } from "../../base/target/target_shape.ts";

/** How a process ended; `signal` is null if no signal ended it. */
export interface Exit {
  readonly code: number;
  readonly signal: string | null;
  /** Whether the process that ended was a supervisor, which takes its program with it. */
  readonly isOfSupervisor?: boolean;
}

/** The process tree of a server, as `watchResources` needs it. */
export interface WatchedTree {
  /** Id of the process that Plateau started; null if it started none (`url`). */
  readonly pid: number | null;
  /**
   * Whether `pid` is a supervisor of Plateau's. Its own CPU and memory are not the target's, so only its descendants
   * count.
   */
  readonly supervised: boolean;
}

/** A part of a composite target. Several parts may have the same name. */
export interface WatchedPart extends WatchedTree {
  /** A gateway receives the requests, and forwards them to the upstreams behind it. */
  readonly role: "gateway" | "upstream";
  /** The kind of the gateway, or the name of the target behind it. */
  readonly name: string;
}

/** A server that has passed its ready check; a server that was already running (`url`) is not checked. */
export interface RunningTarget extends WatchedTree {
  /** The origin, `http://host:port` or `https://host:port`, without a path. */
  readonly origin: string;
  /** What is needed to reach the origin besides its URL; absent if nothing is. */
  readonly access?: Access;
  /** Milliseconds from the start of the process to its first valid response; null for `url`. */
  readonly startUpMs: number | null;
  /** Runtimes of the target with their versions, such as `node v20.20.2, express 5.3.0`; null if unknown. */
  readonly runtime: string | null;
  /** Path of the ready check; null if there was none. */
  readonly readyPath: string | null;
  /**
   * All process trees of a composite target, including the gateway's; absent for any other target. More may be added
   * while the target runs.
   */
  readonly parts?: () => readonly WatchedPart[];
  /**
   * Must be called when the load begins, so that the target can schedule actions from that moment.
   *
   * @param atMs Milliseconds since 1970.
   */
  readonly onLoadStart?: (atMs: number) => void;
  /** Counters that the target's runtimes report; absent if they were not requested. */
  readonly counters?: CounterSource;
  /** Resolves when the process ends, either by itself or by `stop`; never resolves for `url`. */
  readonly exited: Promise<Exit>;
  /** The last lines of output (standard output and standard error together), at most 20. */
  lastLines(): readonly string[];
  /** Ends the process and all its descendants by SIGTERM, and those that live after 2 s by SIGKILL. Idempotent. */
  stop(): Promise<void>;
}

/** What a launcher knows when it starts a target. */
export interface LaunchContext {
  /** The target's name in the experiment, for messages. */
  readonly name: string;
  /** The folder of the experiment file, to which relative paths in that file refer. */
  readonly baseDir: string;
  readonly redisUrl: string | null;
  /** How many milliseconds a target may take to give its first valid response. */
  readonly readyTimeoutMs: number;
  /** Aborts the start, for example after Ctrl-C. */
  readonly signal: AbortSignal;
  /** The targets of the experiment, keyed by name, each with a single value for each setting. */
  readonly others: Readonly<Record<string, TargetSpec>>;
  /** Called with a message for the user. */
  readonly onNote: (text: string) => void;
  /** Address or name of this machine at which the target listens and receives requests; IPv6 has no brackets. */
  readonly host: string;
  /** The port to listen on; if absent, the launcher or the target chooses one. */
  readonly listen?: ListeningPort;
  /** Whether the target's runtime opens its inspector, so that it can be profiled; false if absent. */
  readonly inspectable?: boolean;
  /** Receives the counters of the target's runtime; if absent, the runtime counts nothing. */
  readonly counters?: CounterSink;
}

interface ListeningPort {
  readonly port: number;
  /** Whether other processes listen on the same port, so that the kernel distributes connections among them. */
  readonly shared: boolean;
}

/** The context of a launcher whose gateway may be in front of other targets. */
export interface GatewayContext extends LaunchContext {
  /**
   * Starts another target of the experiment, on loopback unless `changes` has another host. Throws the errors of
   * `Launcher.start`.
   */
  startOther(
    target: string,
    changes?: Partial<Pick<LaunchContext, "name" | "host" | "listen" | "signal">>,
  ): Promise<RunningTarget>;
}

/**
 * Starts a target. Throws a TargetError if the target fails to start, or the signal's reason if the user interrupts; in
 * both cases no process is left behind.
 */
export interface Launcher<Spec> {
  start(spec: Spec, context: GatewayContext): Promise<RunningTarget>;
}

/** Starts a program that the experiment needs but that is not a target; an error tells which need was not met. */
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

/** The error of every target that fails to start. */
export function cannotStart(
  { name }: Pick<LaunchContext, "name">,
  why: string,
  evidence: readonly string[] = [],
  need: Need | null = null,
): StartError {
  return new StartError(`Cannot start target ${name}: ${why}`, evidence, need);
}
