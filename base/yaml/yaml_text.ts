/** Reads YAML, and therefore JSON, and knows the place of every value in the text. */
import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  type Scalar,
  visit,
} from "yaml";
import { messageOf, type Problem, UserError } from "../errors.ts";
import { firstOfEachLine, plainWords } from "./mistakes.ts";
import { isNestedTooDeep } from "./json_text.ts";
import { beyond, isWithin, type LimitName, oneMoreThan } from "../limits.ts";
import type { PathProblem } from "../problems.ts";
import type { Secrets } from "../secrets.ts";

const TOO_DEEP = beyond("nesting", oneMoreThan("nesting"));

export class YamlText {
  readonly data: unknown;
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed;

  /** Throws a UserError with every syntax error in `text`. @param file Name of the file in messages. */
  constructor(private readonly text: string, private readonly file: string) {
    const documents = this.#parsed(text);
    [this.#document] = documents;
    const mistakes = [...this.#mistakes(documents)];
    if (mistakes.length > 0) throw new UserError(mistakes);
    this.data = this.#resolved();
  }

  /**
   * The first document, and a second one if there is any. Throws a UserError if the text is too large, or exhausts the
   * stack of the library, which parses nested indentation recursively.
   */
  #parsed(text: string): readonly Document.Parsed[] {
    const composer = new Composer({
      lineCounter: this.#lines,
      prettyErrors: false,
      stringKeys: true,
      merge: true,
      uniqueKeys: false,
    });
    const documents: Document.Parsed[] = [];
    try {
      for (const document of composer.compose(tokensOf(text, this.#lines), true, text.length)) {
        documents.push(document);
        if (documents.length > 1) break;
      }
      return documents;
    } catch (error) {
      if (error instanceof TooMuch) throw new UserError([this.#unreadable(0, error.message)]);
      if (!(error instanceof RangeError)) throw error;
      throw new UserError([this.#unreadable(0, TOO_DEEP)]);
    }
  }

  /** Problems of a text that is not valid YAML. */
  *#mistakes([{ errors }, another]: readonly Document.Parsed[]): Generator<Problem> {
    // The library may also report an exhausted stack as a mistake.
    if (errors.some(({ message }) => message.startsWith("Maximum call stack"))) {
      return yield this.#unreadable(0, TOO_DEEP);
    }
    const told = errors.map(({ code, message, pos: [offset] }) => ({ code, message, offset }));
    for (const mistake of firstOfEachLine(this.text, told)) {
      yield this.#unreadable(mistake.offset, plainWords(this.text, mistake));
    }
    if (another) yield this.#unreadable(another.range[0], "it holds several YAML documents");
    if (another || errors.length > 0) return;
    for (const offset of repeatedKeys(this.#document)) {
      yield this.#unreadable(offset, "Map keys must be unique");
    }
  }

  /** Turns findings into problems with their places, in the order of the text. */
  problems(findings: readonly PathProblem[]): Problem[] {
    return findings.map((finding) => ({ ...finding, offset: this.#offsetOf(finding) }))
      .sort((a, b) => a.offset - b.offset)
      .map(({ path, message, offset }) => ({
        place: this.#place(offset),
        message: path.length > 0 ? `${path.map(String).join(".")}: ${message}` : message,
      }));
  }

  /**
   * The text without secrets. A value that contains one is replaced by a quoted text with the secret hidden, so that the
   * result stays valid YAML. Secrets in comments are hidden, too.
   */
  without(secrets: Secrets): string {
    const held: Scalar[] = [];
    visit(this.#document, {
      Scalar: (key, node) => {
        const { value } = node;
        if (key !== "key" && typeof value === "string" && secrets.text(value) !== value) {
          held.push(node);
        }
      },
    });
    const parts = held.flatMap(({ value, range }) => range ? [{ value: String(value), range }] : [])
      .toSorted((a, b) => b.range[0] - a.range[0]);
    const rewritten = parts.reduce((text, { value, range: [start, end] }) => {
      const lineEnd = text.slice(start, end).endsWith("\n") ? "\n" : ""; // a block scalar includes its line's end
      return text.slice(0, start) + JSON.stringify(secrets.text(value)) + lineEnd + text.slice(end);
    }, this.text);
    return secrets.form(rewritten); // also removes secrets from comments
  }

  /** The data with aliases replaced by what they refer to; an endless or exploding alias is refused. */
  #resolved(): unknown {
    let data: unknown;
    try {
      data = this.#document.toJS();
    } catch (error) {
      throw new UserError([this.#unresolved(messageOf(error))]);
    }
    if (isNestedTooDeep(data)) throw new UserError([this.#unreadable(0, TOO_DEEP)]);
    return data;
  }

  /** The problem with an alias that can't be resolved. */
  #unresolved(why: string): Problem {
    const [, name] = /^Unresolved alias .*: (.+)$/s.exec(why) ?? [];
    if (name === undefined) return this.#unreadable(0, why);
    const offset = Math.max(0, this.text.indexOf(`*${name}`));
    return this.#unreadable(
      offset,
      "no anchor (&) of this name precedes it; a text that begins with * needs quotes",
    );
  }

  #unreadable(offset: number, why: string): Problem {
    return { place: this.#place(offset), message: `Cannot read this as YAML: ${why}` };
  }

  #place(offset: number): string {
    const { line, col } = this.#lines.linePos(offset);
    return `${this.file}:${Math.max(1, line)}:${Math.max(1, col)}`;
  }

  /**
   * The offset at which a problem is shown: that of the key if the problem is with the key, or if the value is a map or
   * list that has one; otherwise that of the value. For a missing value, it is the offset shown for its container.
   */
  #offsetOf({ path, isKey }: PathProblem): number {
    let node: unknown = this.#document.contents;
    let offset = 0;
    for (const step of path) {
      const { key, value } = this.#entry(node, step);
      if (value === undefined && key === undefined) break;
      offset = startOf(isScalar(value) && !isKey ? value : key ?? value) ?? offset;
      node = value;
    }
    return offset;
  }

  #entry(node: unknown, step: PropertyKey): { key?: unknown; value?: unknown } {
    const collection = isAlias(node) ? node.resolve(this.#document) : node;
    if (isSeq(collection)) return { value: collection.items[Number(step)] };
    if (!isMap(collection)) return {};
    return collection.items.find(({ key }) => isScalar(key) && String(key.value) === step) ?? {};
  }
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

/**
 * Offsets of keys that repeat an earlier one. The library's own check compares each key with every other one, which
 * takes minutes in a map of 100,000 keys.
 */
function repeatedKeys(document: Document.Parsed): number[] {
  const repeated: number[] = [];
  visit(document, {
    Map(_, { items }): void {
      const known = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (known.has(key.value)) repeated.push(key.range?.[0] ?? 0);
        known.add(key.value);
      }
    },
  });
  return repeated.sort((a, b) => a - b);
}

// Checks whether a YAML text is too large for the YAML library, which makes an object of every word
// and sign, reads nested values by recursion, and searches the whole text for every alias.

/** The lexer emits this before a plain scalar, which may itself look like a punctuation token. */
const PLAIN = "\x1f";

/** Thrown if a limit is exceeded; the message is the reason. */
class TooMuch extends Error {}

/** The library's tokens, counted before the library parses them. Throws a TooMuch. */
function* tokensOf(text: string, lines: LineCounter): Generator<CST.Token> {
  if (!isWithin("experimentFile", text.length)) {
    throw new TooMuch(beyond("experimentFile", text.length));
  }
  const size = new Size();
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  for (const word of new Lexer().lex(text)) {
    const limit = size.add(word);
    if (limit !== null) throw new TooMuch(beyond(limit, oneMoreThan(limit)));
    yield* parser.next(word);
  }
  yield* parser.end();
}

/** Counts the tokens of a text while it is read. */
class Size {
  #tokens = 0;
  #aliases = 0;
  /** Brackets and braces that are open. */
  #open = 0;
  /** Lists and keys opened in the current line: `- - - a`. */
  #begun = 0;
  #isPlain = false;

  /** Counts a token; returns the limit that it exceeds, if any. */
  add(token: string): LimitName | null {
    const isText = this.#isPlain;
    this.#isPlain = token === PLAIN;
    if (++this.#tokens > 0 && !isWithin("yamlTokens", this.#tokens)) return "yamlTokens";
    return isText ? null : this.#addSign(token);
  }

  #addSign(token: string): LimitName | null {
    if (token === "[" || token === "{") this.#open++;
    else if (token === "]" || token === "}") this.#open--;
    else if (token === "-" || token === "?") this.#begun++;
    else if (token.endsWith("\n")) this.#begun = 0;
    else if (/^[*&]/.test(token) && !isWithin("yamlAliases", ++this.#aliases)) return "yamlAliases";
    return isWithin("nesting", Math.max(this.#open, this.#begun)) ? null : "nesting";
  }
}
