/** The elements of a JMeter plan: what each is set to, and what hangs below it. */
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

  /** Such as `HTTPSamplerProxy`. */
  get kind(): string {
    return this.xml.name;
  }

  /** Which of its editors it has, by which some kinds differ. */
  get editor(): string {
    return this.xml.attributes.guiclass ?? this.text("TestElement.gui_class");
  }

  /** As its author called it. */
  get title(): string {
    return this.xml.attributes.testname ?? this.text("TestElement.name");
  }

  /** For messages. */
  get called(): string {
    return this.title === "" ? this.kind : `${this.kind} "${this.title}"`;
  }

  /** A property as text, "" where it is not there. */
  text(name: string): string {
    return propertyIn(this.xml, name)?.text ?? "";
  }

  has(name: string): boolean {
    return propertyIn(this.xml, name) !== undefined;
  }

  is(name: string): boolean {
    return this.text(name).trim() === "true";
  }

  /** The members of a collection, such as the header fields of a manager; of another element below it by `within`. */
  list(name: string, within?: string): readonly PlanElement[] {
    const holder = within === undefined ? this.xml : propertyIn(this.xml, within);
    const members = holder === undefined ? [] : propertyIn(holder, name)?.children ?? [];
    return members.map((xml) => new PlanElement(xml, []));
  }

  /** Texts of a collection. */
  texts(name: string): readonly string[] {
    return (propertyIn(this.xml, name)?.children ?? []).map(({ text }) => text);
  }

  /** A property that is an element itself. */
  inner(name: string): PlanElement | null {
    const xml = propertyIn(this.xml, name);
    return xml === undefined ? null : new PlanElement(xml, []);
  }
}

function propertyIn({ children }: XmlElement, name: string): XmlElement | undefined {
  return children.find(({ attributes }) => attributes.name === name);
}

/** Plans of version 1.1 have as properties what later ones have as attributes. */
function isDisabled(xml: XmlElement): boolean {
  const enabled = xml.attributes.enabled ?? propertyIn(xml, "TestElement.enabled")?.text;
  return enabled === "false";
}

/** In a tree each element is followed by the tree of what hangs below it. Those that are disabled are left out. */
export function elementsIn({ children }: XmlElement): PlanElement[] {
  return children.flatMap((xml, at) => {
    if (xml.name === "hashTree" || isDisabled(xml)) return [];
    const below = children[at + 1]?.name === "hashTree" ? elementsIn(children[at + 1]) : [];
    return [new PlanElement(xml, below)];
  });
}

/** What of a plan would make another load here than there, each at its place. */
export class Refusals {
  readonly #problems = new Map<string, XmlPlace & Pick<Problem, "message" | "fix">>();

  constructor(private readonly path: string) {}

  /** The same at the same place counts once: several requests may share an element. */
  add({ line, column }: XmlPlace, message: string, fix?: string): void {
    const problem = { line, column, message, ...fix !== undefined && { fix } };
    this.#problems.set(`${line}:${column}: ${message}`, problem);
  }

  placeOf({ line, column }: XmlPlace): string {
    return `${this.path}:${line}:${column}`;
  }

  /** Throws a UserError with all of them, in the order of the file. */
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
