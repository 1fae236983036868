/**
 * Parses XML to a tree of elements with their places in the file. It knows only XML's predefined entities, and reads no
 * other files.
 */
import { type SaxesAttributeNS, SaxesParser } from "saxes";
import { messageOf, UserError } from "../../../base/errors.ts";
import { beyond, isWithin, LIMITS } from "../../../base/limits.ts";

/** A place in a file; lines and columns count from 1. */
export interface XmlPlace {
  readonly line: number;
  readonly column: number;
}

export interface XmlElement extends XmlPlace {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

interface OpenElement extends XmlElement {
  readonly children: XmlElement[];
  text: string;
}

/** Parses a file. Throws a UserError that gives the place of the problem if the text is too long or can't be parsed. */
export function xmlIn(text: string, path: string): XmlElement {
  if (!isWithin("experimentFile", text.length)) {
    const message = `Cannot read it: ${beyond("experimentFile", text.length)}`;
    throw new UserError([{ place: path, message }]);
  }
  try {
    return new XmlReader().read(text);
  } catch (error) {
    const [, line, column, why] = /^(\d+):(\d+): (.*)$/s.exec(messageOf(error)) ?? [];
    const place = line === undefined ? path : `${path}:${line}:${Number(column) + 1}`;
    const message = `Cannot read this as XML: ${why ?? messageOf(error)}`;
    throw new UserError([{ place, message }]);
  }
}

class XmlReader {
  readonly #parser = new SaxesParser({ xmlns: false });
  readonly #open: OpenElement[] = [];
  #root: XmlElement | null = null;
  #place: XmlPlace = { line: 1, column: 1 };

  read(text: string): XmlElement {
    const parser = this.#parser;
    parser.on("error", (error) => {
      throw error;
    });
    parser.on("opentagstart", ({ name }) => this.#place = placeBefore(parser, name));
    parser.on("opentag", ({ name, attributes }) => this.#begin(name, attributes));
    parser.on("text", (text) => this.#add(text));
    parser.on("cdata", (text) => this.#add(text));
    parser.on("closetag", () => {
      const closed = this.#open.pop();
      if (this.#open.length === 0) this.#root = closed ?? null;
    });
    parser.write(text).close();
    if (this.#root === null) throw new Error("it is empty");
    return this.#root;
  }

  #begin(name: string, given: Readonly<Record<string, string | SaxesAttributeNS>>): void {
    const { line, column } = this.#place;
    if (this.#open.length >= LIMITS.nesting.most) {
      throw new Error(`${line}:${column}: ${beyond("nesting", this.#open.length + 1)}`);
    }
    const attributes = Object.fromEntries(
      Object.entries(given).map(([key, value]) => [key, String(value)]),
    );
    const element: OpenElement = { name, attributes, children: [], text: "", line, column };
    this.#open.at(-1)?.children.push(element);
    this.#open.push(element);
  }

  #add(text: string): void {
    const open = this.#open.at(-1);
    if (open !== undefined) open.text += text;
  }
}

/**
 * Where an element starts. Must be called right after the parser has read the element's name and one more character. If
 * that character is a line break, the column is not known, so it is 1.
 */
function placeBefore({ line, column }: SaxesParser, name: string): XmlPlace {
  const length = name.length + 1;
  return column > length ? { line, column: column - length } : { line: line - 1, column: 1 };
}
