/** A reader who tries what a page shows: a folder of their own, `plateau` on the PATH, and a shell. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { parse as words } from "shell-quote";
import { freePort } from "../../../targets/launch/environment.ts";
import { COMMAND, emptyFolder, Plateau } from "../plateau.ts";
import type { Block, Page } from "../../pages/page.ts";

const ROOT = join(import.meta.dirname ?? "", "../../..");

/** Pages name these ports; the reader takes some that are free. */
const PORTS = /\b808[01]\b/g;
/** Pages measure for seconds; the reader is in a hurry, and takes counts, which end on any machine. */
const SHORTER: readonly (readonly [RegExp, string])[] = [
  // A stream takes as long as its messages do, however fast the machine is.
  [/(--stream [^|;]*?)-d \d+s\b/g, "$1-n 8"],
  [/-d \d+s\b/g, "-n 2000"],
  // Options of k6 have no number of requests.
  [/(?<!\bvus: \d+, )\bduration: (?:\d+s\b|"\d+s")/g, "requests: 500"],
  // Of other tools, and for a whole experiment: longer than a pause of the machine.
  [/(-d|--duration )\d+s\b/g, "$1700ms"],
];

export class Reader implements AsyncDisposable {
  readonly #folder = emptyFolder();
  readonly #started = new AsyncDisposableStack();
  readonly #ports = new Map(["8080", "8081"].map((port) => [port, `${freePort()}`]));
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
    const bin = join(this.#folder.path, "bin");
    Deno.mkdirSync(bin);
    const program = COMMAND.map((word) => `'${word}'`).join(" ");
    const script = { mode: 0o755 };
    Deno.writeTextFileSync(join(bin, "plateau"), `#!/bin/sh\nexec ${program} "$@"\n`, script);
    Deno.writeTextFileSync(
      join(bin, "deno"),
      `#!/bin/sh\nexec '${Deno.execPath()}' "$@"\n`,
      script,
    );
  }

  /** Tries the page's first example, with the files and programs that stand before it. */
  async tryOpening(): Promise<void> {
    for (const [i, block] of this.#page.blocks.entries()) {
      if (/^file: /.test(block.mark)) this.#write(block);
      if (block.mark === "start") await this.#start(block);
      if (!isExample(block)) continue;
      const printed = await this.#execute(block);
      const next = this.#page.blocks[i + 1];
      if (next?.mark === "prints") assertPrints(printed, next.text);
      return;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#started.disposeAsync();
    this.#folder[Symbol.dispose]();
  }

  #own(text: string): string {
    return SHORTER.reduce(
      (text, [long, short]) => text.replaceAll(long, short),
      text.replaceAll(PORTS, (port) => this.#ports.get(port) ?? port),
    );
  }

  #write({ mark, text }: Block): void {
    Deno.writeTextFileSync(join(this.#folder.path, mark.replace("file: ", "")), this.#own(text));
  }

  async #start({ text }: Block): Promise<void> {
    const [name, ...args] = words(this.#own(text.trim())).map(String);
    assert.equal(name, "plateau", text);
    const program = this.#started.use(new Plateau(args, { cwd: this.#folder.path }));
    await program.prints(/^listening|is ready/m);
  }

  async #execute({ text, mark }: Block): Promise<string> {
    const { path } = this.#folder;
    const { code, stdout, stderr } = await new Deno.Command("sh", {
      args: ["-euc", this.#own(text)],
      cwd: /\bin repository\b/.test(mark) ? ROOT : path,
      env: { PATH: `${join(path, "bin")}:${Deno.env.get("PATH")}`, NO_COLOR: "1" },
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    const printed = decoder.decode(stdout);
    // What is compared may be left undecided by a busy machine: `exit 0 or 5`.
    const expected = /\bexit (\d(?: or \d)*)/.exec(mark)?.[1].split(" or ") ?? ["0"];
    assert.ok(
      expected.includes(`${code}`),
      `${code}: ${text}\n${printed}\n${decoder.decode(stderr)}`,
    );
    return printed;
  }
}

export function isExample({ mark }: Block): boolean {
  return /^example\b/.test(mark);
}

/** Words of the mark behind `needs`. */
export function needsOf({ mark }: Block): string[] {
  return /\bneeds ([a-z -]+)/.exec(mark)?.[1].split(" ") ?? [];
}

/** Each label that the page shows was printed, whatever its figure is. */
function assertPrints(printed: string, shown: string): void {
  const labels = new Set(labelsOf(printed));
  assert.ok(labelsOf(shown).length > 3);
  assert.deepEqual(labelsOf(shown).filter((label) => !labels.has(label)), [], printed);
}

/** `Requests/s` of "Requests/s     118,001", `p99` of "p99              1.07". */
function labelsOf(text: string): string[] {
  return [...text.matchAll(/^([A-Za-z]\S*(?: \S+)*?) {2,}/gm)].map(([, label]) => label);
}
