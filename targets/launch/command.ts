/** Launches a foreign program under a supervisor, in a clean environment and with a port of its own. */
import { isIP } from "node:net";
import { LOOPBACK } from "../../base/net/listen.ts";
import { resolve } from "../../base/net/resolve.ts";
import { ipText, isAnyAddress, listenersOf, occupantsOf } from "../../base/system/listeners.ts";
import { descendantsOf, readProgram } from "../../base/system/processes.ts";
import { type CommandTarget, fixedPortOf } from "../../base/target/target_shape.ts";
import { bringUp } from "./bring_up.ts";
import { cannotStart, type LaunchContext, type Launcher, type RunningTarget } from "./launcher.ts";
import { startSupervised } from "./child.ts";
import { runtimeOf } from "./runtime.ts";
import {
  cleanEnv,
  findProgram,
  freePort,
  hideInherited,
  isPortTaken,
  locateFolder,
  variablesNamed,
  watchable,
  whyNoProgram,
} from "./environment.ts";
import { v8FlagsOf, withV8Flags } from "./v8_flags.ts";

export const commandLauncher: Launcher<CommandTarget> = {
  async start(spec, context): Promise<RunningTarget> {
    const port = await choosePort(spec, context);
    const fill = (text: string): string =>
      text.replaceAll("{port}", String(port)).replaceAll("{host}", context.host);
    const filled = {
      ...spec,
      command: spec.command.map(fill),
      env: Object.fromEntries(Object.entries(spec.env).map(([key, text]) => [key, fill(text)])),
    };
    const { program, cwd, inherited } = locateCommand(filled, context);
    const [, ...args] = filled.command;
    const env = cleanEnv({
      ...inherited,
      PORT: String(port),
      ...context.redisUrl === null ? {} : { REDIS_URL: context.redisUrl },
      ...filled.env,
    });
    const started = withV8Flags(program, { args, env }, v8FlagsOf(spec.v8));
    if (typeof started === "string") throw cannotStart(context, started);
    const watched = watchable(program, started, context);
    // Without the port, which differs each time: a program with the same variables is asked only once.
    const asked = cleanEnv({ ...inherited, ...spec.env });
    const runtime = await runtimeOf(spec.command, { env: asked, cwd });
    const onLeft = (pids: readonly number[]): void => context.onNote(leftText(context, pids));
    const child = startSupervised([program, ...watched.args], {
      env: watched.env,
      cwd,
      onLeft,
      limits: spec.limits,
      onErrorOutput: context.counters?.errorReader(),
    });
    const advice = (): string | null =>
      hostAdvice(spec, context) ?? listeningAdvice(child.pid, { spec, port, host: context.host });
    return await bringUp({ child, runtime, path: spec.ready, port, advice }, context);
  },
};

interface LocatedCommand {
  /** Full paths of the program and, below, of its working folder. */
  readonly program: string;
  readonly cwd: string;
  readonly inherited: Readonly<Record<string, string>>;
}

/** Finds what a command needs on this machine before it is started. Throws a StartError if something is missing. */
export function locateCommand(spec: CommandTarget, context: LocationContext): LocatedCommand {
  const { command: [name], env } = spec;
  const { cwd, inherited } = locateSurroundings(spec, context);
  const { PATH = "" } = cleanEnv({ ...inherited, ...env });
  const program = findProgram(name, { path: PATH, cwd });
  if (program === null) throw cannotStart(context, whyNoProgram(name, cwd));
  return { program, cwd, inherited };
}

type LocationContext = Pick<LaunchContext, "name" | "baseDir">;

/**
 * Like `locateCommand`, but does not look for the program, which the target's steps, such as `build`, may first have to
 * make.
 */
export function locateSurroundings(
  { cwd, inherit }: CommandTarget,
  context: LocationContext,
): Omit<LocatedCommand, "program"> {
  return { cwd: locateFolder(cwd, context), inherited: inheritedBy(inherit, context) };
}

