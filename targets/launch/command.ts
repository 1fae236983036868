/** Launches a foreign program: under a supervisor, in a clean environment, with a port of its own. */
import { LOOPBACK } from "../../base/net/listen.ts";
import type { CommandTarget } from "../../base/target/spec.ts";
import { bringUp } from "./bring_up.ts";
import { cannotStart, type LaunchContext, type Launcher, type RunningTarget } from "./launcher.ts";
import { startSupervised } from "./child.ts";
import { inspectableArgs, inspectableEnv, runtimeOf } from "./runtime.ts";
import { cleanEnv, findProgram, freePort, isPortFree, locateFolder } from "./environment.ts";

export const commandLauncher: Launcher<CommandTarget> = {
  async start(spec, context): Promise<RunningTarget> {
    const port = choosePort(spec, context);
    const fill = (text: string): string =>
      text.replaceAll("{port}", String(port)).replaceAll("{host}", context.host);
    const given = cleanEnv({
      PORT: String(port),
      ...context.redisUrl === null ? {} : { REDIS_URL: context.redisUrl },
      ...Object.fromEntries(Object.entries(spec.env).map(([key, text]) => [key, fill(text)])),
    });
    const env = context.inspectable ? inspectableEnv(given) : given;
    const cwd = locateFolder(spec.cwd, context);
    const [name, ...args] = spec.command.map(fill);
    const program = findProgram(name, { path: env.PATH ?? "", cwd });
    if (program === null) throw cannotStart(context, `there is no program "${name}"`);
    const runtime = await runtimeOf(spec.command, { env: cleanEnv(spec.env), cwd });
    const onLeft = (pids: readonly number[]): void => context.onNote(leftText(context, pids));
    const child = startSupervised(
      [program, ...context.inspectable ? inspectableArgs(program, args) : args],
      { env, cwd, onLeft, limits: spec.limits },
    );
    const advice = hostAdvice(spec, context);
    return await bringUp({ child, runtime, path: spec.ready, port, advice }, context);
  },
};

function leftText({ name }: LaunchContext, pids: readonly number[]): string {
  return `Processes of target ${name} still run, as this user may not end them: ${
    pids.join(", ")
  } ` +
    `(sudo kill -9 ${pids.join(" ")})`;
}

/** A program that listens on loopback of its own accord is not reached elsewhere. */
function hostAdvice({ command, env }: CommandTarget, { host }: LaunchContext): string | undefined {
  const isPassed = [...command, ...Object.values(env)].some((text) => text.includes("{host}"));
  if (host === LOOPBACK || isPassed) return undefined;
  return `write {host} in its command or env, so that it listens on ${host}`;
}

/** The file's own PORT, which must be free, or else a free one. */
function choosePort({ env }: CommandTarget, context: LaunchContext): number {
  if (!/^\d+$/.test(env.PORT ?? "")) {
    return context.listen?.port ?? freePort({ host: context.host });
  }
  const fixed = Number(env.PORT);
  if (isPortFree(fixed, context.host)) return fixed;
  throw cannotStart(
    context,
    `its port ${fixed} is in use; write PORT: "{port}" in its env to get a free one`,
  );
}
