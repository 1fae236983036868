/** Launches an installed framework under a supervisor, in a clean environment and on a free port. */
import { isInstalledRuntime, type RuntimeName } from "../../base/target/app_settings.ts";
import { installedAt, notInstalled } from "./install.ts";
import { frameworkNamed } from "./registry.ts";
import { runtimeNamed } from "./runtimes.ts";
import type { FrameworkTarget } from "../../base/target/target_shape.ts";
import { bringUp } from "../launch/bring_up.ts";
import { cannotStart, type Launcher, type RunningTarget, startOfNeed } from "../launch/launcher.ts";
import { startSupervised } from "../launch/child.ts";
import { goOf, runtimeOf } from "../launch/runtime.ts";
import { cleanEnv, findProgram, freePort, watchable, whyNoProgram } from "../launch/environment.ts";
import { v8FlagsOf, withV8Flags } from "../launch/v8_flags.ts";

export const frameworkLauncher: Launcher<FrameworkTarget> = {
  async start(
    { framework, runtime: wanted, set, env, limits, v8 },
    context,
  ): Promise<RunningTarget> {
    const cwd = installedAt(framework);
    if (cwd === null) throw cannotStart(context, notInstalled(framework));
    const { settings, command } = frameworkNamed(framework);
    const chosen = settings.parse(set);
    const port = context.listen?.port ?? freePort({ host: context.host });
    const given = cleanEnv({
      ...PRODUCTION,
      HOST: context.host,
      PORT: String(port),
      LOGGING: chosen.logging ? "on" : "off",
      TRACE: chosen.trace ? "on" : "off",
      ...context.redisUrl === null ? {} : { REDIS_URL: context.redisUrl },
      ...env,
    });
    const [name, ...own] = command(chosen);
    const { program, args } = runBy(wanted, [name, ...own], { path: given.PATH ?? "", cwd });
    if (program === null) {
      const missing = wanted !== undefined && isInstalledRuntime(wanted)
        ? notInstalled(wanted)
        : whyNoProgram(name, cwd);
      throw cannotStart(context, missing, [], "frameworks");
    }
    const started = withV8Flags(program, { args, env: given }, v8FlagsOf(v8));
    if (typeof started === "string") throw cannotStart(context, started, [], "frameworks");
    const watched = watchable(program, started, context);
    const runtime = await versionsOf(framework, program, cwd);
    return await startOfNeed("frameworks", async () => {
      const child = startSupervised(
        [program, ...watched.args],
        { env: watched.env, cwd, limits, onErrorOutput: context.counters?.errorReader() },
      );
      return await bringUp({ child, runtime, path: "/static", port }, context);
    });
  },
};

/**
 * Which program to run, with its arguments: an installed runtime with the framework's script, or the framework's own
 * command. The program is null if this machine does not have it.
 */
function runBy(
  wanted: RuntimeName | undefined,
  [name, ...args]: readonly [string, ...string[]],
  place: { readonly path: string; readonly cwd: string },
): { readonly program: string | null; readonly args: readonly string[] } {
  if (wanted === undefined || !isInstalledRuntime(wanted)) {
    return { program: findProgram(name, place), args };
  }
  const folder = installedAt(wanted);
  const { programs, args: before } = runtimeNamed(wanted);
  const found = folder === null
    ? []
    : programs.flatMap((path) => findProgram(`./${path}`, { ...place, cwd: folder }) ?? []);
  return { program: found[0] ?? null, args: [...before, ...args] };
}

/**
 * Versions of the runtime and the framework, such as `node v20.20.2, express 5.3.0`. A version that is unknown is left
 * out; null if both are unknown.
 */
async function versionsOf(
  framework: FrameworkTarget["framework"],
  program: string,
  cwd: string,
): Promise<string | null> {
  const place = { env: cleanEnv(), cwd };
  const { version, folder, toolchain: { programs } } = frameworkNamed(framework);
  const runtime = programs[0] === "go"
    ? await goOf(program, place)
    : await runtimeOf([program], place);
  const known = [runtime, version === "" ? null : `${folder} ${version}`];
  return known.filter((one) => one !== null).join(", ") || null;
}

/** Variables that make the frameworks run as in production. */
const PRODUCTION = { NODE_ENV: "production", GIN_MODE: "release" };
