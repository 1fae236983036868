/** Launches the caching proxy, in a process of its own, in front of another target or a URL. */
import { TargetError } from "../../scenarios/errors.ts";
import type { ProxyTarget } from "../proxy/spec.ts";
import { isUrl } from "../upstream/origin_name.ts";
import { inCompany } from "./company.ts";
import type { Launcher, RunningTarget } from "./launcher.ts";
import { plainOrigin } from "./plain_origin.ts";
import { startFront } from "./start_front.ts";

export const proxyLauncher: Launcher<ProxyTarget> = {
  start({ proxy }, context): Promise<RunningTarget> {
    if (proxy.store === "redis" && context.redisUrl === null) {
      throw new TargetError(
        `Cannot start target ${context.name}: its store is Redis, and there is none`,
      );
    }
    return inCompany(async (company) => {
      const behind = isUrl(proxy.origin)
        ? null
        : company.take(await context.startOther(proxy.origin));
      const { store, ttl, stale, paths, singleFlight, maxBodyBytes } = proxy;
      const { front, tell } = await startFront({
        kind: "proxy",
        origin: behind ? plainOrigin(behind, context) : new URL(proxy.origin).origin,
        store,
        redisUrl: context.redisUrl,
        ttlMs: ttl,
        staleMs: stale,
        paths,
        singleFlight,
        maxBodyBytes,
      }, { ...context, readyPath: behind?.readyPath ?? "/" });
      // What was asked to see whether it is ready and right is no part of the load.
      return company.behind(front, { onLoadStart: () => void tell("empty") });
    });
  },
};
