/**
 * The supervisor of a foreign program: it ends the program and everything that the program has
 * started, on TERM or when its own parent is gone (the end of standard input). The
 * hidden command `supervise -- PROGRAM ARGS…` does only this. It loads nothing heavy, because it starts before every
 * program.
 *
 * It prints `started PID`, except for a step, and then leaves its standard output and error to the program. At the end,
 * it names the processes that it cannot end, because they are another user's or hang in the kernel: `left PID PID…`.
 * The program may print such lines, too, so the supervisor begins its own lines with a sign that the program does not
 * know.
 */
import { messageOf } from "../../base/errors.ts";
import { untilInputEnds } from "./parent_death.ts";
import { REAL_TIME, type Time } from "./settles.ts";
import { joinLimitGroup, removeLimitGroup } from "../../base/system/cgroup.ts";
import { bringUpFamily, type ProcessFamily, type Upbringing } from "./family.ts";

/**
 * The words that stand in reports before the program's process id, and before the ids of processes that could not be
 * ended.
 */
export const STARTED = "started";
export const LEFT = "left";
/** The exit code if the program's own is not known. */
const FAILED = 1;

/** The time between TERM and KILL. */
export const STOP_GRACE_MS = 2_000;
/** The grace when the process that started the supervisor has ended, so that nobody waits any more. */
export const ORPHANED_GRACE_MS = 300;
/** How long a killed process is waited for; one that hangs in the kernel does not end. */
const HOPELESS_MS = 2_000;
/**
 * The shortest interval between two looks. Most programs end within milliseconds, and the next run waits for that; a
 * program that takes long is looked at less often.
 */
const SHORTEST_POLL_MS = 1;
const LONGEST_POLL_MS = 20;
/** The interval between two looks at a program in the background; long, because the program is being measured. */
const BACKGROUND_POLL_MS = 500;

/** Holds the program's whole environment as a JSON object; without it, the supervisor's own is inherited. */
export const SUPERVISED_ENV = "PLATEAU_SUPERVISED_ENV";
/** Names a folder of the program's own, which is removed with the program. */
export const SUPERVISED_FOLDER = "PLATEAU_SUPERVISED_FOLDER";
/** Holds the word that begins each report of the supervisor, so that no output of the program looks like a report. */
export const SUPERVISED_SIGN = "PLATEAU_SUPERVISED_SIGN";
/** Holds the folders of the program's control group as a JSON list; the group is removed with the program. */
export const SUPERVISED_GROUP = "PLATEAU_SUPERVISED_GROUP";
/** Names a folder that is removed unless the program succeeds. */
export const SUPERVISED_STAGE = "PLATEAU_SUPERVISED_STAGE";
/** Set for a program that counts as over when it ends, whatever it leaves in the background. */
export const SUPERVISED_STEP = "PLATEAU_SUPERVISED_STEP";

const STOP_SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"];

/**
 * Runs a program until it and all processes that it started have ended. Then ends this process with the program's exit
 * code; 128 + n if signal n has ended the program, as in shells.
 */
export async function supervise(command: readonly string[]): Promise<never> {
  const upbringing = bringUpFamily();
  const stopRequest = Promise.withResolvers<void>();
  for (const name of STOP_SIGNALS) Deno.addSignalListener(name, stopRequest.resolve);
  const child = startProgram(command, upbringing);
  const family = upbringing.of(child);
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
  { detached, env }: Upbringing,
): Deno.ChildProcess {
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
    limit(child);
    if (!isStep()) report(STARTED, [child.pid]);
    return child;
  } catch (error) {
    print(Deno.stderr, `Cannot run ${program}: ${messageOf(error)}`);
    removeLimitGroup(limitGroup());
    Deno.exit(127);
  }
}

/**
 * Puts the program into its control group before it has done anything, so that everything it starts is in the group
 * from birth.
 */
function limit(child: Deno.ChildProcess): void {
  try {
    joinLimitGroup(limitGroup(), child.pid);
  } catch (error) {
    child.kill("SIGKILL");
    throw new Error(`its limits can't be set: ${messageOf(error)}`);
  }
}

/**
 * Whether the program is a step. The process id of a step is not reported, because all that it prints goes into a log:
 * the report would be in there, too, perhaps in the middle of a line, because the program may already print.
 */
function isStep(): boolean {
  return Deno.env.get(SUPERVISED_STEP) !== undefined;
}

function limitGroup(): string[] {
  return JSON.parse(Deno.env.get(SUPERVISED_GROUP) ?? "[]");
}

/** Removes a folder, because the process that started the supervisor may be gone and cannot do this. */
export function removeFolder(folder: string | undefined): void {
  if (folder === undefined) return;
  try {
    Deno.removeSync(folder, { recursive: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return; // someone else has removed it
    print(Deno.stderr, `Cannot remove ${folder}: ${messageOf(error)}`);
  }
}

/**
 * Waits for the program and its processes. A program that succeeds at once and leaves children behind has put itself in
 * the background, and goes on. A step is over when its program ends, and everything that it left is ended.
 */
async function untilGone(child: Deno.ChildProcess, family: ProcessFamily): Promise<void> {
  const { success } = await child.status;
  while (success && !isStep() && family.living().length > 0) {
    await REAL_TIME.sleep(BACKGROUND_POLL_MS);
  }
}

/** The number of looks: a single look may miss a process that is being adopted, because its parent has just ended. */
const LOOKS = 2;

/**
 * Sends TERM now and KILL after the grace, again and again until no living process accepts signals. Returns the
 * processes that are left some time after KILL; a halt of the machine before KILL does not shorten that time.
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

/** Reports to the process that started the supervisor, in the same pipe as the program's output. */
function report(word: string, pids: readonly number[]): void {
  print(Deno.stdout, [Deno.env.get(SUPERVISED_SIGN) ?? [], word, ...pids].flat().join(" "));
}

/** Prints a line. The reader may be gone; then standard input ends, too, so there is nothing to do here. */
function print(stream: { writeSync(bytes: Uint8Array): number }, line: string): void {
  try {
    stream.writeSync(new TextEncoder().encode(`${line}\n`));
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}
