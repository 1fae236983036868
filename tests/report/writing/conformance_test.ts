// deno-lint-ignore-file no-control-regex -- what must not be written
/** Every writer against the same texts: nothing in them means anything in its place, and they can be read back. */
import assert from "node:assert/strict";
import { parse } from "csv-parse/sync";
import { marked } from "marked";
import { paragraphLines } from "../../../report/render/terminal/line.ts";
import { command, commandLines } from "../../../report/writing/annotation.ts";
import { csvOf } from "../../../report/writing/csv.ts";
import { histogramLogOf } from "../../../report/writing/histogram_log.ts";
import { dataScript, markup } from "../../../report/writing/html.ts";
import { jsonText } from "../../../report/writing/json.ts";
import {
  bulletList,
  documentOf,
  md,
  paragraphs,
  tableOf,
} from "../../../report/writing/markdown.ts";
import { Screen } from "../../../report/writing/terminal.ts";
import { prompt, textLines, writtenLines } from "../../../report/writing/terminal.ts";
import { attributes, element } from "../../../report/writing/xml.ts";
import { NASTY } from "./nasty.ts";

const STEERING =
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;
const INNER_COMMAND = /##[\w.-]*\[/;
const LINE_COMMAND = /^\s*::/;

/** What no place may have. */
function assertInert(written: string): void {
  assert.doesNotMatch(written, STEERING);
  assertNoCommand(written);
}

function assertNoCommand(written: string): void {
  assert.doesNotMatch(written, INNER_COMMAND);
  for (const line of written.split(/[\r\n]/)) assert.doesNotMatch(line, LINE_COMMAND);
}

/** A text whose signs that were written out, as `\x1b` and `\u202e`, are themselves again. */
function readBack(text: string): string {
  return text.replace(
    /\\x([0-9a-f]{2})|\\u([0-9a-f]{4})/g,
    (_, two, four) => String.fromCharCode(parseInt(two ?? four, 16)),
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/** As a browser reads text and attributes. */
function withoutEntities(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/g, (_, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name];
    return String.fromCodePoint(hex === undefined ? Number(decimal) : parseInt(hex, 16));
  });
}

function asGlue(text: string): string {
  return text.replaceAll("\u00a0", " ");
}

