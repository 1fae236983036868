/** Launches a built-in app: this program again, as `serve APP`, on a port of the system's choice. */
import { appNamed } from "./registry.ts";
import type { AppTarget } from "../../base/target/target_shape.ts";
import { countersEnv } from "../observe/runtime/own_counters.ts";
import { bringUp } from "../launch/bring_up.ts";
import { selfCommand, startSelf, startSupervised } from "../launch/child.ts";
import { freePort } from "../launch/environment.ts";
import type { Launcher, RunningTarget } from "../launch/launcher.ts";
import { OWN_RUNTIME } from "../launch/runtime.ts";

export const appLauncher: Launcher<AppTarget> = {
  start({ app, set, limits }, context): Promise<RunningTarget> {
    const settings = Object.entries(set).flatMap(([key, value]) => ["--set", `${key}=${value}`]);
    const { port, shared } = context.listen ??
      { port: limits === undefined ? 0 : freePort({ host: context.host }), shared: false };
    const sharing = shared ? ["--share-port"] : [];
    const where = ["--host", context.host, "--port", `${port}`, ...sharing];
    const args = ["serve", app, ...where, ...settings];
    const env = {
      REDIS_URL: context.redisUrl ?? "",
      PLATEAU_REDIS_PASSWORD: "", // it stands in the address already, if it is of this Redis
      ...countersEnv(context),
    };
    const path = appNamed(app).paths[0];
    const own = { runtime: OWN_RUNTIME, path };
    if (limits === undefined) {
      return bringUp({ child: startSelf(args, env, context), ...own, port: null }, context);
    }
    // A supervisor, which is outside of its control group, removes that when it has ended, whatever ends us.
    const [program, programArgs] = selfCommand(args, context);
    const child = startSupervised([program, ...programArgs], {
      env: { ...Deno.env.toObject(), ...env },
      limits,
    });
    return bringUp({ child, ...own, port }, context);
  },
};
