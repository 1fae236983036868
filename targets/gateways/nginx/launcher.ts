/** Launches the real nginx: it serves files, or stands in front of another target or a URL. */
import { isUrl, type NginxTarget } from "../../../base/target/gateway_spec.ts";
import { startNginx } from "./start.ts";
import { plainOrigin, startComposite } from "../composite.ts";
import type { Launcher, RunningTarget } from "../../launch/launcher.ts";
import { locateFolder } from "../../launch/environment.ts";

export const nginxLauncher: Launcher<NginxTarget> = {
  start({ nginx: { root, files, proxy, workers, timeout } }, context): Promise<RunningTarget> {
    if (files !== undefined) {
      return startNginx({ workers, serves: { texts: files }, readyPath: "/" }, context);
    }
    if (proxy === undefined) {
      const folder = locateFolder(root ?? ".", context);
      return startNginx({ workers, serves: { folder }, readyPath: "/" }, context);
    }
    return startComposite({ gateway: "nginx", behind: proxy }, async (composite) => {
      const origin = isUrl(proxy) ? null : composite.take(await context.startOther(proxy));
      const server = { origin: origin ? plainOrigin(origin, context) : proxy, late: false };
      const serves = {
        servers: [server],
        policy: "round-robin",
        timeoutMs: timeout ?? null,
      } as const;
      const readyPath = origin?.readyPath ?? "/";
      return composite.behind(await startNginx({ workers, serves, readyPath }, context));
    });
  },
};
