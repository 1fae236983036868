/**
 * Launches several instances of a target, and divides the load among them. Each kind of balancing starts the instances
 * and, unless they share a port, a gateway in front of them. It also lets further instances join while the load runs.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Composite, plainOrigin, startComposite, startGateway } from "../composite.ts";
import {
  cannotStart,
  type GatewayContext,
  type Launcher,
  type RunningTarget,
} from "../../launch/launcher.ts";
import { OriginClient } from "../origin/origin.ts";
import type { ClusterTarget } from "../../../base/target/gateway_shape.ts";
import { LOOPBACK, originAt } from "../../../base/net/listen.ts";
import { startNginx } from "../nginx/launcher.ts";
import { freePort } from "../../launch/environment.ts";

type Cluster = ClusterTarget["cluster"];

interface ClusterContext extends GatewayContext {
  /** Collects all parts that were started, so that they can be stopped. */
  readonly composite: Composite;
}

interface Balancing {
  /**
   * Starts the cluster. Throws the errors of `Launcher.start`; the parts that have started by then are in `composite`.
   */
  start(cluster: Cluster, context: ClusterContext): Promise<RunningTarget>;
}

/** Starts instance n, counted from 1, and adds it to the gateway. */
type Join = (n: number, signal: AbortSignal) => Promise<RunningTarget>;

interface Joining {
  readonly onLoadStart: (atMs: number) => void;
  /** Lets no further instance join. Resolves after all instances that were still starting have been stopped. */
  readonly stop: () => Promise<void>;
}

/**
 * Makes the instances of `add` join `add.at` milliseconds after the first load begins; further loads on the same
 * cluster add none.
 */
function joining({ instances, add }: Cluster, context: ClusterContext, join: Join): Joining {
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

/** The instance's name in messages. */
function instanceName({ of }: Cluster, n: number): string {
  return `${of} (instance ${n})`;
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1);
}

/**
 * Warms up an instance before it joins. Sends requests at the configured rate, even if responses are slow, and then
 * waits for all responses. Throws if the signal aborts it, or if a request gets no response.
 */
async function warmUp(
  { add }: Cluster,
  { origin, path }: { readonly origin: string; readonly path: string },
  signal: AbortSignal,
): Promise<void> {
  if (add?.warmUp === undefined) return;
  const { duration, rate, path: ownPath = path } = add.warmUp;
  const client = new OriginClient(origin);
  const request = { method: "GET", path: ownPath, fields: [], body: null };
  const sendOne = async (): Promise<void> => {
    const { body } = await client.send(request, signal);
    if (body instanceof ReadableStream) { for await (const _ of body); }
  };
  try {
    const startMs = performance.now();
    const sent: Promise<void>[] = [];
    for (let n = 0; n < rate * duration / 1_000; n++) {
      const waitMs = startMs + n * 1_000 / rate - performance.now();
      if (waitMs > 0) await sleep(waitMs, undefined, { signal });
      const one = sendOne();
      one.catch(() => {}); // `Promise.all` below reports a failure
      sent.push(one);
    }
    await Promise.all(sent);
  } finally {
    client.close();
  }
}

/** A cluster of instances behind Plateau's own balancer. */
const builtin: Balancing = {
  async start(cluster, context): Promise<RunningTarget> {
    const { composite } = context;
    const ahead = cluster.add?.ahead ? cluster.add.instances : 0;
    const started = await composite.takeAll(
      numbers(cluster.instances + ahead).map((n) =>
        context.startOther(cluster.of, { name: instanceName(cluster, n) })
      ),
    );
    const instances = started.slice(0, cluster.instances);
    const origins = instances.map((instance) => plainOrigin(instance, context));
    const { gateway, send } = await startGateway(
      {
        kind: "balancer",
        origins,
        policy: cluster.policy ?? "round-robin",
        slowStartMs: cluster.slowStart,
      },
      { ...context, readyPath: instances[0].readyPath ?? "/" },
    );
    const hooks = joining(cluster, context, async (n, signal) => {
      const waiting = started.at(n - 1);
      const instance = waiting ??
        await context.startOther(cluster.of, { name: instanceName(cluster, n), signal });
      const origin = plainOrigin(instance, context);
      try {
        await warmUp(cluster, { origin, path: instance.readyPath ?? "/" }, signal);
      } catch (error) {
        // One that was started ahead belongs to the composite, whose reason would be its end.
        if (waiting === undefined) await instance.stop();
        throw error;
      }
      await send(`join ${origin}`);
      return instance;
    });
    return composite.behind(gateway, hooks);
  },
};

