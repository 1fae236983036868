/** The elements of a JMeter plan: their properties, and the elements below them. */
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

  /** The kind of element, such as `HTTPSamplerProxy`. */
  get kind(): string {
    return this.xml.name;
  }

  /** The element's editor, which distinguishes some kinds. */
  get editor(): string {
    return this.xml.attributes.guiclass ?? this.text("TestElement.gui_class");
  }

  /** The name given by the author. */
  get title(): string {
    return this.xml.attributes.testname ?? this.text("TestElement.name");
  }

  /** The name of the element in messages. */
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
   * The members of a collection, such as the header fields of a manager.
   * @param within The property that holds the collection; absent: the element itself holds it.
   */
  list(name: string, within?: string): readonly PlanElement[] {
    const holder = within === undefined ? this.xml : propertyIn(this.xml, within);
    const members = holder === undefined ? [] : propertyIn(holder, name)?.children ?? [];
    return members.map((xml) => new PlanElement(xml, []));
  }

  /** Texts of a collection. */
  texts(name: string): readonly string[] {
    return (propertyIn(this.xml, name)?.children ?? []).map(({ text }) => text);
  }

  /** A property that is itself an element. */
  inner(name: string): PlanElement | null {
    const xml = propertyIn(this.xml, name);
    return xml === undefined ? null : new PlanElement(xml, []);
  }
}

function propertyIn({ children }: XmlElement, name: string): XmlElement | undefined {
  return children.find(({ attributes }) => attributes.name === name);
}

/** Whether an element is disabled: plans of version 1.1 have properties where later ones have attributes. */
function isDisabled(xml: XmlElement): boolean {
  const enabled = xml.attributes.enabled ?? propertyIn(xml, "TestElement.enabled")?.text;
  return enabled === "false";
}

/** In a tree, each element is followed by the tree of elements below it. Disabled ones are left out. */
export function elementsIn({ children }: XmlElement): PlanElement[] {
  return children.flatMap((xml, at) => {
    if (xml.name === "hashTree" || isDisabled(xml)) return [];
    const below = children[at + 1]?.name === "hashTree" ? elementsIn(children[at + 1]) : [];
    return [new PlanElement(xml, below)];
  });
}

/** Parts of a plan that would make the load differ from JMeter's, each with its place. */
export class Refusals {
  readonly #problems = new Map<string, XmlPlace & Pick<Problem, "message" | "fix">>();

  constructor(private readonly path: string) {}

  /** Repetitions at the same place count once, because several requests may share an element. */
  add({ line, column }: XmlPlace, message: string, fix?: string): void {
    const problem = { line, column, message, ...fix !== undefined && { fix } };
    this.#problems.set(`${line}:${column}: ${message}`, problem);
  }

  placeOf({ line, column }: XmlPlace): string {
    return `${this.path}:${line}:${column}`;
  }

  /** Throws a UserError with all refusals, in the order of the file. */
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
