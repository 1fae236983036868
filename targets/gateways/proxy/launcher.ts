/** Launches the caching proxy in a process of its own, in front of another target or a URL. */
import { type Access, endpointOf } from "../../../base/net/endpoint.ts";
import { messageOf } from "../../../base/errors.ts";
import { dial } from "../../../base/net/dial.ts";
import { isUrl, type ProxyTarget } from "../../../base/target/gateway_shape.ts";
import {
  cannotStart,
  type LaunchContext,
  type Launcher,
  type RunningTarget,
} from "../../launch/launcher.ts";
import { startComposite, startGateway } from "../composite.ts";

export const proxyLauncher: Launcher<ProxyTarget> = {
  start({ proxy }, context): Promise<RunningTarget> {
    if (proxy.store === "redis" && context.redisUrl === null) {
      throw cannotStart(
        context,
        "its store is Redis, but no Redis is known; name one with --redis URL or REDIS_URL",
      );
    }
    return startComposite({ gateway: "proxy", behind: proxy.origin }, async (composite) => {
      const behind = isUrl(proxy.origin)
        ? null
        : composite.take(await context.startOther(proxy.origin));
      const upstream = {
        origin: behind?.origin ?? new URL(proxy.origin).origin,
        access: behind?.access ?? {},
      };
      if ((behind?.pid ?? null) === null) await assertReached(upstream, context);
      const { store, ttl, stale, paths, singleFlight, maxBodyBytes, invalidate } = proxy;
      const { gateway, send } = await startGateway({
        kind: "proxy",
        ...upstream,
        store,
        redisUrl: context.redisUrl,
        ttlMs: ttl,
        staleMs: stale,
        paths,
        singleFlight,
        maxBodyBytes,
        ...invalidate && { invalidate },
      }, { ...context, readyPath: behind?.readyPath ?? "/" });
      let isLoaded = false;
      return composite.behind(gateway, {
        onLoadStart(): void {
          // Empty the store before the first load, so that responses to the ready check and the
          // preflight do not count. Responses from earlier loads stay for later ones.
          if (!isLoaded) void send("empty");
          isLoaded = true;
        },
      });
    });
  },
};

/**
 * Throws if the server behind the proxy can't be reached. Such a server was running before, so there was no ready
 * check; without this check, the proxy would respond to each request with 502.
 */
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
