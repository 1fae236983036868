/** Launches a built-in app by starting this program again as `serve APP`, on a port that the system chooses. */
import { appNamed } from "./registry.ts";
import type { AppTarget } from "../../base/target/target_shape.ts";
import { countersEnv } from "../observe/runtime/own_counters.ts";
import { bringUp } from "../launch/bring_up.ts";
import { selfCommand, startSelf, startSupervised } from "../launch/child.ts";
import { freePort } from "../launch/environment.ts";
import { cannotStart, type Launcher, type RunningTarget } from "../launch/launcher.ts";
import { OWN_RUNTIME } from "../launch/runtime.ts";
import { v8FlagsOf } from "../launch/v8_flags.ts";

const FIXED_V8 =
  "a compiled Plateau keeps the V8 flags that it was built with; run Plateau from source, " +
  "or your own server with command: [deno, run, …]";

export const appLauncher: Launcher<AppTarget> = {
  async start({ app, set, limits, v8 }, context): Promise<RunningTarget> {
    const flags = v8FlagsOf(v8);
    if (flags.length > 0 && Deno.build.standalone) throw cannotStart(context, FIXED_V8);
    const settings = Object.entries(set).flatMap(([key, value]) => ["--set", `${key}=${value}`]);
    const { port, shared } = context.listen ??
      { port: limits === undefined ? 0 : freePort({ host: context.host }), shared: false };
    const sharing = shared ? ["--share-port"] : [];
    const where = ["--host", context.host, "--port", `${port}`, ...sharing];
    const args = ["serve", app, ...where, ...settings];
    const env = {
      REDIS_URL: context.redisUrl ?? "",
      PLATEAU_REDIS_PASSWORD: "", // the URL already has the password, if it belongs to this Redis
      ...countersEnv(context),
      ...flags.length > 0 && { DENO_V8_FLAGS: flags.join(",") },
    };
    const path = appNamed(app).paths[0];
    const own = { runtime: OWN_RUNTIME, path };
    if (limits === undefined) {
      return await bringUp({ child: startSelf(args, env, context), ...own, port: null }, context);
    }
    // Use a supervisor that stays outside the control group and removes the group after the app has
    // ended, no matter how this process ends.
    const [program, programArgs] = selfCommand(args, context);
    const child = startSupervised([program, ...programArgs], {
      env: { ...Deno.env.toObject(), ...env },
      limits,
    });
    return await bringUp({ child, ...own, port }, context);
  },
};
