/**
 * A launcher turns a target's lines in the experiment file into a server that responds, and
 * back into nothing. Each launcher (app, command, url, …) has one file, and one line in `launchers.ts`;
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
  /** Whether it was a supervisor that ended, and its program with it. */
  readonly isOfSupervisor?: boolean;
}

/** The process tree of a server, in the form that `watchResources` takes. */
export interface WatchedTree {
  /** The process that Plateau started, or null if it did not start any (`url`). */
  readonly pid: number | null;
  /** Whether `pid` is Plateau's supervisor, whose own use is not the target's: only the processes under it count. */
  readonly supervised: boolean;
}

/** A part of a composite target; several may have one name. */
export interface WatchedPart extends WatchedTree {
  /** The role: a gateway gets the requests, and sends them to the upstreams behind it. */
  readonly role: "gateway" | "upstream";
  /** The kind of the gateway, or the name of the target behind it. */
  readonly name: string;
}

/** A server that has passed its ready check; a server that ran already (`url`) had none. */
export interface RunningTarget extends WatchedTree {
  /** The origin, `http://host:port` or `https://host:port`, without a path. */
  readonly origin: string;
  /** What is needed to reach the origin besides its URL; absent: nothing. */
  readonly access?: Access;
  /** The time from the start of the process to its first right response, in milliseconds; null for `url`. */
  readonly startUpMs: number | null;
  /** The target's runtimes with their versions, such as `node v20.20.2, express 5.3.0`; null if unknown. */
  readonly runtime: string | null;
  /** The path of the ready check; null if there was none. */
  readonly readyPath: string | null;
  /** All process trees of the target, its own included; absent: only its own. More may be added while it runs. */
  readonly parts?: () => readonly WatchedPart[];
  /**
   * Must be called when the load begins, for actions that depend on that moment.
   * @param atMs Milliseconds since the epoch.
   */
  readonly onLoadStart?: (atMs: number) => void;
  /** Reports of the target's runtimes; absent if they are not requested. */
  readonly counters?: CounterSource;
  /** Resolves when the process ends on its own or by `stop`; never for `url`. */
  readonly exited: Promise<Exit>;
  /** The last lines that the process printed (standard output and error together), at most 20. */
  lastLines(): readonly string[];
  /** Ends the process with all its children: TERM, then KILL after a grace of 2 s. Idempotent. */
  stop(): Promise<void>;
}

/** The environment in which a launcher starts a target. */
export interface LaunchContext {
  /** The name of the target in the experiment, for messages. */
  readonly name: string;
  /** The folder of the experiment file, in which relative paths of the file start. */
  readonly baseDir: string;
  readonly redisUrl: string | null;
  /** How long a target may take to its first right response, in milliseconds. */
  readonly readyTimeoutMs: number;
  /** Ends the wait early, on Ctrl-C. */
  readonly signal: AbortSignal;
  /** The experiment's targets, by name, with one value for each setting. */
  readonly others: Readonly<Record<string, TargetSpec>>;
  /** Called with a line that the user should know. */
  readonly onNote: (text: string) => void;
  /** The address or name of this machine at which the target listens and gets its requests; IPv6 without brackets. */
  readonly host: string;
  /** The port to listen on; absent: one that the launcher or the target chooses. */
  readonly listen?: ListeningPort;
  /** Whether the target's runtime opens its inspector, so that profiles can be taken; absent: it does not. */
  readonly inspectable?: boolean;
  /** Takes the counters of the target's runtime; absent: it counts nothing. */
  readonly counters?: CounterSink;
}

interface ListeningPort {
  readonly port: number;
  /** Whether other processes listen on the same port, so that the kernel shares out connections. */
  readonly shared: boolean;
}

/** The context for launchers of gateways in front of other targets. */
export interface GatewayContext extends LaunchContext {
  /**
   * Starts another target of the experiment, on loopback unless `changes` says otherwise. Throws as `Launcher.start`
   * does.
   */
  startOther(
    target: string,
    changes?: Partial<Pick<LaunchContext, "name" | "host" | "listen" | "signal">>,
  ): Promise<RunningTarget>;
}

/**
 * Starts a target. Throws a TargetError when it does not come up, or the signal's reason when the user interrupts;
 * either way no process is left behind.
 */
export interface Launcher<Spec> {
  start(spec: Spec, context: GatewayContext): Promise<RunningTarget>;
}

/** Starts a program that the experiment needs but that is not a target; the error names the need. */
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

/** The one error for every target that does not start. */
export function cannotStart(
  { name }: Pick<LaunchContext, "name">,
  why: string,
  evidence: readonly string[] = [],
  need: Need | null = null,
): StartError {
  return new StartError(`Cannot start target ${name}: ${why}`, evidence, need);
}
