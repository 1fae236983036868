/**
 * Instances behind the real nginx. Those that join later have their ports in its configuration from the
 * start: in each second it tries one that does not answer once, and asks another meanwhile. To load a new
 * configuration would be no quicker for clients that keep their connections, which stay with workers of
 * the old one, and would close idle ones, and so lose requests (nginx before 1.27.4).
 */
import { LOOPBACK, originAt } from "../../../base/net/listen.ts";
import { startNginx } from "../nginx/start.ts";
import { plainOrigin } from "../composite.ts";
import { freePort } from "../../launch/environment.ts";
import type { RunningTarget } from "../../launch/launcher.ts";
import { type Balancing, instanceName, joining, numbers } from "./balancing.ts";

export const nginx: Balancing = {
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
