/**
 * Starts processes. All of them run this same program: as a built-in app (`serve`), or as the supervisor of a foreign
 * program (`supervise`). However this process ends, they end too, because each reads from a pipe that only this process
 * holds open. They are in a session of their own, so that Ctrl-C reaches only Plateau, which then stops them in order.
 * If a supervisor is killed, this process adopts and ends the processes that it leaves behind.
 */
import { randomUUID } from "node:crypto";
import { constants } from "node:os";
import { messageOf, TargetError } from "../../base/errors.ts";
import { parseBytes } from "../../base/quantity.ts";
import { makeLimitGroup, removeLimitGroup } from "../../base/system/cgroup.ts";
import { polledErrors } from "../../base/system/pipe.ts";
import { adoptOrphans } from "../../base/system/prctl.ts";
import { childrenOf, descendantsOf } from "../../base/system/processes.ts";
import type { TargetLimits } from "../../base/target/target_shape.ts";
import { BOUND } from "./parent_death.ts";
import type { Exit, WatchedTree } from "./launcher.ts";
import { OUTPUT_LATE_MS } from "../observe/runtime/go_trace.ts";
import { Output } from "./output.ts";
import { startPinned } from "./pin.ts";
import { inspectableArgs } from "./environment.ts";
import { settlesWithin } from "./settles.ts";
import { orphanedFamily, showsProcesses } from "./family.ts";
import {
  endFamily,
  LEFT,
  ORPHANED_GRACE_MS,
  removeFolder,
  STARTED,
  STOP_GRACE_MS,
  SUPERVISED_ENV,
  SUPERVISED_FOLDER,
  SUPERVISED_GROUP,
  SUPERVISED_SIGN,
  SUPERVISED_STAGE,
  SUPERVISED_STEP,
} from "./supervisor.ts";
import { fileURLToPath } from "node:url";

/**
 * Milliseconds that a supervisor may take to end. It is longer than for other processes, because a supervisor first
 * waits for its program to end.
 */
const SUPERVISOR_GRACE_MS = 2 * STOP_GRACE_MS + 1_000;

/**
 * Whether signals can ask a program to end. On Windows every signal kills, so Plateau's own programs are asked by
 * closing their standard input.
 */
const HAS_SIGNALS = Deno.build.os !== "windows";

/**
 * How long to wait for the rest of the output after a process has ended. It is used up only if another process keeps
 * the pipes open.
 */
const DRAIN_MS = 500;

export interface Child extends WatchedTree {
  readonly pid: number;
  readonly output: Output;
  /**
   * Resolves when the program announces that it runs, with the text of the announcement and when the program was
   * started.
   */
  readonly announced: Promise<{ readonly text: string; readonly startedMs: number }>;
  /** Resolves after the process has ended and its output has been read. */
  readonly exited: Promise<Exit>;
  /** Writes a line to standard input; does nothing if the process has ended. */
  writeLine(line: string): Promise<void>;
  /**
   * Asks the process to end by SIGTERM or, on Windows, by closing its standard input; kills it if it does not end in
   * time. Resolves after it has ended. Idempotent.
   */
  stop(): Promise<void>;
}

interface ProcessEnvironment {
  readonly env: Record<string, string>;
  readonly cwd?: string;
  /** Called with all output of the process as it arrives. */
  readonly onOutput?: (bytes: Uint8Array) => void;
  /**
   * Called with standard error only. Calls may be late, because standard error is read in a way that does not disturb a
   * load.
   */
  readonly onErrorOutput?: (bytes: Uint8Array) => void;
  /** Called with standard output and standard error separately. */
  readonly onStreams?: Readonly<Record<"stdout" | "stderr", (bytes: Uint8Array) => void>>;
  /**
   * Whether the program works for Plateau rather than for the experiment, so that it runs on Plateau's cores instead of
   * the targets'.
   */
  readonly isOurs?: boolean;
  /** Called if a signal has ended the process; the processes that it left behind may still print. */
  readonly onKilled?: (pid: number) => Promise<void>;
}

/**
 * Starts this program with `args`, and with `env` added to this process's environment. The child announces its address.
 */
export function startSelf(
  args: readonly string[],
  env: Record<string, string>,
  own: SelfOptions = {},
): Child {
  const startedMs = performance.now();
  const command = selfCommand(args, own);
  const child = start(command, { env: { ...env, [BOUND]: "1" } }, STOP_GRACE_MS);
  const announced = child.output.takeLine(/^listening (.*)\r?\n/m).then((text) => ({
    text,
    startedMs,
  }));
  return { ...child, supervised: false, announced };
}

/** Milliseconds for an interrupted run to stop its targets and to save what it has measured. */
const INTERRUPTED_GRACE_MS = 20_000;

