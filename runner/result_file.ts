/**
 * `results.json` on disk: written whole after every run, so that at most the run in progress can be
 * lost. Each run is turned into text once, however often the file is written.
 */
import { join } from "node:path";
import type { Missing, Results, Run } from "./result.ts";

export class ResultFile {
  readonly #runs: string[] = [];

  constructor(private readonly dir: string, readonly results: Results) {}

  addRun(run: Run): Promise<void> {
    this.results.runs.push(run);
    this.#runs.push(JSON.stringify(run));
    return this.save();
  }

  addMissing(missing: Missing): Promise<void> {
    this.results.missing.push(missing);
    return this.save();
  }

  finish(state: "done" | "interrupted"): Promise<void> {
    this.results.state = state;
    this.results.finishedAt = new Date().toISOString();
    return this.save();
  }

  /** Writes beside the file and renames, so that a crash leaves the last whole one. */
  async save(): Promise<void> {
    await Deno.mkdir(this.dir, { recursive: true });
    const path = join(this.dir, "results.json");
    const { runs: _, ...head } = this.results;
    const text = JSON.stringify(head).replace(/\}$/, `,"runs":[\n${this.#runs.join(",\n")}\n]}\n`);
    await Deno.writeTextFile(`${path}.part`, text);
    await Deno.rename(`${path}.part`, path);
  }
}
