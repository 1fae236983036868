/**
 * Takes values from responses. A server can't make this expensive: only part of a body is searched, the length of
 * values is limited, and patterns are matched in linear time.
 */
import type { ReceivedResponse } from "../../../base/http/received.ts";
import { beyond, isWithin } from "../../../base/limits.ts";
import { lookedAt, searchFor, whyUnseen } from "../../../base/pattern.ts";
import type { BodySource } from "../../../scenarios/request/values.ts";
import type { CaptureSpec } from "../../../scenarios/request/flow.ts";

type Taker = (response: ReceivedResponse) => string | null;

const NOTHING = new Uint8Array(0);

/**
 * Returns a function that extracts the value from a stored response, or null if the value is missing, too long, or
 * beyond the searched part. `takerOf` itself must be called within `withEngine`, because it may compile a pattern.
 */
export function takerOf({ from }: CaptureSpec): Taker {
  const take = unlimited(from);
  return (response) => {
    const value = take(response);
    return value !== null && isWithin("captured", value.length) ? value : null;
  };
}

function unlimited(from: CaptureSpec["from"]): Taker {
  if (from.kind === "header") return ofHeader(from);
  if (from.kind === "cookie") return (response) => cookieIn(response, from.name);
  const take = takerOfText(from);
  return (response) => take(bodyOf(response));
}

/**
 * Returns a function that extracts the value from JSON or text, or null if the value is missing. `takerOfText` itself
 * must be called within `withEngine`, because it may compile a pattern.
 */
export function takerOfText(
  from: BodySource,
): (body: Uint8Array<ArrayBuffer>) => string | null {
  if (from.kind === "json") return (body) => jsonAt(body, from.path);
  const search = searchFor(from.source);
  return (body) => {
    const { text, isCut } = lookedAt(body);
    return search(text, isCut);
  };
}

function ofHeader({ name, pattern }: CaptureSpec["from"] & { kind: "header" }): Taker {
  const search = pattern === undefined ? null : searchFor(pattern);
  return (response) => {
    const value = response.kept?.field(name) ?? null;
    return value === null || search === null ? value : search(value, false);
  };
}

/** The cookie's value in the last Set-Cookie with that name; null if there is none. */
function cookieIn({ kept }: ReceivedResponse, name: string): string | null {
  const pairs = kept?.fields("set-cookie").map((line) => line.split(";", 1)[0]) ?? [];
  const pair = pairs.findLast((text) => text.slice(0, text.indexOf("=")).trim() === name);
  return pair === undefined ? null : pair.slice(pair.indexOf("=") + 1).trim();
}

/** Why a value may not be found although the response contains it; null if there is no such reason. */
export function whyOverlooked({ from }: CaptureSpec, response: ReceivedResponse): string | null {
  const isOfBody = from.kind === "json" || from.kind === "pattern";
  const problem = isOfBody ? response.kept?.content().problem ?? null : null;
  if (problem !== null) return problem;
  const { length } = bodyOf(response);
  if (from.kind === "json" && !isWithin("jsonBody", length)) return beyond("jsonBody", length);
  const unseen = from.kind === "pattern" ? whyUnseen(length) : null;
  if (unseen !== null) return unseen;
  const value = unlimited(from)(response);
  return value === null ? null : beyond("captured", value.length);
}

function bodyOf(response: ReceivedResponse): Uint8Array<ArrayBuffer> {
  return response.kept?.content().bytes ?? NOTHING;
}

/**
 * The value as text; objects and lists as JSON. Null if the value is missing, or if the body is not JSON or too long.
 */
function jsonAt(body: Uint8Array<ArrayBuffer>, path: readonly string[]): string | null {
  if (!isWithin("jsonBody", body.length)) return null;
  try {
    return textOf(memberAt(JSON.parse(new TextDecoder().decode(body)), path));
  } catch {
    return null; // not JSON, or nested too deeply to be serialised again
  }
}

/** The member at the path; undefined if there is none. */
function memberAt(top: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => {
    const isThere = typeof value === "object" && value !== null && Object.hasOwn(value, key);
    return isThere ? Reflect.get(value, key) : undefined;
  }, top);
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