/** Starts this program with a command that a user could type; stopping it interrupts the command. */
export function startCommand(
  args: readonly string[],
  environment: Pick<ProcessEnvironment, "env" | "onStreams">,
): Pick<Child, "exited" | "stop"> {
  return start(selfCommand(args), { ...environment, isOurs: true }, INTERRUPTED_GRACE_MS);
}

interface SupervisedEnvironment extends Omit<ProcessEnvironment, "onKilled"> {
  /**
   * A folder used only by this program. It is removed after the program has ended, even if this process was killed
   * before.
   */
  readonly folder?: string;
  /** Limits for the program; none if absent. */
  readonly limits?: TargetLimits;
  /** Like `folder`, but the folder is kept if the program succeeds. */
  readonly stage?: string;
  /**
   * Whether the program counts as finished as soon as its own process ends; processes that it left in the background
   * are then ended.
   */
  readonly isStep?: boolean;
  /** Called with the ids of processes that `stop` could not end, because they belong to another user or hang. */
  readonly onLeft?: (pids: readonly number[]) => void;
}

/**
 * Starts a foreign program, given by its full path; it gets only the variables in `env`. The child announces its
 * process id.
 */
export function startSupervised(
  command: readonly string[],
  { env, folder, stage, isStep = false, limits, onLeft = () => {}, ...process }:
    SupervisedEnvironment,
): Child {
  const group = limits === undefined ? [] : groupFor(limits);
  const sign = randomUUID();
  const forSupervisor = {
    [SUPERVISED_SIGN]: sign,
    ...group.length > 0 && { [SUPERVISED_GROUP]: JSON.stringify(group) },
    [SUPERVISED_ENV]: JSON.stringify(env),
    ...folder !== undefined && { [SUPERVISED_FOLDER]: folder },
    ...stage !== undefined && { [SUPERVISED_STAGE]: stage },
    ...isStep && { [SUPERVISED_STEP]: "1" },
  };
  const supervisor = selfCommand(["supervise", "--", ...command]);
  const left: number[] = [];
  let leader: number | null = null;
  const onKilled = async (pid: number): Promise<void> => {
    left.push(...await endFamily(orphanedFamily(pid, running), ORPHANED_GRACE_MS));
    if (leader !== null) killNumber(-leader);
    for (const made of [folder, stage]) removeFolder(made);
  };
  const child = start(
    supervisor,
    { ...process, env: forSupervisor, onKilled },
    SUPERVISOR_GRACE_MS,
  );
  adoptTheirOrphans();
  const announced = child.output.takeLine(reported(sign, STARTED))
    .then((text) => {
      if (!showsProcesses()) leader = Number(text);
      return { text, startedMs: performance.now() };
    });
  const exited = child.exited.then(withSignal);
  const stop = async (): Promise<void> => {
    await child.stop();
    // Remove the group if the supervisor had no time to do so.
    removeLimitGroup(group);
    const named = child.output.takeKept(reported(sign, LEFT))?.split(" ").map(Number) ?? [];
    const all = [...named, ...left.splice(0)];
    if (all.length > 0) onLeft(all);
  };
  return { ...child, supervised: true, announced, exited, stop };
}

/**
 * Matches a line of process ids printed by a supervisor, even if the program's output before it does not end with a
 * line break.
 */
function reported(sign: string, word: string): RegExp {
  return new RegExp(`${sign} ${word} (\\d+(?: \\d+)*)\n`);
}

/**
 * Makes a control group for the limits. Throws a TargetError if the system has no control groups, or does not let this
 * user make one.
 */
function groupFor({ cpu, memory }: TargetLimits): string[] {
  try {
    if (Deno.build.os !== "linux") throw new Error("only Linux has control groups");
    return makeLimitGroup({
      cores: cpu ?? null,
      memory: memory === undefined ? null : parseBytes(memory),
    });
  } catch (error) {
    throw new TargetError(`Cannot limit CPU or memory of a target: ${messageOf(error)}`, [
      "run Plateau as root or with systemd-run --user --scope plateau run …, or leave limits out",
    ]);
  }
}

/** Interprets a supervisor's exit code 128 + n as signal n, which has ended its program. */
function withSignal({ code, signal }: Exit): Exit {
  if (signal !== null) return { code, signal, isOfSupervisor: true };
  const ending = Object.entries(constants.signals).find(([, number]) => code === 128 + number);
  return { code, signal: ending?.[0] ?? null };
}

/** Ids of processes that this module has started and that have not ended. */
const running = new Set<number>();
let isAdopting: boolean | null = null;

/**
 * Lets this process adopt orphans. It must not if it has children that this module did not start, because their orphans
 * would be taken for Plateau's.
 */
function adoptTheirOrphans(): void {
  isAdopting ??= childrenOf(Deno.pid).every((pid) => running.has(pid)) && adoptOrphans();
}

