/** Launches the caching proxy, in a process of its own, in front of another target or a URL. */
import type { Access } from "../../../base/net/endpoint.ts";
import { messageOf } from "../../../base/errors.ts";
import { dial } from "../../../base/net/dial.ts";
import { endpointOf } from "../../../base/net/endpoint.ts";
import { isUrl, type ProxyTarget } from "../../../base/target/gateway_spec.ts";
import {
  cannotStart,
  type LaunchContext,
  type Launcher,
  type RunningTarget,
} from "../../launch/launcher.ts";
import { startComposite } from "../composite.ts";
import { startGateway } from "../start_gateway.ts";

export const proxyLauncher: Launcher<ProxyTarget> = {
  start({ proxy }, context): Promise<RunningTarget> {
    if (proxy.store === "redis" && context.redisUrl === null) {
      throw cannotStart(context, "its store is Redis, and there is none");
    }
    return startComposite({ front: "proxy", behind: proxy.origin }, async (company) => {
      const behind = isUrl(proxy.origin)
        ? null
        : company.take(await context.startOther(proxy.origin));
      const way = {
        origin: behind?.origin ?? new URL(proxy.origin).origin,
        access: behind?.access ?? {},
      };
      if ((behind?.pid ?? null) === null) await assertReached(way, context);
      const { store, ttl, stale, paths, singleFlight, maxBodyBytes } = proxy;
      const { front, send } = await startGateway({
        kind: "proxy",
        ...way,
        store,
        redisUrl: context.redisUrl,
        ttlMs: ttl,
        staleMs: stale,
        paths,
        singleFlight,
        maxBodyBytes,
      }, { ...context, readyPath: behind?.readyPath ?? "/" });
      let isLoaded = false;
      return company.behind(front, {
        onLoadStart(): void {
          // What was asked to see whether it is ready and right is no part of the load; a load before is.
          if (!isLoaded) void send("empty");
          isLoaded = true;
        },
      });
    });
  },
};

/** Nobody has asked a server that runs already; a proxy in front of it could only say that it got no answer. */
async function assertReached(
  { origin, access }: { origin: string; access: Access },
  context: LaunchContext,
): Promise<void> {
  const { signal } = context;
  try {
    const connection = await dial(endpointOf(origin, access), signal);
    connection.close();
  } catch (error) {
    signal.throwIfAborted();
    throw cannotStart(context, `${origin} can't be reached: ${messageOf(error)}`);
  }
}
