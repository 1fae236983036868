/**
 * A composite target: a gateway, which receives the requests, and the targets behind it. To a load, it is one target.
 */
import { messageOf } from "../../base/errors.ts";
import {
  cannotStart,
  type Exit,
  type LaunchContext,
  type RunningTarget,
  type WatchedPart,
} from "../launch/launcher.ts";
import type { GatewaySettings } from "./gateway.ts";
import { countersEnv } from "../observe/runtime/own_counters.ts";
import { bringUp } from "../launch/bring_up.ts";
import { startSelf } from "../launch/child.ts";
import { OWN_RUNTIME } from "../launch/runtime.ts";

/** Names of the parts in the output. */
interface PartNames {
  /** The kind of the gateway. */
  readonly gateway: string;
  /** The target behind the gateway. */
  readonly behind: string;
}

/** The parts of a composite target, which are stopped together. */
export class Composite {
  readonly startedMs = performance.now();
  readonly #members: RunningTarget[] = [];
  readonly #ended = Promise.withResolvers<Exit>();
  /** Returns the last output lines of the part that ended first. */
  #lastLines: (() => readonly string[]) | null = null;

  constructor(private readonly names: PartNames) {}

  /** Adds a started target unless it was added before. If the target ends, so does the composite. */
  take(member: RunningTarget): RunningTarget {
    if (this.#members.includes(member)) return member;
    this.#members.push(member);
    void member.exited.then((exit) => this.#end(exit, () => member.lastLines()));
    return member;
  }

  /**
   * Waits for several targets that are being started, and adds them. If one fails, throws its error but keeps the
   * others, which are stopped with the composite.
   */
  async takeAll(starts: readonly Promise<RunningTarget>[]): Promise<RunningTarget[]> {
    const outcomes = await Promise.allSettled(starts);
    const started = outcomes.flatMap((outcome) =>
      outcome.status === "fulfilled" ? [this.take(outcome.value)] : []
    );
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed) throw failed.reason;
    return started;
  }

  /** Ends the composite because an instance failed to join. */
  fail(error: unknown): void {
    this.#end({ code: 1, signal: null }, () => [messageOf(error)]);
  }

  /** Stops all parts. The gateway is stopped first, so that it sends no request to a target that has gone. */
  async stop(gateway: RunningTarget | null = null): Promise<void> {
    await gateway?.stop();
    await Promise.all(this.#members.map((member) => member.stop()));
  }

  /**
   * Presents all parts as one target with the gateway's origin.
   *
   * @param onLoadStart Called when the load starts.
   */
  behind(gateway: RunningTarget, { onLoadStart, stop }: GatewayHooks = {}): RunningTarget {
    void gateway.exited.then((exit) => this.#end(exit, () => gateway.lastLines()));
    const runtimes = [gateway, ...this.#members].flatMap(({ runtime }) => runtime ?? []);
    return {
      ...gateway,
      runtime: [...new Set(runtimes)].join(", ") || null,
      startUpMs: performance.now() - this.startedMs,
      exited: this.#ended.promise,
      parts: () => this.#parts(gateway),
      onLoadStart: (atMs): void => {
        onLoadStart?.(atMs);
        for (const member of this.#members) member.onLoadStart?.(atMs);
      },
      lastLines: () => (this.#lastLines ?? gateway.lastLines)(),
      stop: async (): Promise<void> => {
        await stop?.();
        await this.stop(gateway);
      },
    };
  }

  /** The parts to observe. If instances share a port, the gateway is one of them, and is not listed twice. */
  #parts(gateway: RunningTarget): WatchedPart[] {
    const own = this.#members.includes(gateway)
      ? []
      : [partOf(gateway, { role: "gateway", name: this.names.gateway })];
    const { behind } = this.names;
    return [
      ...own,
      ...this.#members.flatMap((member) =>
        member.parts?.() ?? partOf(member, { role: "upstream", name: behind })
      ),
    ];
  }

  #end(exit: Exit, lastLines: () => readonly string[]): void {
    this.#lastLines ??= lastLines;
    this.#ended.resolve(exit);
  }
}

interface GatewayHooks {
  readonly onLoadStart?: (atMs: number) => void;
  /** Called before any part is stopped. */
  readonly stop?: () => Promise<void>;
}

function partOf(
  { pid, supervised }: RunningTarget,
  named: Pick<WatchedPart, "role" | "name">,
): WatchedPart {
  return { ...named, pid, supervised };
}

/** Starts a composite target. If that fails, stops the parts that have started. */
export async function startComposite(
  names: PartNames,
  start: (composite: Composite) => Promise<RunningTarget>,
): Promise<RunningTarget> {
  const composite = new Composite(names);
  try {
    return await start(composite);
  } catch (error) {
    await composite.stop();
    throw error;
  }
}

/**
 * The target's origin, if nginx or a balancer can connect to it: plain http://host:port, without a Unix socket, another
 * address or a proxy. Throws a TargetError for any other target.
 */
export function plainOrigin({ origin, access }: RunningTarget, context: { name: string }): string {
  const { unixPath, addresses, proxy } = access ?? {};
  const isPlain = [unixPath, addresses, proxy].every((given) => given === undefined);
  if (origin.startsWith("http:") && isPlain) return origin;
  const others = "not https, a unix socket, another address or a proxy";
  throw cannotStart(context, `it can be put only in front of http://host:port, ${others}`);
}

interface StartedGateway {
  readonly gateway: RunningTarget;
  /** Sends a line to the gateway's process; see `Gateway.receive`. */
  readonly send: (line: string) => Promise<void>;
}

/**
 * Starts the caching proxy or the balancer in a process of its own, by running this program with the command `gateway`.
 * Throws the errors of `bringUp`.
 */
export async function startGateway(
  settings: GatewaySettings,
  context: LaunchContext & { readonly readyPath: string },
): Promise<StartedGateway> {
  const port = context.listen?.port ?? 0;
  const child = startSelf(["gateway", String(port), context.host], countersEnv(context), context);
  void child.writeLine(JSON.stringify(settings));
  const gateway = await bringUp(
    { child, runtime: OWN_RUNTIME, path: context.readyPath, port: null },
    context,
  );
  return { gateway, send: child.writeLine };
}
