/** Rewrites parts of the text of a JavaScript file. Pure. */

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Start of the part after which `text` is inserted; null for any other edit. */
  readonly closes: number | null;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

export class Edits {
  readonly #edits = new Map<string, Edit>();
  readonly #left = new Map<number, Edit>();

  constructor(private readonly text: string) {}

  /** Replaces a part. The same replacement may be requested again without effect. */
  replace(start: number, end: number, text: string): void {
    this.#edits.set(`${start} ${end} ${text}`, { start, end, text, closes: null });
  }

  wrap(range: Range, before: string, after: string): void {
    this.replace(range.start, range.start, before);
    this.close(range, after);
  }

  /** Inserts text right after a part. */
  close({ start, end }: Range, text: string): void {
    this.#edits.set(`${start} ${end} ${text}`, { start: end, end, text, closes: start });
  }

  /** Turns a part into a comment that gives the reason. @param instead Code to write after the comment. */
  leave({ start, end }: Range, why: string, instead = ""): void {
    if (this.#isLeft(start)) return;
    const lineStart = this.text.lastIndexOf("\n", start - 1) + 1;
    const indent = /^[ \t]*/.exec(this.text.slice(lineStart))?.[0] ?? "";
    const isAlone = this.text.slice(lineStart, start).trim() === "";
    const lines = this.text.slice(start, end).split(/\r\n?|\n/)
      .map((line, at) => `${indent}//   ${at === 0 ? line : line.replace(indent, "")}`);
    const comment = [`${isAlone ? "" : `\n${indent}`}// NOT CONVERTED: ${why}`, ...lines].join(
      "\n",
    );
    const rest = /^[^\r\n]*/.exec(this.text.slice(end))?.[0].trim() ?? "";
    this.#left.set(start, {
      start,
      end,
      closes: null,
      text: rest + instead === "" ? comment : `${comment}\n${indent}${instead}`,
    });
  }

  toString(): string {
    const left = [...this.#left.values()];
    const kept = [...this.#edits.values()].filter(({ start, end }) =>
      !left.some((range) => start >= range.start && end <= range.end)
    );
    const inner = left.filter((one) =>
      !left.some((other) => other !== one && one.start >= other.start && one.end <= other.end)
    );
    // Of the texts inserted at the same position, those that follow a part come first (inner parts
    // before outer ones), and then those that precede a part.
    const isOpening = ({ closes }: Edit): number => closes === null ? 1 : 0;
    const all = [...kept, ...inner].toSorted((a, b) =>
      a.start - b.start || isOpening(a) - isOpening(b) || (b.closes ?? 0) - (a.closes ?? 0) ||
      a.end - b.end
    );
    let made = "";
    let at = 0;
    for (const { start, end, text } of all) {
      if (start < at) continue;
      made += this.text.slice(at, start) + text;
      at = end;
    }
    return made + this.text.slice(at);
  }

  #isLeft(start: number): boolean {
    return [...this.#left.values()].some((range) => start >= range.start && start < range.end);
  }
}
