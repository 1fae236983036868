/**
 * Writes `commands.log` beside the results: what the commands of targets print, without secrets and within a size
 * limit. Only this user can read the file. If a command replaces the file, nothing more is logged.
 */
import { CarefulFile } from "../../base/careful_file.ts";
import { messageOf } from "../../base/errors.ts";
import { secrets } from "../../base/secrets.ts";

/**
 * The most bytes kept from the beginning of a command's output. If there are more, the output's last lines are logged,
 * too.
 */
const MOST_BYTES = 65_536;

export class CommandLog {
  readonly #kept = new Uint8Array(MOST_BYTES);
  #keptBytes = 0;
  #droppedBytes = 0;

  /** @param onProblem Receives the reason if the log can't be written. */
  constructor(
    private readonly path: string,
    title: string,
    private readonly onProblem: (text: string) => void,
  ) {
    this.#append([`$ ${title}`]);
  }

  write(bytes: Uint8Array): void {
    const part = bytes.subarray(0, MOST_BYTES - this.#keptBytes);
    this.#kept.set(part, this.#keptBytes);
    this.#keptBytes += part.length;
    this.#droppedBytes += bytes.length - part.length;
  }

  /** @param why Why the command failed; null if it succeeded. */
  end(why: string | null, lastLines: readonly string[]): void {
    const printed = new TextDecoder().decode(this.#kept.subarray(0, this.#keptBytes));
    const isCut = this.#droppedBytes > 0;
    // The cut may have split a secret, which would then not be recognised. No secret contains a
    // line break, so dropping the line that was cut is enough.
    const whole = isCut ? printed.slice(0, printed.lastIndexOf("\n") + 1) : printed;
    this.#append([
      ...whole === "" ? [] : [whole.replace(/\n$/, "")],
      ...isCut ? ["… the middle is left out; the last lines:", ...lastLines] : [],
      ...why === null ? [] : [`failed: ${why}`],
    ]);
  }

  #append(lines: readonly string[]): void {
    if (lines.length === 0) return;
    try {
      using file = CarefulFile.toAppend(this.path);
      file.append(new TextEncoder().encode(secrets.text(`${lines.join("\n")}\n`)));
    } catch (error) {
      this.onProblem(`Cannot write ${this.path}: ${messageOf(error)}`);
    }
  }
}
