/** Launches a built-in app: this program again, as `serve APP`, on a port of the system's choice. */
import { appNamed } from "./registry.ts";
import type { AppTarget } from "../../base/target/spec.ts";
import { bringUp } from "../launch/bring_up.ts";
import { startSelf } from "../launch/child.ts";
import type { Launcher, RunningTarget } from "../launch/launcher.ts";
import { OWN_RUNTIME } from "../launch/runtime.ts";

export const appLauncher: Launcher<AppTarget> = {
  start({ app, set }, context): Promise<RunningTarget> {
    const settings = Object.entries(set).flatMap(([key, value]) => ["--set", `${key}=${value}`]);
    const { port, shared } = context.listen ?? { port: 0, shared: false };
    const sharing = shared ? ["--share-port"] : [];
    const where = ["--host", context.host, "--port", `${port}`, ...sharing];
    const child = startSelf(["serve", app, ...where, ...settings], {
      REDIS_URL: context.redisUrl ?? "",
      PLATEAU_REDIS_PASSWORD: "", // it stands in the address already, if it is of this Redis
    });
    const path = appNamed(app).paths[0];
    return bringUp({ child, runtime: OWN_RUNTIME, path, port: null }, context);
  },
};
