/** An experiment that is interrupted and gone on with, and the folder where that happens. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Results, results } from "../../runner/result/result.ts";
import { emptyFolder, type Ended, Plateau, plateau, type Surroundings } from "./plateau.ts";

/** A folder with the experiment in it, and what is done there. */
export class Site implements Disposable {
  readonly #folder = emptyFolder();
  readonly file = this.at("long.yaml");
  readonly out = this.at("out");

  /** @param surroundings Of the programs. */
  constructor(experiment: string, private readonly surroundings: Surroundings = {}) {
    this.write("long.yaml", experiment);
  }

  at(path: string): string {
    return join(this.#folder.path, path);
  }

  write(path: string, text: string): void {
    writeFileSync(this.at(path), text);
  }

  start(...more: string[]): Plateau {
    return new Plateau(["run", this.file, "--out", this.out, ...more], this.surroundings);
  }

  resume(...more: string[]): Promise<Ended> {
    return this.resumeIn({}, ...more);
  }

  resumeIn(surroundings: Surroundings, ...more: string[]): Promise<Ended> {
    return plateau(["run", "--resume", this.out, ...more], surroundings);
  }

  /** Starts it, and ends it by `signal` when so many runs are made. */
  async interrupted(runs: number, { signal, more = [] }: Interruption): Promise<Ended> {
    await using program = this.start(...more);
    await program.until(`${runs} runs are in`, () => (this.saved()?.runs.length ?? 0) >= runs);
    program.kill(signal);
    return await program.ended;
  }

  /** What is on the disk; null before the first save. */
  saved(): Results | null {
    const file = join(this.out, "results.json");
    return existsSync(file) ? results.parse(JSON.parse(readFileSync(file, "utf8"))) : null;
  }

  /** The results, with changes. */
  edit(changes: Partial<Results>): void {
    this.write("out/results.json", JSON.stringify({ ...this.saved(), ...changes }));
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

export interface Interruption {
  readonly signal: Deno.Signal;
  readonly more?: readonly string[];
}
