/**
 * `results.json` on disk: saved after every run, so that at most the run in progress can be lost. Each run is turned
 * into bytes once, however often the file is written: with 450 runs of 10 s (16 MB) a save takes some 20 ms, which is
 * 0.2 % of a run.
 *
 * With thousands of runs, writing the whole file each time would add up to a terabyte. So beside a large file there is
 * a journal, to which each run is appended. The whole file is written again when the journal has grown to an eighth of
 * the file's size, and at the end.
 */
import { join } from "node:path";
import { messageOf, TargetError } from "../../base/errors.ts";
import type { Missing, Results, Run } from "./result.ts";
import { openLog, replaceFile, writeAll } from "../../base/whole_file.ts";

/** Receives the results so far, which continue to grow afterwards. */
export type OnSaved = (results: Results) => Promise<void>;

/** The smallest file that gets a journal; a smaller one is always written whole. */
const LEAST_JOURNALED_BYTES = 32_000_000;
/** When the journal exceeds this share of the file, the whole file is written again. */
const JOURNAL_SHARE = 1 / 8;

/** Name of the journal, which lies beside results.json. Its first line says which results it continues. */
export const JOURNAL = "results.journal";

/** The results that a journal continues. */
export interface JournalHead {
  readonly startedAt: string;
  /** Number of runs in results.json. */
  readonly after: number;
}

/**
 * Each further line of a journal: what was added to the results, and the new values of the fields that this changed.
 */
export interface JournalEntry extends Pick<Results, "planned" | "spent"> {
  readonly run?: unknown;
  readonly missing?: unknown;
}

export class ResultFile {
  readonly #runs: Uint8Array[];
  /** Size of the last file that was written whole. */
  #fileBytes = 0;
  #fileMissing = 0;
  /** Size of the journal; 0 without one. */
  #journalBytes = 0;

  /**
   * @param onSaved Awaited after each save; no load runs meanwhile.
   * @param leastBytes The smallest file that gets a journal.
   */
  constructor(
    private readonly dir: string,
    readonly results: Results,
    private readonly onSaved: OnSaved = async () => {},
    private readonly leastBytes = LEAST_JOURNALED_BYTES,
  ) {
    this.#runs = results.runs.map(bytesOf);
  }

  addRun(run: Run): Promise<void> {
    this.results.runs.push(run);
    this.#runs.push(bytesOf(run));
    return this.#add({ run }, this.#runs.length - 1);
  }

  /** Adds two runs that are useless without each other, and saves them together. */
  addPair(pair: readonly Run[]): Promise<void> {
    this.results.runs.push(...pair);
    this.#runs.push(...pair.map(bytesOf));
    return this.save();
  }

  addMissing(missing: Missing): Promise<void> {
    this.results.missing.push(missing);
    this.#fileMissing++;
    return this.#add({ missing }, this.#runs.length);
  }

  finish(state: "done" | "interrupted"): Promise<void> {
    this.results.state = state;
    this.results.finishedAt = new Date().toISOString();
    return this.save();
  }

  /**
   * Saves the results; after a crash, the last complete file remains. Throws a TargetError if the file can't be
   * written.
   */
  async save(): Promise<void> {
    await this.#onDisk("results.json", async (path) => {
      await Deno.mkdir(this.dir, { recursive: true });
      await replaceFile(path, (file) => this.#write(file));
      await Deno.remove(join(this.dir, JOURNAL)).catch(() => {});
    });
    this.#journalBytes = 0;
    this.#fileMissing = this.results.missing.length;
    await this.onSaved(this.results);
  }

  /** @param after Number of runs before this entry. */
  async #add(added: Omit<JournalEntry, "planned" | "spent">, after: number): Promise<void> {
    // The journal can't express that an entry of `missing` was removed, so after that the whole
    // file is written.
    const mayJournal = this.#fileBytes >= this.leastBytes &&
      this.results.missing.length === this.#fileMissing;
    if (!mayJournal) return await this.save();
    const { startedAt, planned, spent } = this.results;
    const head: JournalHead = { startedAt, after };
    const entry: JournalEntry = { planned, spent, ...added };
    const isNew = this.#journalBytes === 0;
    const lines = (isNew ? [head, entry] : [entry]).map((line) => `${JSON.stringify(line)}\n`);
    const bytes = encoder.encode(lines.join(""));
    const grownBytes = this.#journalBytes + bytes.length;
    if (grownBytes >= JOURNAL_SHARE * this.#fileBytes) return await this.save();
    await this.#onDisk(JOURNAL, async (path) => {
      if (isNew) return await replaceFile(path, (file) => writeAll(file, bytes));
      using journal = openLog(path);
      writeAll(journal, bytes);
      await journal.syncData();
    });
    this.#journalBytes = grownBytes;
    await this.onSaved(this.results);
  }

  async #onDisk(name: string, write: (path: string) => Promise<void>): Promise<void> {
    const path = join(this.dir, name);
    try {
      await write(path);
    } catch (error) {
      throw new TargetError(`Cannot write ${path}: ${messageOf(error)}`);
    }
  }

  /** Writes synchronously, which disturbs no measurement, because none is made meanwhile. */
  #write(file: Deno.FsFile): void {
    const { runs: _, ...results } = this.results;
    const head = encoder.encode(JSON.stringify(results).replace(/\}$/, `,"runs":[\n`));
    writeAll(file, head);
    this.#fileBytes = head.length;
    this.#runs.forEach((run, at) => {
      if (at > 0) writeAll(file, SEPARATOR);
      writeAll(file, run);
      this.#fileBytes += run.length;
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
