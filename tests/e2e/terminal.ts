/** A program in a terminal of its own, by tmux. */
import { pause, until } from "./patience.ts";

/** Between two looks at the screen, each of which starts a program. */
const LOOK_MS = 50;

export class Terminal implements AsyncDisposable {
  readonly #socket = `plateau-test-${crypto.randomUUID()}`;
  readonly #started: Promise<string>;

  /** @param env Its whole environment, besides what tmux sets. */
  constructor(command: readonly string[], env: Readonly<Record<string, string>>) {
    const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const size = ["-x", "200", "-y", "50"];
    const kept = ["env", "-i", "TERM=screen", ...settings, ...command].map(quoted).join(" ");
    this.#started = this.#tmux("new-session", "-d", ...size, `${kept}; exec sleep 600`);
  }

  /**
   * The screen, as soon as it shows `pattern`: where it is asked for with its styles as escapes, or below what
   * has left it at the top.
   */
  async shows(pattern: RegExp, { styles = false, past = false } = {}): Promise<string> {
    await this.#started;
    const options = [...(styles ? ["-e"] : []), ...(past ? ["-S", "-"] : [])];
    let screen = "";
    return await until(() => `the terminal shows ${pattern}: ${screen}`, async () => {
      await pause(LOOK_MS);
      screen = await this.#tmux("capture-pane", "-p", ...options);
      return pattern.test(screen) && screen;
    });
  }

  /** Types a line. */
  async type(line: string): Promise<void> {
    if (line !== "") await this.#tmux("send-keys", "-l", line);
    await this.#tmux("send-keys", "Enter");
  }

  /** @param key As tmux names it: `C-c`. */
  async press(key: string): Promise<void> {
    await this.#tmux("send-keys", key);
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#tmux("resize-window", "-x", `${columns}`, "-y", `${rows}`);
  }

  async isCursorShown(): Promise<boolean> {
    return (await this.#tmux("display-message", "-p", "#{cursor_flag}")).trim() === "1";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tmux("kill-server");
  }

  async #tmux(...args: string[]): Promise<string> {
    const { success, stdout, stderr } = await new Deno.Command("tmux", {
      args: ["-L", this.#socket, ...args],
    }).output();
    const decoder = new TextDecoder();
    if (!success) throw new Error(`tmux ${args.join(" ")}: ${decoder.decode(stderr)}`);
    return decoder.decode(stdout);
  }
}

/** One word of a shell's command line. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
