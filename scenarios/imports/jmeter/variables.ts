/** Replaces `${…}` in a JMeter plan by constants or by placeholders for the values of a scenario. */
import { beyond, isWithin } from "../../../base/limits.ts";
import { type ImportContext, valueNameOf } from "../format/format.ts";
import type { PlanElement, Refusals } from "./elements.ts";
import type { XmlPlace } from "./xml.ts";

const REFERENCE = /\$\{([^${}]*)\}/;
/**
 * Limit for the replacements in one text, because references may contain references, and constants may refer to each
 * other endlessly.
 */
const MOST_ROUNDS = 100;
/** JMeter's functions `__P(name,default)` and `__property(name,variable,default)`. */
const PROPERTY = /^__(?:P\(([^,()]*)|property\(([^,()]*),[^,()]*),([^,()]*)\)$/;
const UUID = /^__UUID(?:\(\))?$/;
const RANDOM = /^__Random\((-?\d+),(-?\d+)(?:,)?\)$/;
/** Begins a placeholder in Plateau. */
const OUR_VALUE = "{{";

/** A column of a CSV file, in the form that a scenario's `values` have. */
interface FileColumn {
  readonly csv: string;
  readonly column: string;
  readonly names?: readonly string[];
}

export class PlanVariables {
  readonly #constants = new Map<string, string>();
  /** Columns of the files that are defined outside of thread groups, by the name of the variable. */
  readonly #planRows = new Map<string, FileColumn>();
  #rows = this.#planRows;
  /** Files from which earlier thread groups have taken rows. */
  readonly #begun = new Set<string>();
  readonly #used = new Map<string, unknown>();
  /** Number of loops with more than one round that enclose the element that is being read. */
  #loops = 0;

  constructor(
    private readonly refusals: Refusals,
    private readonly around: Pick<ImportContext, "files" | "pathOf">,
    private readonly note: (text: string) => void,
  ) {}

  /** Whether any variables come from a file, which gives each iteration a new row. */
  get hasFiles(): boolean {
    return this.#rows.size > 0;
  }

  /** Begins a thread group, to which all CSV columns and values belong until this is called again. */
  beginGroup(): void {
    this.#rows = new Map(this.#planRows);
    this.#used.clear();
  }

  /**
   * Ends a thread group, and marks all its files as begun, because each iteration takes a row of every file, whether or
   * not a request uses it.
   */
  endGroup(): void {
    for (const { csv } of this.#rows.values()) this.#begun.add(csv);
  }

  /**
   * Calls `read` to read the body of a loop with this many rounds. If there are several rounds, random values in the
   * body are refused, because JMeter draws them anew in each round.
   */
  inLoop(rounds: number, read: () => void): void {
    const loops = rounds > 1 ? 1 : 0;
    this.#loops += loops;
    read();
    this.#loops -= loops;
  }

  /** Defines user-defined variables, which come from the test plan or from a User Defined Variables element. */
  define(pairs: readonly PlanElement[]): void {
    for (const pair of pairs) {
      this.#constants.set(pair.text("Argument.name"), pair.text("Argument.value"));
    }
  }

  /** Defines a variable for each column of a CSV Data Set Config. */
  defineRows(element: PlanElement): void {
    const delimiter = element.text("delimiter");
    const share = element.text("shareMode");
    const refuse = (why: string): void =>
      this.refusals.add(element, `Cannot convert ${element.called}: ${why}`);
    if (delimiter !== "," && delimiter !== "") refuse("its fields are not separated by commas");
    if (share !== "" && share !== "shareMode.all") refuse("not all threads share its rows");
    if (!element.is("recycle")) {
      refuse("it stops at the end of its file, but in Plateau the rows start over");
    }
    const path = element.text("filename");
    const csv = this.around.pathOf(path);
    const columns = this.#columnsOf(path);
    const given = element.text("variableNames").split(",").map((name) => name.trim());
    const names = given.join("") === "" ? columns : given;
    const skipsFirst = given.join("") === "" || element.is("ignoreFirstLine");
    for (const [at, name] of names.entries()) {
      const how = skipsFirst ? { column: columns[at] ?? name } : { names, column: name };
      this.#rows.set(name, { csv, ...how });
    }
  }

  #columnsOf(path: string): readonly string[] {
    try {
      return Object.keys(this.around.files.rows(path)[0]);
    } catch {
      return []; // an unreadable file is reported when the scenario's values are read
    }
  }

  /** The text, with each `${…}` replaced by a constant or a placeholder. */
  filled(text: string, place: XmlPlace): string {
    if (text.includes(OUR_VALUE)) {
      this.refusals.add(
        place,
        "Cannot convert a text that holds {{, which begins a placeholder in Plateau",
      );
    }
    let filled = text;
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const [whole, inner] = REFERENCE.exec(filled) ?? [];
      if (whole === undefined) return filled;
      filled = filled.replace(whole, () => this.#meaning(inner.trim(), whole, place));
      if (isWithin("importedText", filled.length)) continue;
      this.#refuse(text, beyond("importedText", filled.length), place);
      return "";
    }
    this.#refuse(text, "it refers to too many variables", place);
    return "";
  }

  /**
   * The text with constants filled in, for uses that can't change during the load, such as a number of threads or an
   * address. Refuses placeholders.
   */
  constant(text: string, place: XmlPlace): string {
    const filled = this.filled(text, place);
    if (!filled.includes(OUR_VALUE)) return filled;
    this.#refuse(text, "it changes from row to row", place);
    return "";
  }

  /**
   * The replacement for `${inner}`. A column of a file takes precedence over a constant of the same name, because
   * JMeter reads the row after it defines the constants.
   */
  #meaning(inner: string, written: string, place: XmlPlace): string {
    const value = this.#rows.get(inner);
    if (value !== undefined) return this.#row(inner, value, written, place);
    const constant = this.#constants.get(inner);
    if (constant !== undefined) return this.#defined(constant, written, place);
    const [, short, long, otherwise] = PROPERTY.exec(inner) ?? [];
    if (otherwise !== undefined) {
      this.note(
        `the property ${short ?? long} is replaced by its default, ${otherwise || "an empty text"}`,
      );
      return otherwise;
    }
    if (UUID.test(inner)) return this.#draw("uuid", "uuid", written, place);
    const [, from, to] = RANDOM.exec(inner) ?? [];
    if (from !== undefined) {
      const value = { from: Number(from), to: Number(to) };
      return this.#draw(`random_${from}_${to}`, value, written, place);
    }
    this.#refuse(written, "its value is not known", place);
    return "";
  }

  /**
   * A placeholder for a column. Refuses a file that an earlier thread group has used, because in JMeter all threads
   * share it and continue with the remaining rows.
   */
  #row(name: string, column: FileColumn, written: string, place: XmlPlace): string {
    if (this.#begun.has(column.csv)) {
      const why = "JMeter continues in the file where the previous thread group stopped, " +
        "but in Plateau each thread group begins with the first row";
      this.#refuse(written, why, place, "give each thread group a file of its own");
    }
    return this.#use(name, column);
  }

  #defined(constant: string, written: string, place: XmlPlace): string {
    if (/\$\{\s*__(?:UUID|Random)\b/.test(constant)) {
      this.#refuse(
        written,
        "JMeter draws this value once, but in Plateau each virtual user has a value of its own",
        place,
      );
    }
    return constant;
  }

  #refuse(written: string, why: string, place: XmlPlace, fix?: string): void {
    this.refusals.add(place, `Cannot convert ${written.slice(0, 60)}: ${why}`, fix);
  }

  /** A placeholder for a random value; each occurrence gets a value of its own. */
  #draw(name: string, value: unknown, written: string, place: XmlPlace): string {
    if (this.#loops > 0) {
      const why =
        "JMeter draws this value in each loop, but in Plateau a virtual user has one value for all loops";
      this.#refuse(written, why, place, "write 1 loop");
    }
    return this.#use(`${name}_${this.#used.size + 1}`, value);
  }

  #use(name: string, value: unknown): string {
    const key = valueNameOf(name);
    this.#used.set(key, value);
    return `{{ ${key} }}`;
  }

  /** The values that the placeholders of the current thread group stand for. */
  used(): Record<string, unknown> {
    return Object.fromEntries(this.#used);
  }
}