/** The checks of each writer, given a text. */
const WRITERS: Readonly<Record<string, (text: string) => void>> = {
  "a line of a terminal or log"(text): void {
    const written = textLines([text, text]);
    assertInert(written);
    assert.deepEqual(written.split("\n").map(readBack), [asGlue(text), asGlue(text), ""]);
    assert.equal(readBack(prompt(text)), asGlue(text));
  },
  "lines of spans, cut anywhere"(text): void {
    for (let at = 0; at <= text.length; at++) {
      const line = [{ text: text.slice(0, at), style: "red" as const }, { text: text.slice(at) }];
      const plain = writtenLines([line], { unicode: false });
      assertInert(plain);
      assert.equal(plain.split("\n").length, 2);
      const coloured = writtenLines([line], { color: true });
      assertNoCommand(coloured);
      assert.doesNotMatch(coloured.replace(/^\x1b\[31m/, "").replace("\x1b[0m", ""), STEERING);
    }
  },
  "paragraphs of every width"(text): void {
    for (let width = 1; width < 40; width += 3) {
      assertInert(writtenLines(paragraphLines(text, width)));
    }
  },
  "a live view"(text): void {
    const screen = new Screen({ color: false });
    for (const lasting of [[], [[{ text }]]]) {
      const change = screen.changed([[{ text }], [{ text: "next" }]], 80, lasting);
      assertInert(change.replaceAll(/\r|\x1b\[\d*[AKJ]/g, ""));
    }
  },
  "an annotation"(text): void {
    const line = command({ level: "error", title: text, message: text });
    assert.doesNotMatch(line, STEERING);
    assert.doesNotMatch(line, INNER_COMMAND);
    const [, title, message] = /^::error title=([^:,]*)::(.*)$/.exec(line) ?? [];
    const read = (data: string): string =>
      readBack(
        data.replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%0A", "\n")
          .replaceAll("%25", "%"),
      );
    const expected = asGlue(text.replaceAll("\r\n", "\n"));
    assert.deepEqual([read(title), read(message)], [expected, expected]);
    assert.equal(commandLines([line, line]), `${line}\n${line}\n`);
  },
  "a cell and a head of a CSV"(text): void {
    const written = csvOf([{ [text]: text, b: 1 }, { b: 2 }]);
    assertInert(written);
    assert.equal(written.match(/\r\n/g)?.length, 3);
    assert.equal(written.match(/[\r\n]/g)?.length, 6);
    const [head, [cell, one]] = parse(written);
    assert.deepEqual([head.length, one], [2, "1"]);
    for (const field of [head[0], cell]) {
      assert.doesNotMatch(field, /^[=+\-@\t\r＝＋－＠]/);
      const shown = /^[=+\-@＝]/.test(text) ? field.replace(/^'/, "") : field;
      assert.equal(readBack(shown), text.toWellFormed());
    }
  },
  "JSON"(text): void {
    const value = { [text]: [text, { text }] };
    for (const written of [jsonText(value), jsonText(value, 2)]) {
      assertInert(written);
      assert.deepEqual(JSON.parse(written), value);
      assert.ok(written.endsWith("\n"));
    }
  },
  "markdown"(text): void {
    const written = documentOf(paragraphs([
      md`${text}`,
      md`## ${text}`,
      bulletList([text]),
      tableOf([{ head: "a", kind: "text" }, { head: text, kind: "number" }], [[text, "b"]]),
    ]));
    assertInert(written);
    const html = marked.parse(written, { async: false, gfm: true });
    const tags = new Set([...html.matchAll(/<\/?([^\s>]*)/g)].map(([, name]) => name));
    const ours = ["p", "h2", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", ""];
    for (const tag of tags) assert.ok(ours.includes(tag), `<${tag}> in ${html}`);
    const spaced = (text: string): string => text.replace(/\s+/g, " ").trim();
    const shown = [/<h2>([^]*?)<\/h2>/, /<li>([^]*?)<\/li>/, /<td[^>]*>([^]*?)<\/td>/]
      .map((part) =>
        spaced(readBack(withoutEntities((part.exec(html)?.[1] ?? "").toWellFormed())))
      );
    const expected = spaced(readBack(text.toWellFormed()));
    assert.deepEqual(shown, [expected, expected, expected]);
  },
  "a histogram log"(text): void {
    const written = histogramLogOf({
      startMs: 0,
      comments: [text],
      series: [{
        tag: [text, [text, text]],
        comments: [text],
        startMs: 0,
        intervals: [{ endS: 1, histogram: "" }],
      }],
    });
    assertInert(written);
    const lines = written.trimEnd().split("\n");
    const [, , , about, legend, aboutSeries, interval, ...none] = lines;
    assert.deepEqual(none, []);
    assert.ok(legend.startsWith('"StartTimestamp",'));
    assert.equal(readBack(about), `#[${readBack(text)}]`);
    const [tag, ...fields] = interval.split(",");
    assert.deepEqual([fields.length, tag.slice(0, 4)], [4, "Tag="]);
    assert.match(tag, /^[!-~]+$/);
    const parts = tag.slice(4).split(/[/=]/).map(decodeURIComponent);
    assert.deepEqual(parts, Array(3).fill(text.toWellFormed()));
    assert.equal(readBack(aboutSeries), `#[${tag.slice(4)}: ${readBack(text)}]`);
  },
  "XML"(text): void {
    const written = element`<a${attributes({ b: text })}>${text}</a>`.text;
    assertInert(written);
    const [, attribute, content] = /^<a b="([^"<]*)">([^<]*)<\/a>$/.exec(written) ?? [];
    const FORBIDDEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]/g;
    const expected = text.toWellFormed().replaceAll(FORBIDDEN, "");
    for (const part of [attribute, content]) {
      assert.equal(readBack(withoutEntities(part)), expected);
    }
  },
  "HTML"(text): void {
    const written = markup`<p title="${text}">${[text]}</p>`.text;
    assertInert(written);
    const [, attribute, content] = /^<p title="([^"<]*)">([^<]*)<\/p>$/.exec(written) ?? [];
    const FORBIDDEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;
    const expected = text.replaceAll(FORBIDDEN, "\ufffd");
    for (const part of [attribute, content]) assert.equal(withoutEntities(part), expected);
  },
  "data in a page"(text): void {
    const { text: written } = dataScript("id", { [text]: text });
    assertInert(written);
    const [, json] = /^<script [^>]*>([^<]*)<\/script>$/.exec(written) ?? [];
    assert.deepEqual(JSON.parse(json), { [text]: text });
  },
};

for (const [writer, check] of Object.entries(WRITERS)) {
  Deno.test(`${writer} has text alone, and all of it`, () => {
    for (const [name, text] of Object.entries(NASTY)) {
      try {
        check(text);
      } catch (error) {
        throw new Error(`${writer}, ${name}`, { cause: error });
      }
    }
  });
}

Deno.test("there are forty texts and more", () => {
  assert.ok(Object.keys(NASTY).length >= 40);
});
