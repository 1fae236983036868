/** Launches the real nginx: it serves files, or stands in front of another target or a URL. */
import type { NginxTarget } from "../nginx/spec.ts";
import { startNginx } from "../nginx/start.ts";
import { isUrl } from "../upstream/origin_name.ts";
import { inCompany } from "./company.ts";
import type { Launcher, RunningTarget } from "./launcher.ts";
import { plainOrigin } from "./plain_origin.ts";
import { locateFolder } from "./surroundings.ts";

export const nginxLauncher: Launcher<NginxTarget> = {
  start({ nginx: { root, files, proxy, workers } }, context): Promise<RunningTarget> {
    if (files !== undefined) {
      return startNginx({ workers, serves: { texts: files }, readyPath: "/" }, context);
    }
    if (proxy === undefined) {
      const folder = locateFolder(root ?? ".", context);
      return startNginx({ workers, serves: { folder }, readyPath: "/" }, context);
    }
    return inCompany({ front: "nginx", behind: proxy }, async (company) => {
      const origin = isUrl(proxy) ? null : company.take(await context.startOther(proxy));
      const server = { origin: origin ? plainOrigin(origin, context) : proxy, late: false };
      const serves = { servers: [server], policy: "round-robin" } as const;
      const readyPath = origin?.readyPath ?? "/";
      return company.behind(await startNginx({ workers, serves, readyPath }, context));
    });
  },
};
