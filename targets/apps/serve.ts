/** Serves one built-in app in this process, for the command `plateau serve APP`. */
import { appNames, isAppName } from "../../base/target/app_settings.ts";
import { UserError } from "../../base/errors.ts";
import { didYouMean } from "../../base/suggest.ts";
import type { App, RunningApp } from "./app.ts";
import { appNamed } from "./registry.ts";
import { settingIssues } from "../../base/target/settings.ts";
import { settlesWithin } from "../launch/settles.ts";
import { listenOn, type ListenOptions, LOOPBACK, originAt } from "../../base/net/listen.ts";
import { quotedOpenly } from "../../base/secrets.ts";

/** How long requests in flight may take to finish after the app is told to close. */
const CLOSE_MS = 1_000;

export interface ServeOptions {
  readonly app: string;
  /** The port to listen on; 0 picks a free one. */
  readonly port: number;
  /** Whether other processes may listen on the same port (Linux only); false if absent. */
  readonly shared?: boolean;
  /** The address to listen on; loopback if absent. */
  readonly host?: string;
  /** Settings as the user gave them: text from `--set key=value`, or values from a file. They are validated here. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** URL of the Redis server; null or absent if there is none. */
  readonly redisUrl?: string | null;
}

export interface ServedApp {
  /** The app's origin, `http://host:port`. */
  readonly origin: string;
  /** Resolves after the server has stopped and the app is closed. */
  readonly finished: Promise<void>;
  /** Stops the server. After 1 s, `finished` no longer waits for requests in flight. Idempotent. */
  close(): Promise<void>;
}

/**
 * Serves an app. Throws a UserError that lists all mistakes in the options, or a TargetError if it can't listen on the
 * port.
 */
export async function serveApp(options: ServeOptions): Promise<ServedApp> {
  const { app: name, port, shared, host = LOOPBACK, set = {}, redisUrl = null } = options;
  const app = checkedApp(name, set);
  const log = new LineWriter(Deno.stdout);
  const running = await app.start(app.settings.parse(set), { redisUrl, log: log.line });
  const server = listen(running, { hostname: host, port, shared });
  const late = Promise.withResolvers<void>();
  const finished = Promise.race([server.finished, late.promise]).then(async () => {
    await running.close();
    log.flush();
  });
  const close = async (): Promise<void> => {
    if (!await settlesWithin(server.shutdown(), CLOSE_MS)) late.resolve();
    await finished;
  };
  return { origin: originAt(host, server.addr.port), finished, close };
}

/** Looks up the app. Throws a UserError if the name is unknown or a setting is invalid. */
function checkedApp(name: string, set: Readonly<Record<string, unknown>>): App {
  if (!isAppName(name)) {
    const message = `Cannot serve ${quotedOpenly(name)}: the built-in apps are ${
      appNames.join(", ")
    }`;
    throw new UserError([{ place: "serve", message, fix: didYouMean(name, appNames) }]);
  }
  const app = appNamed(name);
  const issues = settingIssues(app.settings, set);
  if (issues.length === 0) return app;
  throw new UserError(issues.map(({ key, message }) => ({ place: `--set ${key}`, message })));
}

function listen(running: RunningApp, where: ListenOptions): Deno.HttpServer<Deno.NetAddr> {
  try {
    return listenOn(where, running.fetch);
  } catch (error) {
    void running.close();
    throw error;
  }
}

const MOST_CHARS = 65_536;

interface Sink {
  writeSync(bytes: Uint8Array): number;
}

/**
 * Gathers lines for about a millisecond and writes them at once, complete and in order. A slow reader slows this
 * process down, as with any program that logs to a pipe; if the reader is gone, lines are dropped.
 */
export class LineWriter {
  #sink: Sink | null;
  #waiting = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Takes a line without its line break. An arrow function, so that it can be passed as a callback. */
  readonly line = (text: string): void => {
    this.#waiting += `${text}\n`;
    if (this.#waiting.length > MOST_CHARS) return this.flush();
    this.#timer ??= setTimeout(() => this.flush(), 0);
  };

  /** Writes everything that is still buffered, and returns after the last byte. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    let bytes = new TextEncoder().encode(this.#waiting);
    this.#waiting = "";
    try {
      while (this.#sink !== null && bytes.length > 0) {
        bytes = bytes.subarray(this.#sink.writeSync(bytes));
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
      this.#sink = null;
    }
  }
}
