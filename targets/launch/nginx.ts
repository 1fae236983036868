/** Launches the real nginx: it serves files, or stands in front of another target or a URL. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { TargetError } from "../../scenarios/errors.ts";
import type { NginxTarget } from "../nginx/spec.ts";
import { startNginx } from "../nginx/start.ts";
import { isUrl } from "../upstream/origin_name.ts";
import { inCompany } from "./company.ts";
import type { FrontContext, Launcher, RunningTarget } from "./launcher.ts";
import { plainOrigin } from "./plain_origin.ts";

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

function locateFolder(root: string, { name, baseDir }: FrontContext): string {
  const folder = resolve(baseDir, root);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new TargetError(`Cannot start target ${name}: there is no folder "${folder}"`);
}
