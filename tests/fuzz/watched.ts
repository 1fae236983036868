/** One decoder for some time: a process that is started again from the next input whenever it dies or is ended. */
import { fileURLToPath } from "node:url";
import type { FoundLine } from "./child.ts";

const MOST_BYTES = 700_000_000;
const HEAP_MB = 400;
/** For one input; long, as a machine may halt. */
const MOST_MS = 10_000;
/** Until the first, as a process loads its decoder; on a busy machine that takes long. */
const MOST_START_MS = 120_000;
const LOOK_MS = 100;
/** Of one decoder; more say no more. */
const MOST_FINDINGS = 10;

export interface Watched {
  readonly inputs: number;
  readonly findings: readonly FoundLine[];
}

export async function watch(name: string, first: number, forMs: number): Promise<Watched> {
  const end = Date.now() + forMs;
  const findings = new Map<string, FoundLine>();
  let seed = first;
  while (Date.now() < end && findings.size < MOST_FINDINGS) {
    const child = new Child(name, seed);
    const killed = await child.run(end);
    for (const found of child.found) findings.set(kindOf(found.why), found);
    seed = child.at + 1;
    if (killed !== null) findings.set(killed, { seed: child.at, why: killed });
  }
  return { inputs: seed - first, findings: [...findings.values()] };
}

/** The same defect is found again and again. */
function kindOf(why: string): string {
  return why.split("\n").slice(0, 2).join("\n").replaceAll(/\d+/g, "0").slice(0, 300);
}

class Child {
  readonly found: FoundLine[] = [];
  readonly #process: Deno.ChildProcess;
  readonly #progressPath = Deno.makeTempFileSync({ prefix: "plateau-fuzz-" });
  #isOver = false;

  constructor(name: string, private readonly first: number) {
    const program = fileURLToPath(new URL("child.ts", import.meta.url));
    const flags = ["run", "-A", "--no-check", `--v8-flags=--max-old-space-size=${HEAP_MB}`];
    this.#process = new Deno.Command(Deno.execPath(), {
      args: [...flags, program, name, `${first}`, this.#progressPath],
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  }

  /** The input at hand, or the one before the first. */
  get at(): number {
    const bytes = Deno.readFileSync(this.#progressPath);
    return bytes.length < 8 ? this.first - 1 : new Float64Array(bytes.buffer)[0];
  }

  /** Resolves with why it ended too early, or null at the end of its time. */
  async run(end: number): Promise<string | null> {
    const ended = this.#process.output().finally(() => this.#isOver = true);
    const killed = await this.#guard(end);
    if (!this.#isOver) this.#process.kill("SIGKILL");
    const { stdout, stderr, code } = await ended;
    const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
    this.found.push(...text(stdout).split("\n").filter(Boolean).map((line) => JSON.parse(line)));
    if (killed === undefined) return `it died with code ${code}: ${text(stderr).slice(-2_000)}`;
    return killed;
  }

  /** Why it must be killed; undefined when it is over already. */
  async #guard(end: number): Promise<string | null | undefined> {
    let seen = { at: NaN, since: Date.now() };
    while (!this.#isOver) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      const at = this.at;
      if (at !== seen.at) seen = { at, since: Date.now() };
      const mostMs = at < this.first ? MOST_START_MS : MOST_MS;
      if (Date.now() - seen.since > mostMs) return `it takes more than ${mostMs} ms`;
      if (this.#bytes() > MOST_BYTES) return `it takes more than ${MOST_BYTES} bytes`;
      if (Date.now() > end) return null;
    }
  }

  #bytes(): number {
    try {
      const status = Deno.readTextFileSync(`/proc/${this.#process.pid}/status`);
      return 1_024 * Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
    } catch {
      return 0;
    }
  }
}
