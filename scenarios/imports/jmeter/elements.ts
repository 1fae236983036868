/** The elements of a JMeter plan, with their properties and the elements below them. */
import { type Problem, UserError } from "../../../base/errors.ts";
import type { XmlElement, XmlPlace } from "./xml.ts";

export class PlanElement implements XmlPlace {
  constructor(private readonly xml: XmlElement, readonly children: readonly PlanElement[]) {}

  get line(): number {
    return this.xml.line;
  }

  get column(): number {
    return this.xml.column;
  }

  /** The kind of element, such as `HTTPSamplerProxy`, which is the name of the XML element. */
  get kind(): string {
    return this.xml.name;
  }

  /** Name of JMeter's GUI class for the element, which tells apart some elements of the same kind. */
  get editor(): string {
    return this.xml.attributes.guiclass ?? this.text("TestElement.gui_class");
  }

  /** The name that the author gave the element; "" for none. */
  get title(): string {
    return this.xml.attributes.testname ?? this.text("TestElement.name");
  }

  /** Kind and title of the element, for messages. */
  get called(): string {
    return this.title === "" ? this.kind : `${this.kind} "${this.title}"`;
  }

  /** A property as text; "" if missing. */
  text(name: string): string {
    return propertyIn(this.xml, name)?.text ?? "";
  }

  has(name: string): boolean {
    return propertyIn(this.xml, name) !== undefined;
  }

  is(name: string): boolean {
    return this.text(name).trim() === "true";
  }

  /**
   * The members of the collection `name`, such as the header fields of a header manager.
   * @param within The property that contains the collection; if absent, the element itself contains it.
   */
  list(name: string, within?: string): readonly PlanElement[] {
    const holder = within === undefined ? this.xml : propertyIn(this.xml, within);
    const members = holder === undefined ? [] : propertyIn(holder, name)?.children ?? [];
    return members.map((xml) => new PlanElement(xml, []));
  }

  /** The texts of the members of the collection `name`. */
  texts(name: string): readonly string[] {
    return (propertyIn(this.xml, name)?.children ?? []).map(({ text }) => text);
  }

  /** A property that is itself an element; null if missing. */
  inner(name: string): PlanElement | null {
    const xml = propertyIn(this.xml, name);
    return xml === undefined ? null : new PlanElement(xml, []);
  }
}

function propertyIn({ children }: XmlElement, name: string): XmlElement | undefined {
  return children.find(({ attributes }) => attributes.name === name);
}

/** Whether the element is disabled. Plans of version 1.1 say so in a property, later ones in an attribute. */
function isDisabled(xml: XmlElement): boolean {
  const enabled = xml.attributes.enabled ?? propertyIn(xml, "TestElement.enabled")?.text;
  return enabled === "false";
}

/** The elements in a `hashTree`, without disabled ones. A `hashTree` after an element holds the elements below it. */
export function elementsIn({ children }: XmlElement): PlanElement[] {
  return children.flatMap((xml, at) => {
    if (xml.name === "hashTree" || isDisabled(xml)) return [];
    const below = children[at + 1]?.name === "hashTree" ? elementsIn(children[at + 1]) : [];
    return [new PlanElement(xml, below)];
  });
}

/** Collects the parts of a plan that would make the load differ from JMeter's, each with its place in the file. */
export class Refusals {
  readonly #problems = new Map<string, XmlPlace & Pick<Problem, "message" | "fix">>();

  constructor(private readonly path: string) {}

  /**
   * Adds a refusal. The same message at the same place is kept only once, because several requests may share an
   * element.
   */
  add({ line, column }: XmlPlace, message: string, fix?: string): void {
    const problem = { line, column, message, ...fix !== undefined && { fix } };
    this.#problems.set(`${line}:${column}: ${message}`, problem);
  }

  placeOf({ line, column }: XmlPlace): string {
    return `${this.path}:${line}:${column}`;
  }

  /** Throws a UserError with all refusals, in the order of the file, if there are any. */
  throwAll(): void {
    if (this.#problems.size === 0) return;
    const inOrder = [...this.#problems.values()]
      .toSorted((a, b) => a.line - b.line || a.column - b.column);
    throw new UserError(inOrder.map(({ line, column, ...problem }) => ({
      place: this.placeOf({ line, column }),
      ...problem,
    })));
  }
}
