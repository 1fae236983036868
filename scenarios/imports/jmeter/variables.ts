/** What `${…}` of a JMeter plan stands for → constants, and values of a scenario here. */
import { type ImportContext, valueNameOf } from "../format/format.ts";
import type { PlanElement, Refusals } from "./elements.ts";
import type { XmlPlace } from "./xml.ts";

const REFERENCE = /\$\{([^${}]*)\}/;
/** References within references, and constants that name others. */
const MOST_ROUNDS = 100;
const PROPERTY = /^__(?:P|property)\(([^,()]*)(?:,([^()]*))?\)$/;
const RANDOM = /^__Random\((-?\d+),(-?\d+)(?:,)?\)$/;
/** What begins a value here. */
const OUR_VALUE = "{{";

export class PlanVariables {
  readonly #constants = new Map<string, string>();
  readonly #values = new Map<string, unknown>();
  readonly #used = new Map<string, unknown>();
  /** Whether a file has values: a new row each iteration. */
  hasFiles = false;

  constructor(
    private readonly refusals: Refusals,
    private readonly around: Pick<ImportContext, "files" | "pathOf">,
    private readonly note: (text: string) => void,
  ) {}

  /** User-defined variables, of the plan or of an element of their own. */
  define(pairs: readonly PlanElement[]): void {
    for (const pair of pairs) {
      this.#constants.set(pair.text("Argument.name"), pair.text("Argument.value"));
    }
  }

  /** A CSV Data Set Config. */
  defineRows(element: PlanElement): void {
    const delimiter = element.text("delimiter");
    const share = element.text("shareMode");
    const refuse = (why: string): void =>
      this.refusals.add(element, `Cannot take over ${element.called}: ${why}`);
    if (delimiter !== "," && delimiter !== "") refuse("its fields are not separated by commas");
    if (share !== "" && share !== "shareMode.all") refuse("its rows are not shared by all threads");
    if (!element.is("recycle")) refuse("it ends at the end of its file, and here rows begin again");
    this.hasFiles = true;
    const path = element.text("filename");
    const csv = this.around.pathOf(path);
    const columns = this.#columnsOf(path);
    const given = element.text("variableNames").split(",").map((name) => name.trim());
    const names = given.join("") === "" ? columns : given;
    const skipsFirst = given.join("") === "" || element.is("ignoreFirstLine");
    for (const [at, name] of names.entries()) {
      const how = skipsFirst ? { column: columns[at] ?? name } : { names, column: name };
      this.#values.set(name, { csv, ...how });
    }
  }

  #columnsOf(path: string): readonly string[] {
    try {
      return Object.keys(this.around.files.rows(path)[0]);
    } catch {
      return []; // a problem of the values
    }
  }

  /** With constants in their places, and values by their names here. */
  filled(text: string, place: XmlPlace): string {
    if (text.includes(OUR_VALUE)) {
      this.refusals.add(place, "Cannot take over a text with {{, which begins a value here");
    }
    let filled = text;
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const [whole, inner] = REFERENCE.exec(filled) ?? [];
      if (whole === undefined) return filled;
      filled = filled.replace(whole, () => this.#meaning(inner.trim(), whole, place));
    }
    this.refusals.add(place, `Cannot take over ${text.slice(0, 60)}: it names too many variables`);
    return "";
  }

  /** A text without values of a scenario: a number of threads, an address. */
  constant(text: string, place: XmlPlace): string {
    const filled = this.filled(text, place);
    if (!filled.includes(OUR_VALUE)) return filled;
    this.refusals.add(place, `Cannot take over ${text.slice(0, 60)}: it changes from row to row`);
    return "";
  }

  #meaning(inner: string, written: string, place: XmlPlace): string {
    const constant = this.#constants.get(inner);
    if (constant !== undefined) return constant;
    const value = this.#values.get(inner);
    if (value !== undefined) return this.#use(inner, value);
    const [, property, otherwise] = PROPERTY.exec(inner) ?? [];
    if (property !== undefined && otherwise !== undefined) {
      this.note(`the property ${property} has its default, ${otherwise}`);
      return otherwise;
    }
    if (/^__UUID(?:\(\))?$/.test(inner)) return this.#draw("uuid", "uuid");
    const [, from, to] = RANDOM.exec(inner) ?? [];
    if (from !== undefined) {
      return this.#draw(`random_${from}_${to}`, { from: Number(from), to: Number(to) });
    }
    this.refusals.add(
      place,
      `Cannot take over ${written.slice(0, 60)}: nothing here says its value`,
    );
    return "";
  }

  /** Each place draws for itself. */
  #draw(name: string, value: unknown): string {
    return this.#use(`${name}_${this.#used.size + 1}`, value);
  }

  #use(name: string, value: unknown): string {
    const key = valueNameOf(name);
    this.#used.set(key, value);
    return `{{ ${key} }}`;
  }

  /** The values that what was filled since the last call needs. */
  take(): Record<string, unknown> {
    const taken = Object.fromEntries(this.#used);
    this.#used.clear();
    return taken;
  }
}
