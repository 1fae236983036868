/** Launches the caching proxy, in a process of its own, in front of another target or a URL. */
import { messageOf } from "../../base/errors.ts";
import type { Access } from "../access.ts";
import { dial } from "../dial/dial.ts";
import { endpointOf } from "../dial/endpoint.ts";
import type { ProxyTarget } from "../proxy/spec.ts";
import { isUrl } from "../upstream/origin_name.ts";
import { cannotStart } from "./cannot_start.ts";
import { inCompany } from "./company.ts";
import type { LaunchContext, Launcher, RunningTarget } from "./launcher.ts";
import { startFront } from "./start_front.ts";

export const proxyLauncher: Launcher<ProxyTarget> = {
  start({ proxy }, context): Promise<RunningTarget> {
    if (proxy.store === "redis" && context.redisUrl === null) {
      throw cannotStart(context, "its store is Redis, and there is none");
    }
    return inCompany({ front: "proxy", behind: proxy.origin }, async (company) => {
      const behind = isUrl(proxy.origin)
        ? null
        : company.take(await context.startOther(proxy.origin));
      const way = {
        origin: behind?.origin ?? new URL(proxy.origin).origin,
        access: behind?.access ?? {},
      };
      if ((behind?.pid ?? null) === null) await assertReached(way, context);
      const { store, ttl, stale, paths, singleFlight, maxBodyBytes } = proxy;
      const { front, tell } = await startFront({
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
          if (!isLoaded) void tell("empty");
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
