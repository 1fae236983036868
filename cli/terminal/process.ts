/**
 * This process: Ctrl-C, Ctrl-\ and a closed terminal (the first signal ends the work in order, a second one at once),
 * environment variables, and the host name. Commands that only render, compare or check files run with few permissions
 * and must not stop to request these (docs/system.md).
 */
import { EXIT } from "../../base/errors.ts";

/**
 * Does `work` until it is done or a signal (INT, TERM, QUIT, HUP) interrupts it; after a signal, the exit code is that
 * of an interruption, whatever `work` returns.
 */
export function interruptible(work: (signal: AbortSignal) => Promise<number>): Promise<number> {
  return untilSignal(async (signal) => {
    const code = await work(signal);
    return signal.aborted ? EXIT.interrupted : code;
  });
}

/** Like `interruptible`, for work that only a signal ends: the exit code is that of the work. */
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
    Deno.env.delete(CALLED); // not for the processes that this one starts
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

/** Waits for a start that can't be aborted in an orderly way: until then, a signal ends the program immediately. */
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

/** Resolves when the signal aborts, or immediately if it has. */
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
 * Whether SIGHUP was ignored at the start: a user of nohup(1) wants the process to outlive the terminal. Once Deno
 * listens to any signal, it catches SIGHUP, too, and ends, so this must be read before.
 */
async function ignoresHangUp(): Promise<boolean> {
  const { OWN_STATUS, readIgnores } = await import("../../base/system/linux.ts"); // not needed by `check`
  return isGranted({ name: "read", path: OWN_STATUS }) && readIgnores(SIGHUP) === true;
}

/** Set to 1 when `plateau mcp` calls a command, which is interrupted in an orderly way if its caller is gone. */
export const CALLED = "PLATEAU_CALLED";
/** Also set by `plateau mcp`: the hosts that the command may load, separated by commas. */
export const ALLOWED_HOSTS = "PLATEAU_ALLOWED_HOSTS";

/** The value of an environment variable; undefined if it is not set, or may not be read. */
export function variable(name: string): string | undefined {
  return isGranted({ name: "env", variable: name }) ? Deno.env.get(name) : undefined;
}

/** This machine's host name; "" if it may not be read. */
export function hostname(): string {
  return isGranted({ name: "sys", kind: "hostname" }) ? Deno.hostname() : "";
}

function isGranted(descriptor: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(descriptor).state === "granted";
}
