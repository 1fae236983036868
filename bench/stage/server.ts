/** Servers for benches. A command starts them, they are ready when they answer, and disposing of them stops them. */
import { descendantsOf } from "../../base/system/processes.ts";
import { startTarget } from "../../targets/launchers.ts";
import { freePort } from "../../targets/launch/environment.ts";
import { selfCommand } from "../../targets/launch/child.ts";
import { LOOPBACK } from "../../base/net/listen.ts";
import { type Command, placed } from "./programs.ts";

export interface Server extends AsyncDisposable {
  readonly origin: string;
  /** The process id of the server program itself. */
  readonly pid: number;
}

const READY_TIMEOUT_MS = 20_000;

/** @param command Returns the command that starts the server on the given free port. */
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
  /** The app's settings, as for `--set`. */
  readonly set?: Readonly<Record<string, string>>;
  /** Changes the app's command before it runs. By default, the command is restricted to the server's core. */
  readonly through?: (command: Command) => Command;
}

/** Starts a built-in app of Plateau. */
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
