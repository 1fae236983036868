/** A client of `plateau mcp`, and an experiment for it that goes on until it is ended. */
import { until } from "./patience.ts";
import { COMMAND } from "./plateau.ts";
import { descendants } from "./processes.ts";

const [PROGRAM, ...FIRST] = COMMAND;

/** A client that only writes and reads lines. */
export class Lines implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #read: Promise<void>;
  #text = "";

  constructor(args: readonly string[], cwd?: string) {
    this.#child = new Deno.Command(PROGRAM, {
      args: FIRST.concat(["mcp", ...args]),
      cwd,
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    this.#read = this.#readAll(this.#child.stdout);
  }

  async #readAll(stream: Deno.ChildProcess["stdout"]): Promise<void> {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) this.#text += text;
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Messages so far. */
  get messages(): Readonly<Record<string, unknown>>[] {
    return this.#text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
  }

  async call(id: number, name: string, input: object): Promise<void> {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      progressToken: id,
    };
    await this.send({ id, method: "tools/call", params: { _meta, name, arguments: input } });
  }

  async send(message: object): Promise<void> {
    const line = `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
    await this.#input.write(new TextEncoder().encode(line));
  }

  answer(id: number): Promise<Readonly<Record<string, unknown>>> {
    return until(
      `request ${id} is answered`,
      () => this.messages.find((message) => message.id === id) ?? null,
    );
  }

  /** Closes its input; the exit code. */
  async close(): Promise<number> {
    await this.#input.close();
    return (await this.#child.status).code;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.kill();
    } catch {
      // it has ended
    }
    await this.#input.close().catch(() => {});
    await this.#child.status;
    await this.#read;
  }
}

/** Of this process alone: others may run the same tests. */
const SLEEP = `sleep 61.${Deno.pid}`;

/** An experiment that goes on for a minute unless it is ended, on a server of its own. */
export const LONG = `name: long
targets: { app: { command: [sh, -c, "exec ${SLEEP} & exec ${PROGRAM} ${
  FIRST.join(" ")
} serve api --port $PORT"] } }
scenarios: { s: { get: /static } }
load: { connections: 1, duration: 60s }
repeat: 1
`;

/** "" where there are no results. */
export function stateOf(results: string): string {
  try {
    return JSON.parse(Deno.readTextFileSync(results)).state;
  } catch {
    return "";
  }
}

export function sleepers(): { readonly pid: number }[] {
  return descendants(1).filter(({ command }) => command.startsWith(SLEEP));
}
