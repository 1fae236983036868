/** Instances behind the balancer of this program. */
import { plainOrigin } from "../composite.ts";
import { startGateway } from "../start_gateway.ts";
import type { RunningTarget } from "../../launch/launcher.ts";
import { type Balancing, instanceName, joining, numbers } from "./balancing.ts";

export const builtin: Balancing = {
  async start(cluster, context): Promise<RunningTarget> {
    const { composite } = context;
    const instances = await composite.takeAll(
      numbers(cluster.instances).map((n) =>
        context.startOther(cluster.of, { name: instanceName(cluster, n) })
      ),
    );
    const origins = instances.map((instance) => plainOrigin(instance, context));
    const { gateway, send } = await startGateway(
      { kind: "balancer", origins, policy: cluster.policy ?? "round-robin" },
      { ...context, readyPath: instances[0].readyPath ?? "/" },
    );
    const hooks = joining(cluster, context, async (n, signal) => {
      const instance = await context.startOther(cluster.of, {
        name: instanceName(cluster, n),
        signal,
      });
      await send(`join ${plainOrigin(instance, context)}`);
      return instance;
    });
    return composite.behind(gateway, hooks);
  },
};