/**
 * Instances behind the real nginx. The ports of instances that join later are in nginx's configuration from the start.
 * Once per second, nginx tries an instance that does not respond yet; if that fails, it sends the request to another. A
 * new configuration would not take effect sooner for clients that keep their connections, because those stay with
 * workers of the old configuration. Loading it would also close idle connections, and so lose requests (nginx before
 * 1.27.4).
 */
const nginxBalancing: Balancing = {
  async start(cluster, context): Promise<RunningTarget> {
    const { composite } = context;
    const instances = await composite.takeAll(
      numbers(cluster.instances).map((n) =>
        context.startOther(cluster.of, { name: instanceName(cluster, n) })
      ),
    );
    const latePorts = numbers(cluster.add?.instances ?? 0)
      .reduce<number[]>((ports) => [...ports, freePort({ others: ports })], []);
    const servers = [
      ...instances.map((instance) => ({ origin: plainOrigin(instance, context), late: false })),
      ...latePorts.map((port) => ({ origin: originAt(LOOPBACK, port), late: true })),
    ];
    const gateway = await startNginx({
      workers: cluster.workers ?? "auto",
      serves: { servers, policy: cluster.policy ?? "round-robin" },
      readyPath: instances[0].readyPath ?? "/",
    }, context);
    const hooks = joining(cluster, context, (n, signal) =>
      context.startOther(cluster.of, {
        name: instanceName(cluster, n),
        listen: { port: latePorts[n - cluster.instances - 1], shared: false },
        signal,
      }));
    return composite.behind(gateway, hooks);
  },
};

/**
 * Instances that listen on the same port without a balancer. The kernel assigns each connection to one of them for its
 * lifetime (SO_REUSEPORT, socket(7)), so an instance that joins later gets only new connections.
 */
const reuseport: Balancing = {
  async start(cluster, context): Promise<RunningTarget> {
    const { composite } = context;
    const startOn = (port: number, n: number, signal = context.signal): Promise<RunningTarget> =>
      context.startOther(cluster.of, {
        name: instanceName(cluster, n),
        host: context.host,
        listen: { port, shared: true },
        signal,
      });
    const first = await startOn(context.listen?.port ?? 0, 1);
    const port = Number(new URL(first.origin).port);
    const others = numbers(cluster.instances).slice(1).map((n) => startOn(port, n));
    await composite.takeAll([Promise.resolve(first), ...others]);
    const hooks = joining(cluster, context, (n, signal) => startOn(port, n, signal));
    return composite.behind(first, hooks);
  },
};

const balancers = { builtin, nginx: nginxBalancing, reuseport } satisfies Record<
  Cluster["balancer"],
  Balancing
>;

export const clusterLauncher: Launcher<ClusterTarget> = {
  start({ cluster }, context): Promise<RunningTarget> {
    if (cluster.balancer === "reuseport" && Deno.build.os !== "linux") {
      const fix = "use balancer: builtin or nginx";
      throw cannotStart(context, `instances share a port only on Linux; ${fix}`);
    }
    const gateway = cluster.balancer === "builtin" ? "balancer" : cluster.balancer;
    return startComposite(
      { gateway, behind: cluster.of },
      (composite) => balancers[cluster.balancer].start(cluster, { ...context, composite }),
    );
  },
};
