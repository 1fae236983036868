/** Instances behind the balancer of this program. */
import { plainOrigin } from "../launch/plain_origin.ts";
import { startFront } from "../launch/start_front.ts";
import type { RunningTarget } from "../launch/launcher.ts";
import type { Balancing } from "./balancing.ts";
import { instanceName, joining, numbers } from "./joining.ts";

export const builtin: Balancing = {
  async start(cluster, context): Promise<RunningTarget> {
    const { company } = context;
    const instances = await company.takeAll(
      numbers(cluster.instances).map((n) =>
        context.startOther(cluster.of, { name: instanceName(cluster, n) })
      ),
    );
    const origins = instances.map((instance) => plainOrigin(instance, context));
    const { front, tell } = await startFront(
      { kind: "balancer", origins, policy: cluster.policy ?? "round-robin" },
      { ...context, readyPath: instances[0].readyPath ?? "/" },
    );
    const hooks = joining(cluster, context, async (n, signal) => {
      const instance = await context.startOther(cluster.of, {
        name: instanceName(cluster, n),
        signal,
      });
      await tell(`join ${plainOrigin(instance, context)}`);
      return instance;
    });
    return company.behind(front, hooks);
  },
};
