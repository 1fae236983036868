/** Servers of the benches: started by a command, ready when they answer, stopped at the end of their scope. */
import { commandLauncher } from "../../targets/launch/command.ts";
import { descendantsOf } from "../../targets/launch/proc.ts";
import { freePort } from "../../targets/launch/surroundings.ts";
import type { Command } from "./programs.ts";

export interface Server extends AsyncDisposable {
  readonly origin: string;
  /** Of the program itself. */
  readonly pid: number;
}

const READY_TIMEOUT_MS = 20_000;

/** @param command Given a free port, what starts it there. */
export async function startServer(
  name: string,
  command: (port: number) => Command,
): Promise<Server> {
  const port = freePort();
  const target = await commandLauncher.start(
    { command: [...command(port)], cwd: ".", env: { PORT: String(port) }, ready: "/" },
    {
      name,
      baseDir: Deno.cwd(),
      redisUrl: null,
      readyTimeoutMs: READY_TIMEOUT_MS,
      signal: new AbortController().signal,
    },
  );
  const [pid] = target.pid === null ? [] : descendantsOf(target.pid);
  return { origin: target.origin, pid, [Symbol.asyncDispose]: () => target.stop() };
}
