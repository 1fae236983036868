/**
 * Instances that listen on the same port: the kernel gives each connection to one of them, for good
 * (SO_REUSEPORT, socket(7)). There is no balancer, and who joins later gets only new connections.
 */
import type { RunningTarget } from "../../launch/launcher.ts";
import { type Balancing, instanceName, joining, numbers } from "./balancing.ts";

export const reuseport: Balancing = {
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
