/**
 * `results.json` on disk: written whole after every run, so that at most the run in progress can be
 * lost. Each run is turned into bytes once, however often the file is written: with 450 runs of 10 s
 * (16 MB) a save takes some 20 ms, which is 0.2 % of a run, so there is no journal beside it.
 */
import { join } from "node:path";
import { messageOf, TargetError } from "../../base/errors.ts";
import type { Missing, Results, Run } from "./result.ts";
import { replaceFile, writeAll } from "../../base/whole_file.ts";

/** Gets the results so far, which grow on afterwards. */
export type OnSaved = (results: Results) => Promise<void>;

export class ResultFile {
  readonly #runs: Uint8Array[];

  /** @param onSaved Waited for whenever the results were saved; nothing is loaded meanwhile. */
  constructor(
    private readonly dir: string,
    readonly results: Results,
    private readonly onSaved: OnSaved = async () => {},
  ) {
    this.#runs = results.runs.map(bytesOf);
  }

  addRun(run: Run): Promise<void> {
    this.results.runs.push(run);
    this.#runs.push(bytesOf(run));
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

  /** A crash leaves the last whole one. Throws a TargetError when the disk does not take it. */
  async save(): Promise<void> {
    const path = join(this.dir, "results.json");
    try {
      await Deno.mkdir(this.dir, { recursive: true });
      await replaceFile(path, (file) => this.#write(file));
    } catch (error) {
      throw new TargetError(`Cannot write ${path}: ${messageOf(error)}`);
    }
    await this.onSaved(this.results);
  }

  /** At once, as nothing is measured meanwhile. */
  #write(file: Deno.FsFile): void {
    const { runs: _, ...head } = this.results;
    writeAll(file, encoder.encode(JSON.stringify(head).replace(/\}$/, `,"runs":[\n`)));
    this.#runs.forEach((run, at) => {
      if (at > 0) writeAll(file, SEPARATOR);
      writeAll(file, run);
    });
    writeAll(file, END);
  }
}

const encoder = new TextEncoder();
const SEPARATOR = encoder.encode(",\n");
const END = encoder.encode("\n]}\n");

function bytesOf(run: Run): Uint8Array {
  return encoder.encode(JSON.stringify(run));
}
