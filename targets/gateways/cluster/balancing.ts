/**
 * A kind of balancer: it starts the instances and the gateway in front of them, and lets instances join while
 * the load runs. One file a member (builtin, nginx, reuseport), one entry in `launcher.ts`.
 */
import type { Composite } from "../composite.ts";
import type { GatewayContext, RunningTarget } from "../../launch/launcher.ts";
import type { ClusterTarget } from "../../../base/target/gateway_spec.ts";

export type Cluster = ClusterTarget["cluster"];

export interface ClusterContext extends GatewayContext {
  /** Takes all that is started. */
  readonly composite: Composite;
}

export interface Balancing {
  /** Throws as `Launcher.start` does; all that it has started until then is in the composite. */
  start(cluster: Cluster, context: ClusterContext): Promise<RunningTarget>;
}

/** Starts instance n (1 …), and lets those in front of it know. */
type Join = (n: number, signal: AbortSignal) => Promise<RunningTarget>;

interface Joining {
  readonly onLoadStart: (atMs: number) => void;
  /** Nobody joins any more; resolves when whoever was about to has been stopped. */
  readonly stop: () => Promise<void>;
}

/** What a cluster that has `add` does when the load begins; later loads on the same instances add nobody. */
export function joining({ instances, add }: Cluster, context: ClusterContext, join: Join): Joining {
  const over = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let joined: Promise<unknown> = Promise.resolve();
  const signal = AbortSignal.any([context.signal, over.signal]);
  const joinAll = (count: number): void => {
    const starts = Array.from({ length: count }, (_, at) => join(instances + at + 1, signal));
    joined = context.composite.takeAll(starts).catch((error) => {
      if (!signal.aborted) context.composite.fail(error);
    });
  };
  return {
    onLoadStart(atMs): void {
      if (add === undefined || timer !== undefined) return;
      const nowMs = performance.timeOrigin + performance.now();
      timer = setTimeout(joinAll, Math.max(0, atMs + add.at - nowMs), add.instances);
    },
    async stop(): Promise<void> {
      clearTimeout(timer);
      over.abort();
      await joined;
    },
  };
}

/** What messages call instance n. */
export function instanceName({ of }: Cluster, n: number): string {
  return `${of} (instance ${n})`;
}

/** 1 … count. */
export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1);
}