/**
 * Reads the inherited variables. Throws if one is not set, because a program without its settings may serve something
 * else.
 */
function inheritedBy(
  names: readonly string[],
  context: Pick<LaunchContext, "name">,
): Record<string, string> {
  const found = Object.entries(variablesNamed(names));
  const missing = found.filter(([, value]) => value === null).map(([name]) => name);
  if (missing.length > 0) {
    const why = `it inherits ${
      missing.join(", ")
    }, which is not set here; set it, or leave it out of inherit`;
    throw cannotStart(context, why);
  }
  hideInherited(names);
  return Object.fromEntries(
    found.flatMap(([name, value]) => value === null ? [] : [[name, value]]),
  );
}

function leftText({ name }: LaunchContext, pids: readonly number[]): string {
  return `Processes of target ${name} are still running, because this user may not end them: ${
    pids.join(", ")
  } ` +
    `(sudo kill -9 ${pids.join(" ")})`;
}

/**
 * Advice for a program that may listen only on loopback although it must be reached at another address; null if that
 * can't be the problem.
 */
function hostAdvice(spec: CommandTarget, { host }: LaunchContext): string | null {
  if (host === LOOPBACK || isPassed("{host}", spec)) return null;
  return `write {host} in its command or env, so that it listens on ${host}`;
}

/**
 * Advice for a program that listens at another address than expected, as its sockets show; null if the address is
 * unknown or right.
 */
function listeningAdvice(
  pid: number,
  { spec, port, host }: {
    readonly spec: CommandTarget;
    readonly port: number;
    readonly host: string;
  },
): string | null {
  const listeners = listenersOf(descendantsOf(pid));
  const there = listeners.filter((listener) => listener.port === port).map(({ bytes }) => bytes);
  if (there.length > 0) {
    const addresses = [...new Set(there.map(ipText))];
    const isRight = isIP(host) === 0 || addresses.includes(host) || there.some(isAnyAddress);
    return isRight
      ? null
      : `it listens on port ${port} at ${
        addresses.join(" and ")
      }: write {host} in its command or ` +
        `env, so that it listens on ${host}`;
  }
  const ports = [...new Set(listeners.map((listener) => listener.port))];
  if (ports.length === 0) return null;
  const wanted = fixedPortOf(spec) ?? "{port}";
  const fix = ports.length === 1
    ? `\`port: ${ports[0]}\``
    : "the port that serves requests as its `port`";
  const passed = wanted === "{port}" ? ', or pass "{port}" in its command or env' : "";
  return `it listens on ${ports.join(" and ")}, not on ${wanted}: write ${fix}${passed}`;
}

/** Whether the command's arguments or environment contain a placeholder. */
export function isPassed(
  placeholder: string,
  { command, env }: Pick<CommandTarget, "command" | "env">,
): boolean {
  return [...command, ...Object.values(env)].some((text) => text.includes(placeholder));
}

/**
 * The port that the experiment file sets or, if it sets none, that of the context or any free port. Throws if the port
 * set in the file is taken.
 */
async function choosePort(spec: CommandTarget, context: LaunchContext): Promise<number> {
  const fixed = fixedPortOf(spec);
  if (fixed === null) return context.listen?.port ?? freePort({ host: context.host });
  const obstacle = await portObstacle(fixed, context.host);
  if (obstacle === null) return fixed;
  throw cannotStart(context, obstacle);
}

/** Says that the port is taken, and by which process; null if it is free. */
export async function portObstacle(port: number, host: string): Promise<string | null> {
  if (!isPortTaken(port, host)) return null;
  const found = await resolve({ hostname: host, port });
  const isKnown = typeof found !== "string" && Deno.build.os === "linux";
  const pids = isKnown ? [...new Set(found.flatMap(occupantsOf))] : [];
  const by = pids.map((pid) => ` by ${readProgram(pid)} (process ${pid})`).join(" and");
  return `its port ${port} is in use${by}; for a free port, write PORT: "{port}" in its env, and leave port out`;
}