/** Half a second after its start, Deno looks up its newest version, which would be in the middle of a load. */
const NO_UPDATE_CHECK = { DENO_NO_UPDATE_CHECK: "1" };

function start(
  [program, programArgs]: ReturnType<typeof selfCommand>,
  { env, cwd, onOutput, onErrorOutput, onStreams, onKilled, isOurs = false }: ProcessEnvironment,
  graceMs: number,
): Pick<Child, "pid" | "output" | "exited" | "writeLine" | "stop"> {
  const command = new Deno.Command(program, {
    args: programArgs,
    env: { ...NO_UPDATE_CHECK, ...env },
    cwd,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    detached: true,
  });
  const process = spawned(command, isOurs);
  running.add(process.pid);
  const output = new Output(onOutput);
  const drained = Promise.all([
    output.drain(process.stdout, onStreams?.stdout),
    output.drain(
      errorsOf(process, onErrorOutput !== undefined),
      onErrorOutput ?? onStreams?.stderr,
    ),
  ]);
  const exited = process.status.then(async ({ code, signal }) => {
    running.delete(process.pid);
    if (signal !== null) await onKilled?.(process.pid);
    await settlesWithin(drained, DRAIN_MS);
    return { code, signal };
  });
  // Use a single writer throughout, so that several callers may write lines at the same time.
  const input = process.stdin.getWriter();
  const writeLine = async (line: string): Promise<void> => {
    // A write fails only if the process has ended.
    await input.write(new TextEncoder().encode(`${line}\n`)).catch(() => {});
  };
  // Closing fails if it was closed before.
  const closeInput = (): Promise<void> => input.close().catch(() => {});
  const stop = async (): Promise<void> => {
    if (HAS_SIGNALS) send(process, "SIGTERM");
    else await closeInput();
    if (!await settlesWithin(process.status, graceMs)) kill(process);
    await exited;
    await closeInput();
  };
  return { pid: process.pid, output, exited, writeLine, stop };
}

/**
 * Returns standard error. With `isPolled`, it is read with pauses if the system allows that, so that reading hardly
 * disturbs a load. Go's runtime writes a line per garbage collection in 39 pieces. Waking up for each piece cost a
 * server on two cores 4 % of its throughput; reading with pauses costs 1 %.
 */
function errorsOf(process: Deno.ChildProcess, isPolled: boolean): ReadableStream<Uint8Array> {
  const polled = isPolled ? polledErrors(process.pid, OUTPUT_LATE_MS) : null;
  if (polled === null) return process.stderr;
  void process.stderr.cancel();
  return polled;
}

/**
 * Starts the process. Throws a TargetError if the system refuses, for example for lack of permission or because there
 * are too many processes.
 */
function spawned(command: Deno.Command, isOurs: boolean): Deno.ChildProcess {
  const spawn = (): Deno.ChildProcess => command.spawn();
  try {
    return isOurs ? spawn() : startPinned(spawn);
  } catch (error) {
    throw new TargetError(`Cannot start a process: ${messageOf(error)}`);
  }
}

/**
 * Kills a process that this module has started, usually a supervisor, and all of its descendants. Called if the process
 * has not ended in time, because it hangs or the machine is too slow.
 */
function kill(process: Deno.ChildProcess): void {
  const killFamily = (): void => {
    for (const pid of descendantsOf(process.pid)) killNumber(pid);
  };
  killFamily();
  // Look again, because the first look may miss a process that was adopted meanwhile.
  killFamily();
  send(process, "SIGKILL");
}

/** @param pid A process id, or −n for the process group n. */
function killNumber(pid: number): void {
  send({ kill: (signal) => Deno.kill(pid, signal) }, "SIGKILL");
}

function send(process: Pick<Deno.ChildProcess, "kill">, signal: Deno.Signal): void {
  try {
    process.kill(signal);
  } catch {
    // the process has ended already
  }
}

interface SelfOptions {
  /** Whether the process opens its inspector; ignored in a compiled program, which has none. */
  readonly inspectable?: boolean;
}

/** The command that runs Plateau with `args` from any folder: the compiled binary, or Deno with main.ts. */
export function selfCommand(
  args: readonly string[],
  { inspectable = false }: SelfOptions = {},
): [program: string, args: string[]] {
  if (Deno.build.standalone) return [Deno.execPath(), [...args]];
  const main = fileURLToPath(new URL("../../main.ts", import.meta.url));
  // Import lazily, because a supervisor needs few modules, but Deno would first read all modules
  // that any command may import.
  const command = ["run", "-A", "--unstable-lazy-dynamic-imports", main, ...args];
  const program = Deno.execPath();
  return [program, inspectable ? inspectableArgs(program, command) : command];
}
