/** Converts `{{ … }}` in an Artillery script to values of a scenario, whose names are valid in Plateau. */
import { replaced } from "./format/expansion.ts";
import { DRAWN_AGAIN, drawnName, type ImportContext, valueNameOf } from "./format/format.ts";
import { unmarked } from "./format/references.ts";
import type { ArtilleryConfig, Payload } from "./artillery_script.ts";

const TEMPLATE = /\{\{\{?([^{}]*)\}?\}\}/g;
const CALL = /^\$(randomNumber|randomString)\s*\(([^()]*)\)$/;

/** The values of loop variables by their names, as text that the conversion fills in. */
export type Scope = ReadonlyMap<string, string>;

export class ArtilleryValues {
  readonly #fixed = new Map<string, string>();
  readonly #drawn = new Map<string, unknown>();
  readonly #used = new Map<string, unknown>();
  /** Names, as in Plateau, that stand for values captured by the requests so far, and no longer for variables. */
  readonly #captured = new Set<string>();

  /**
   * @param assigned Names of variables to which functions may assign other values during the run.
   * @param names Receives the names of the script's variables that Plateau does not allow, each with the name that
   * replaces it.
   */
  constructor(
    config: ArtilleryConfig,
    around: ImportContext,
    assigned: ReadonlySet<string>,
    private readonly names: Map<string, string>,
    private readonly note: (text: string) => void,
  ) {
    for (const payload of config.payload) this.#addPayload(payload, around);
    for (const [name, value] of Object.entries(config.variables)) {
      if (Array.isArray(value) || assigned.has(name)) {
        this.#drawn.set(name, { pick: [value].flat() });
      } else this.#fixed.set(name, value);
    }
    this.#fixed.set("target", config.target ?? "");
  }

  /**
   * Converts each `{{ … }}` in a text, and records the values that it uses. Throws a TooLong if the result is too long.
   */
  filled(text: string, scope: Scope): string {
    return replaced(text, TEMPLATE, (written, within) => {
      const inner = unmarked(within).trim();
      const own = valueNameOf(inner);
      const isCaptured = this.#captured.has(own);
      const fixed = scope.get(inner) ?? (isCaptured ? undefined : this.#fixed.get(inner));
      if (fixed !== undefined) return fixed;
      if (this.#drawn.has(inner)) return this.#use(inner, this.#drawn.get(inner));
      if (inner === "$uuid") return this.#draw("uuid", "uuid");
      const [, what, args] = CALL.exec(inner) ?? [];
      if (what === "randomNumber") return this.#number(args);
      if (what === "randomString") {
        this.note("random strings become UUIDs");
        return this.#draw("randomString", "uuid");
      }
      return written.replace(/^\{\{\{/, "{{").replace(/\}\}\}$/, "}}").replace(
        within.trim(),
        own,
      );
    });
  }

  /** From here on, these names of values in Plateau stand for what a request captures. */
  capture(names: readonly string[]): void {
    for (const name of names) this.#captured.add(name);
  }

  /** Ends a scenario: returns the values that it used. */
  take(): Record<string, unknown> {
    const taken = Object.fromEntries(this.#used);
    this.#used.clear();
    this.#captured.clear();
    return taken;
  }

  /** The name that the value gets in Plateau. If it differs from `name`, it is recorded in `names`. */
  nameOf(name: string): string {
    const own = valueNameOf(name);
    if (own !== name) this.names.set(name, own);
    return own;
  }

  /** Like `take`, but includes values that no text uses, because functions may use them. */
  takeAll(): Record<string, unknown> {
    for (const [name, value] of this.#drawn) {
      this.nameOf(name);
      this.#use(name, value);
    }
    return this.take();
  }

  #number(args: string): string {
    const [from, to] = args.split(",").map(Number);
    return this.#draw(`randomNumber ${from} ${to}`, { from, to });
  }

  /** Uses a random value, with a name of its own for each place in the script. */
  #draw(name: string, value: unknown): string {
    const own = drawnName(name, this.#used);
    if (own === null) this.note(DRAWN_AGAIN);
    return this.#use(own ?? name, value);
  }

  #use(name: string, value: unknown): string {
    const key = valueNameOf(name);
    this.#used.set(key, value);
    return `{{ ${key} }}`;
  }

  #addPayload(
    { path, fields, order, skipHeader, loadAll }: Payload,
    around: ImportContext,
  ): void {
    if (loadAll) {
      return this.note(`left out: ${path}, because loadAll has no counterpart in Plateau`);
    }
    const columns = columnsOf(path, around);
    const csv = around.pathOf(path);
    const sort = order === "sequence" ? "sequential" : "random";
    for (const [at, field] of (fields ?? columns).entries()) {
      const named = skipHeader || fields === undefined;
      this.#drawn.set(field, {
        csv,
        ...(named ? {} : { names: fields }),
        column: named ? columns[at] ?? field : field,
        order: sort,
      });
    }
  }
}

/** The columns in the first line of a CSV file; empty if the file can't be read, because that is reported elsewhere. */
function columnsOf(path: string, { files }: ImportContext): string[] {
  try {
    return Object.keys(files.rows(path)[0]);
  } catch {
    return [];
  }
}
