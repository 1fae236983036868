/**
 * Signals, environment variables and the host name of this process. Upon Ctrl-C, Ctrl-\ or a closed terminal, the first
 * signal lets the work end in an orderly way, and a second one ends it at once. Commands that only render, compare or
 * check files run with few permissions, and must not prompt for the permissions that this file needs (docs/system.md).
 */
import { EXIT } from "../../base/errors.ts";

/**
 * Runs `work` until it ends or is interrupted by a signal (INT, TERM, QUIT, HUP). If there was a signal, the exit code
 * is that of an interruption, whatever `work` returns.
 */
export function interruptible(work: (signal: AbortSignal) => Promise<number>): Promise<number> {
  return untilSignal(async (signal) => {
    const code = await work(signal);
    return signal.aborted ? EXIT.interrupted : code;
  });
}

/**
 * Like `interruptible`, but for work that normally ends by a signal, so that the exit code is the one that `work`
 * returns.
 */
export async function untilSignal(
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const abort = new AbortController();
  const onSignal = (): void => {
    if (abort.signal.aborted) Deno.exit(EXIT.interrupted);
    abort.abort();
  };
  const goesOn = await ignoresHangUp();
  const onHangUp = (): void => goesOn ? undefined : onSignal();
  for (const name of SIGNALS) Deno.addSignalListener(name, onSignal);
  if (hasHangUp) Deno.addSignalListener("SIGHUP", onHangUp);
  if (variable(CALLED) === "1") {
    Deno.env.delete(CALLED); // hides it from processes that this one starts
    const { untilInputEnds } = await import("../../targets/launch/parent_death.ts");
    void untilInputEnds().then(onSignal);
  }
  try {
    return await work(abort.signal);
  } catch (error) {
    if (abort.signal.aborted && error === abort.signal.reason) return EXIT.interrupted;
    throw error;
  } finally {
    for (const name of SIGNALS) Deno.removeSignalListener(name, onSignal);
    if (hasHangUp) Deno.removeSignalListener("SIGHUP", onHangUp);
  }
}

/** Waits for a start that can't be aborted in an orderly way. Meanwhile, a signal ends the program immediately. */
export async function untilThere<Started>(
  start: Promise<Started>,
  signal: AbortSignal,
): Promise<Started> {
  const exit = (): never => Deno.exit(EXIT.interrupted);
  signal.addEventListener("abort", exit);
  const started = await start;
  signal.removeEventListener("abort", exit);
  return started;
}

/** Resolves when the signal aborts, immediately if it already has. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve());
  });
}

const hasHangUp = Deno.build.os !== "windows";
const SIGNALS: readonly Deno.Signal[] = hasHangUp ? ["SIGINT", "SIGTERM", "SIGQUIT"] : ["SIGINT"];

const SIGHUP = 1;

/**
 * Whether SIGHUP was ignored when the process started, as by nohup(1), so that the process should outlive the terminal.
 * Call this before Deno listens to any signal, because after that Deno also catches SIGHUP, and ends.
 */
async function ignoresHangUp(): Promise<boolean> {
  // Imported only here, because `plateau check` does not need it.
  const { OWN_STATUS, readIgnores } = await import("../../base/system/linux.ts");
  return isGranted({ name: "read", path: OWN_STATUS }) && readIgnores(SIGHUP) === true;
}

/** Set to 1 for a command that `plateau mcp` calls. The command ends in an orderly way if `plateau mcp` is gone. */
export const CALLED = "PLATEAU_CALLED";
/** Set by `plateau mcp` for the commands that it calls: the hosts that they may send load to, separated by commas. */
export const ALLOWED_HOSTS = "PLATEAU_ALLOWED_HOSTS";

/** The value of an environment variable; undefined if it is not set or this process may not read it. */
export function variable(name: string): string | undefined {
  return isGranted({ name: "env", variable: name }) ? Deno.env.get(name) : undefined;
}

/** This machine's host name; "" if this process may not read it. */
export function hostname(): string {
  return isGranted({ name: "sys", kind: "hostname" }) ? Deno.hostname() : "";
}

function isGranted(descriptor: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(descriptor).state === "granted";
}
