/**
 * Writes XML. Escapes every text, so that none becomes an element, an attribute or a command in the log of a CI
 * service. Pure.
 */
import { harmless, REFERENCES, withoutCommands } from "../../base/control.ts";
import { type Fragment, templateOf } from "./written.ts";

export type Xml = Fragment<"xml">;

export const element = templateOf("xml", escaped);

/** Returns attributes, each preceded by a space. */
export function attributes(values: Readonly<Record<string, string | number>>): Xml {
  return element`${Object.entries(values).map(([name, value]) => element` ${name}="${value}"`)}`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "\n": "&#10;",
};

/**
 * Characters with a meaning in XML, line feeds, and invisible characters: zero-width ones, line separators, direction
 * marks and the BOM.
 */
const SPECIAL = /[&<>"'\n\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/**
 * Escapes text. Removes the control characters, U+FFFE and U+FFFF that XML 1.0 §2.2 forbids, and also carriage returns
 * and C1 control characters. Lone surrogates become U+FFFD. Invisible characters become visible escapes such as \u200b,
 * as on a terminal.
 */
function escaped(text: string): string {
  const allowed = text
    .toWellFormed()
    // deno-lint-ignore no-control-regex -- these are what XML forbids, and what steers terminals
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff]/g, "")
    .replace(SPECIAL, (sign) => ENTITIES[sign] ?? harmless(sign));
  return withoutCommands(allowed, REFERENCES);
}
