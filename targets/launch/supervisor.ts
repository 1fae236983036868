/**
 * The supervisor of a foreign program. It ends the program and everything that the program has started, either on
 * SIGTERM or when its own parent has gone, which it notices by the end of standard input. The hidden command `supervise
 * -- PROGRAM ARGS…` does only this, and loads few modules, because it runs before every program.
 *
 * It prints `started PID`, except for a step (a program such as a target's `build`, which must end by itself), and then
 * leaves standard output and standard error to the program. At the end, it prints `left PID PID…` with the processes
 * that it can't end, because they belong to another user or hang in the kernel. Because the program may print such
 * lines, too, the supervisor begins its own lines with a word that the program does not know.
 */
import { messageOf } from "../../base/errors.ts";
import { untilInputEnds } from "./parent_death.ts";
import { REAL_TIME, type Time } from "./settles.ts";
import { joinLimitGroup, removeLimitGroup } from "../../base/system/cgroup.ts";
import { bringUpFamily, type ProcessFamily, type Upbringing } from "./family.ts";

/**
 * In the supervisor's reports, `STARTED` precedes the program's process id, and `LEFT` precedes the ids of processes
 * that could not be ended.
 */
export const STARTED = "started";
export const LEFT = "left";
/** The exit code if the program's exit code is unknown. */
const FAILED = 1;

/** The time between SIGTERM and SIGKILL. */
export const STOP_GRACE_MS = 2_000;
/**
 * The time between SIGTERM and SIGKILL if the process that started the supervisor has ended, so that nobody waits for a
 * clean end.
 */
export const ORPHANED_GRACE_MS = 300;
/** How long to wait for a killed process to end; one that hangs in the kernel never does. */
const HOPELESS_MS = 2_000;
/**
 * The shortest interval between checks for living processes. Most programs end within milliseconds, and the next run
 * waits for that; a program that takes longer is checked less often.
 */
const SHORTEST_POLL_MS = 1;
const LONGEST_POLL_MS = 20;
/** The interval between checks of a program in the background. It is long, because the program is being measured. */
const BACKGROUND_POLL_MS = 500;

/**
 * Variable with the program's complete environment as a JSON object; if absent, the program inherits the supervisor's
 * environment.
 */
export const SUPERVISED_ENV = "PLATEAU_SUPERVISED_ENV";
/** Variable with the path of a folder used only by the program, which is removed after the program has ended. */
export const SUPERVISED_FOLDER = "PLATEAU_SUPERVISED_FOLDER";
/**
 * Variable with the word that begins each report of the supervisor, so that no output of the program looks like a
 * report.
 */
export const SUPERVISED_SIGN = "PLATEAU_SUPERVISED_SIGN";
/**
 * Variable with the folders of the program's control group as a JSON list; the group is removed after the program has
 * ended.
 */
export const SUPERVISED_GROUP = "PLATEAU_SUPERVISED_GROUP";
/** Variable with the path of a folder that is removed unless the program succeeds. */
export const SUPERVISED_STAGE = "PLATEAU_SUPERVISED_STAGE";
/**
 * Variable that is set for a program that counts as finished when its own process ends, even if it leaves other
 * processes in the background.
 */
export const SUPERVISED_STEP = "PLATEAU_SUPERVISED_STEP";

const STOP_SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"];

/**
 * Runs a program until it and all processes that it started have ended. Then ends this process with the program's exit
 * code or, as in shells, with 128 + n if signal n has ended the program.
 */
export async function supervise(command: readonly string[]): Promise<never> {
  const upbringing = bringUpFamily();
  const stopRequest = Promise.withResolvers<void>();
  for (const name of STOP_SIGNALS) Deno.addSignalListener(name, stopRequest.resolve);
  const { child, family } = startProgram(command, upbringing);
  const graceMs = await Promise.race([
    stopRequest.promise.then(() => STOP_GRACE_MS),
    untilInputEnds().then(() => ORPHANED_GRACE_MS),
    untilGone(child, family).then(() => STOP_GRACE_MS),
  ]);
  const left = await endFamily(family, graceMs);
  if (left.length > 0) report(LEFT, left);
  const { code } = left.length > 0 ? { code: FAILED } : await child.status;
  removeFolder(Deno.env.get(SUPERVISED_FOLDER));
  removeLimitGroup(limitGroup());
  if (code !== 0) removeFolder(Deno.env.get(SUPERVISED_STAGE));
  Deno.exit(code);
}

function startProgram(
  [program, ...args]: readonly string[],
  upbringing: Upbringing,
): { readonly child: Deno.ChildProcess; readonly family: ProcessFamily } {
  const { detached, env } = upbringing;
  const given = Deno.env.get(SUPERVISED_ENV);
  try {
    const child = new Deno.Command(program, {
      args,
      ...given === undefined ? { env } : { env: { ...JSON.parse(given), ...env }, clearEnv: true },
      stdin: "null",
      stdout: "inherit",
      stderr: "inherit",
      detached,
    }).spawn();
    const family = upbringing.of(child);
    limit(child, family);
    if (!isStep()) report(STARTED, [child.pid]);
    return { child, family };
  } catch (error) {
    print(Deno.stderr, `Cannot run ${program}: ${messageOf(error)}`);
    removeLimitGroup(limitGroup());
    Deno.exit(127);
  }
}

