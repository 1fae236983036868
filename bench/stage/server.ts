/** Servers of the benches: started by a command, ready when they answer, stopped at the end of their scope. */
import { descendantsOf } from "../../base/system/processes.ts";
import { startTarget } from "../../targets/launchers.ts";
import { freePort } from "../../targets/launch/environment.ts";
import { LOOPBACK } from "../../base/net/listen.ts";
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
  const target = await startTarget(
    { command: [...command(port)], cwd: ".", env: { PORT: String(port) }, inherit: [], ready: "/" },
    {
      name,
      baseDir: Deno.cwd(),
      host: LOOPBACK,
      redisUrl: null,
      others: {},
      readyTimeoutMs: READY_TIMEOUT_MS,
      onNote: () => {},
      signal: new AbortController().signal,
    },
  );
  const [pid] = target.pid === null ? [] : descendantsOf(target.pid);
  return { origin: target.origin, pid, [Symbol.asyncDispose]: () => target.stop() };
}
