/** Servers of the benches: started by a command, ready when they answer, stopped at the end of their scope. */
import { descendantsOf } from "../../base/system/processes.ts";
import { startTarget } from "../../targets/launchers.ts";
import { freePort } from "../../targets/launch/environment.ts";
import { selfCommand } from "../../targets/launch/child.ts";
import { LOOPBACK } from "../../base/net/listen.ts";
import { type Command, placed } from "./programs.ts";

export interface Server extends AsyncDisposable {
  readonly origin: string;
  /** The process id of the program itself. */
  readonly pid: number;
}

const READY_TIMEOUT_MS = 20_000;

/** @param command Returns, for a free port, the command that starts the server there. */
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

interface AppOptions {
  /** The app's settings. */
  readonly set?: Readonly<Record<string, string>>;
  /** Changes the app's command before it runs; by default the command is kept to the server's core. */
  readonly through?: (command: Command) => Command;
}

/** Starts a built-in app. */
export function startApp(
  name: string,
  { set = {}, through = (command) => placed("server", command) }: AppOptions = {},
): Promise<Server> {
  const settings = Object.entries(set).flatMap(([key, value]) => ["--set", `${key}=${value}`]);
  return startServer(name, (port) => {
    const [program, args] = selfCommand(["serve", name, "--port", `${port}`, ...settings]);
    return through([program, ...args]);
  });
}