/** Puts the program into its control group, if it has one, right after its start. */
function limit(child: Deno.ChildProcess, family: ProcessFamily): void {
  const group = limitGroup();
  if (group.length === 0) return;
  try {
    limitFamily(child.pid, family, (pid) => joinLimitGroup(group, pid));
  } catch (error) {
    child.kill("SIGKILL");
    throw new Error(`its limits can't be set: ${messageOf(error)}`);
  }
}

/**
 * The search for processes outside the control group ends after this many rounds, because a program may fork all the
 * time.
 */
const MOST_SEARCHES = 10;

/**
 * Makes a program join its control group, and then all processes that it forked before it joined. A process forked by a
 * member is in the group from its start, so the search ends once it finds no new process. Throws if the program can't
 * join.
 */
export function limitFamily(
  program: number,
  family: Pick<ProcessFamily, "living">,
  join: (pid: number) => void,
): void {
  join(program);
  const known = new Set([program]);
  for (let search = 0; search < MOST_SEARCHES; search++) {
    const found = family.living().filter((pid) => !known.has(pid));
    if (found.length === 0) return;
    for (const pid of found) {
      known.add(pid);
      try {
        join(pid);
      } catch {
        // It has ended.
      }
    }
  }
}

/**
 * Whether the program is a step. The process id of a step is not reported, because all output goes into a log. The
 * report would appear there, perhaps in the middle of a line, because the program may already be printing.
 */
function isStep(): boolean {
  return Deno.env.get(SUPERVISED_STEP) !== undefined;
}

function limitGroup(): string[] {
  return JSON.parse(Deno.env.get(SUPERVISED_GROUP) ?? "[]");
}

/** Removes a folder. The supervisor does this, because the process that started the supervisor may have gone. */
export function removeFolder(folder: string | undefined): void {
  if (folder === undefined) return;
  try {
    Deno.removeSync(folder, { recursive: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return; // another process has removed it
    print(Deno.stderr, `Cannot remove ${folder}: ${messageOf(error)}`);
  }
}

/**
 * Waits for the program to end, and for the processes that it leaves. If a program succeeds and leaves processes
 * behind, it has put itself in the background and is still running. A step is finished when its own process ends.
 */
async function untilGone(child: Deno.ChildProcess, family: ProcessFamily): Promise<void> {
  const { success } = await child.status;
  while (success && !isStep() && family.living().length > 0) {
    await REAL_TIME.sleep(BACKGROUND_POLL_MS);
  }
}

/**
 * How many checks in a row must find no process. A single check may miss a process that is being adopted, because its
 * parent has just ended.
 */
const LOOKS = 2;

/**
 * Ends a family: sends SIGTERM once and, after the grace period, SIGKILL repeatedly, until no process is left. Gives up
 * if no living process accepts signals, or some time after the first SIGKILL, and returns the processes that are left.
 * That time begins with SIGKILL, so a machine that stalled before does not shorten it.
 */
export async function endFamily(
  family: ProcessFamily,
  graceMs: number,
  { nowMs, sleep }: Time = REAL_TIME,
): Promise<number[]> {
  const startMs = nowMs();
  let killedMs = Infinity;
  let isTaken = family.signal("SIGTERM");
  for (let empty = 0;;) {
    const living = family.living();
    const elapsedMs = nowMs() - startMs;
    empty = living.length === 0 ? empty + 1 : 0;
    const isHopeless = !isTaken || elapsedMs > killedMs + HOPELESS_MS;
    if (empty === LOOKS || (living.length > 0 && isHopeless)) return living;
    if (living.length > 0 && elapsedMs > graceMs) {
      isTaken = family.signal("SIGKILL");
      killedMs = Math.min(killedMs, elapsedMs);
    }
    const pollMs = empty > 0 ? 0 : elapsedMs / 4;
    await sleep(Math.min(LONGEST_POLL_MS, Math.max(SHORTEST_POLL_MS, pollMs)));
  }
}

/** Reports to the process that started the supervisor, on the same pipe as the program's output. */
function report(word: string, pids: readonly number[]): void {
  print(Deno.stdout, [Deno.env.get(SUPERVISED_SIGN) ?? [], word, ...pids].flat().join(" "));
}

/**
 * Prints a line. Does nothing if the reader has gone, because standard input then ends, too, and that ends the program.
 */
function print(stream: { writeSync(bytes: Uint8Array): number }, line: string): void {
  try {
    stream.writeSync(new TextEncoder().encode(`${line}\n`));
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}
