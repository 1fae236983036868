/**
 * Regular expressions that are applied to responses. They are matched in linear time, as RE2 does (R Cox, "Regular
 * Expression Matching Can Be Simple And Fast"): JavaScript's own RegExp backtracks, and a hostile body could make it do
 * so for hours. RE2 has no look-ahead, no look-behind and no back-reference, because these need backtracking.
 *
 * The engine takes 8 ms to load, so it is loaded with the first pattern: see `withEngine`.
 */
import type { RE2JS } from "re2js";
import { beyond, isWithin, LIMITS, mostOf } from "./limits.ts";

let engine: typeof RE2JS | null = null;

class EngineNeeded extends Error {}

/** Returns what `read` returns; if `read` needs the regular-expression engine, loads it and calls `read` again. */
export async function withEngine<Read>(read: () => Read | Promise<Read>): Promise<Read> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof EngineNeeded)) throw error;
  }
  await loadEngine();
  return await read();
}

export async function loadEngine(): Promise<void> {
  engine ??= (await import("re2js")).RE2JS;
}

/**
 * Returns the text that the pattern's group matches; null if nothing matches. `isCut` is true if the end of the text
 * was cut off.
 */
type PatternSearch = (text: string, isCut: boolean) => string | null;

/**
 * Compiles a pattern that captures a value. If a text was cut, a match that reaches the cut does not count, because its
 * continuation is unknown.
 * @param source A pattern in which `wrongPattern` finds nothing wrong.
 */
export function searchFor(source: string): PatternSearch {
  const pattern = compiled(source);
  return (text, isCut) => {
    const matcher = pattern.matcher(text);
    if (!matcher.find() || (isCut && matcher.end() === text.length)) return null;
    return matcher.group(1);
  };
}

/**
 * Returns a function that tells whether the searched part of a body contains a match.
 * @param source A pattern that `wrongMatch` accepts.
 */
export function matchFor(source: string): (body: Uint8Array<ArrayBuffer>) => boolean {
  const pattern = compiled(source);
  return (body) => {
    const { text, isCut } = lookedAt(body);
    const matcher = pattern.matcher(text);
    return matcher.find() && !(isCut && matcher.end() === text.length);
  };
}

const DECODER = new TextDecoder();

/** The part of a body that patterns search, and whether the rest was cut off. */
export function lookedAt(body: Uint8Array<ArrayBuffer>): { text: string; isCut: boolean } {
  const { most } = LIMITS.patternBody;
  return { text: DECODER.decode(body.subarray(0, most)), isCut: body.length > most };
}

/** The reason why a match may be overlooked in a body of this length; null if the whole body is searched. */
export function whyUnseen(bytes: number): string | null {
  const most = mostOf("patternBody");
  return isWithin("patternBody", bytes)
    ? null
    : `a pattern searches only the first ${most} of a body, and this body is longer`;
}

/**
 * Completes `Cannot use … as a pattern: ` with the reason why `source` can't be used as a pattern with one group; null
 * if it can.
 */
export function wrongPattern(source: string): string | null {
  const wrong = wrongMatch(source);
  if (wrong !== null) return wrong;
  const groups = compiled(source).groupCount();
  return groups === 1 ? null : `it needs one group (…) around the value, but has ${groups}`;
}

/** The reason why `source` can't be used as a pattern; null if it can. */
export function wrongMatch(source: string): string | null {
  if (!isWithin("pattern", source.length)) return beyond("pattern", source.length);
  if (!isRegExp(source)) return "it is not a regular expression";
  const beyondRe2 = whatOnlyTriesDo(source);
  if (beyondRe2 !== null) return beyondRe2;
  const pattern = tryCompile(source);
  if (typeof pattern === "string") return pattern;
  const size = pattern.programSize();
  return isWithin("patternSize", size) ? null : `${beyond("patternSize", size)}: repeat less`;
}

function isRegExp(source: string): boolean {
  try {
    new RegExp(source);
    return true;
  } catch {
    return false;
  }
}

/**
 * Escapes, character classes, and the openings of special groups, such as `(?<=`. A class is one token, because nothing
 * in it opens a group.
 */
const TOKENS = /\\(?:k<|[^])|\[(?:\\.|[^\]\\])*\]|\(\?(?:<?[=!])?/gs;

function whatOnlyTriesDo(source: string): string | null {
  for (const [token] of source.matchAll(TOKENS)) {
    if (/^\(\?<?[=!]/.test(token)) {
      return `${token}…) cannot be matched in linear time: ` +
        "write the text around the value literally, outside the group";
    }
    if (/^\\(?:[1-9]|k<)/.test(token)) {
      return `${
        token === "\\k<" ? "\\k<…>" : token
      }, a reference to a group, cannot be matched in linear time: ` +
        "write the repeated text out";
    }
  }
  return null;
}

function tryCompile(source: string): RE2JS | string {
  try {
    return compiled(source);
  } catch (error) {
    if (!(error instanceof Error) || error instanceof EngineNeeded) throw error;
    return `RE2 does not support it (${error.message.replace("error parsing regexp: ", "")})`;
  }
}

/** Compiled patterns by source, because requests of a scenario that differ only in their values share a pattern. */
const known = new Map<string, RE2JS>();

function compiled(source: string): RE2JS {
  if (engine === null) throw new EngineNeeded("A pattern was met before its engine was loaded");
  const pattern = known.get(source) ?? engine.compile(engine.translateRegExp(source));
  known.set(source, pattern);
  return pattern;
}
