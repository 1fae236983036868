/**
 * The supervisor of a foreign program: it ends the program and everything that the program has
 * started, when it is asked to (TERM) or when its own parent is gone (the end of standard input). The
 * hidden command `supervise -- PROGRAM ARGS…` does only this. Loads nothing heavy: it starts in front
 * of every program.
 *
 * It prints `started PID` and then leaves its standard output and error to the program.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../scenarios/errors.ts";
import { untilInputEnds } from "./bond.ts";
import { adoptOrphans } from "./prctl.ts";
import { descendantsOf, readStat } from "./proc.ts";

/** Between TERM and KILL. */
export const GRACE_MS = 2_000;
/** The same when nobody waits any more. */
const ORPHANED_GRACE_MS = 300;
/** KILL does not end what hangs in the kernel; we do not wait for that. */
const HOPELESS_MS = 2_000;
const POLL_MS = 20;
/** Seldom: it is watched while it is measured. */
const BACKGROUND_POLL_MS = 500;

/** Holds the program's whole environment as a JSON object; without it, ours is inherited. */
export const SUPERVISED_ENV = "PLATEAU_SUPERVISED_ENV";
/** Names a folder of the program's own, which is removed with it. */
export const SUPERVISED_FOLDER = "PLATEAU_SUPERVISED_FOLDER";
/** Names a folder that is removed unless the program succeeds. */
export const SUPERVISED_STAGE = "PLATEAU_SUPERVISED_STAGE";

const STOP_SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGTERM", "SIGINT", "SIGHUP"];

/**
 * Runs a program until it and all that it started have ended. Ends this process with the program's
 * exit code; 128 + n when signal n has ended it, as shells do.
 */
export async function supervise(command: readonly string[]): Promise<never> {
  adoptOrphans();
  const asked = Promise.withResolvers<void>();
  for (const name of STOP_SIGNALS) Deno.addSignalListener(name, asked.resolve);
  const child = startProgram(command);
  const family = familyOf(child);
  const graceMs = await Promise.race([
    asked.promise.then(() => GRACE_MS),
    untilInputEnds().then(() => ORPHANED_GRACE_MS),
    untilGone(child, family).then(() => GRACE_MS),
  ]);
  await end(family, graceMs);
  const { code } = await child.status;
  removeFolder(Deno.env.get(SUPERVISED_FOLDER));
  if (code !== 0) removeFolder(Deno.env.get(SUPERVISED_STAGE));
  Deno.exit(code);
}

function startProgram([program, ...args]: readonly string[]): Deno.ChildProcess {
  const given = Deno.env.get(SUPERVISED_ENV);
  try {
    const child = new Deno.Command(program, {
      args,
      ...given === undefined ? {} : { env: JSON.parse(given), clearEnv: true },
      stdin: "null",
      stdout: "inherit",
      stderr: "inherit",
      detached: Deno.build.os !== "linux", // elsewhere the family is the process group
    }).spawn();
    print(Deno.stdout, `started ${child.pid}`);
    return child;
  } catch (error) {
    print(Deno.stderr, `Cannot run ${program}: ${messageOf(error)}`);
    Deno.exit(127);
  }
}

/** Who started us may be gone, and can't do it. */
function removeFolder(folder: string | undefined): void {
  if (folder === undefined) return;
  try {
    Deno.removeSync(folder, { recursive: true });
  } catch (error) {
    print(Deno.stderr, `Cannot remove ${folder}: ${messageOf(error)}`);
  }
}

/** A program that succeeds at once and leaves children behind has put itself in the background: it goes on. */
async function untilGone(child: Deno.ChildProcess, family: Family): Promise<void> {
  const { success } = await child.status;
  while (success && family.isAlive()) await sleep(BACKGROUND_POLL_MS);
}

/** TERM now, KILL after the grace, again and again until nobody is left. */
async function end(family: Family, graceMs: number): Promise<void> {
  const startMs = performance.now();
  family.signal("SIGTERM");
  while (family.isAlive()) {
    const elapsedMs = performance.now() - startMs;
    if (elapsedMs > graceMs + HOPELESS_MS) return;
    if (elapsedMs > graceMs) family.signal("SIGKILL");
    await sleep(POLL_MS);
  }
}

/** The program and all that it started. */
interface Family {
  isAlive(): boolean;
  signal(name: Deno.Signal): void;
}

function familyOf(child: Deno.ChildProcess): Family {
  return Deno.build.os === "linux" ? ourDescendants() : processGroup(child);
}

/** On Linux: whoever is under this process, also what forked twice to get away, as it adopts orphans. */
function ourDescendants(): Family {
  const living = (): number[] =>
    descendantsOf(Deno.pid).filter((pid) => (readStat(pid)?.state ?? "Z") !== "Z");
  return {
    isAlive: () => living().length > 0,
    signal: (name) => living().forEach((pid) => signal(pid, name)),
  };
}

/** Elsewhere: the group that the program leads, as long as the program itself lives. */
function processGroup(child: Deno.ChildProcess): Family {
  let alive = true;
  void child.status.then(() => alive = false);
  const target = Deno.build.os === "windows" ? child.pid : -child.pid;
  return { isAlive: () => alive, signal: (name) => signal(target, name) };
}

function signal(pid: number, name: Deno.Signal): void {
  try {
    Deno.kill(pid, name);
  } catch {
    // it has ended already
  }
}

/** Nobody may be there any more to read it; then the end of standard input will tell us. */
function print(stream: { writeSync(bytes: Uint8Array): number }, line: string): void {
  try {
    stream.writeSync(new TextEncoder().encode(`${line}\n`));
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}
