/**
 * What every server of the frameworks study answers: the same requests, the same status, JSON, and the
 * same value, but for refusals and failures, whose words and shape are each framework's own.
 */
import assert from "node:assert/strict";

/** Body of an answer whose words are the framework's own: an object, not empty. */
export const OWN_WORDS = Symbol("own words");

export type Exchange = readonly [what: string, path: string, status: number, body: unknown];

export const EXCHANGES: readonly Exchange[] = [
  ["static JSON", "/static", 200, { ok: true }],
  ["the 23rd Fibonacci number", "/fib", 200, { res: 28_657 }],
  ["the value of the key in Redis", "/redis", 200, { value: "1" }],
  ["ok for a right query", "/validation?number=5&string=x1237", 200, { ok: true }],
  ["ok for a negative number", "/validation?number=-12&string=12345", 200, { ok: true }],
  ["ok for zero", "/validation?number=0&string=12345", 200, { ok: true }],
  ["ok for a name more", "/validation?number=5&string=x1237&more=1", 200, { ok: true }],
  ["400 to nothing", "/validation", 400, OWN_WORDS],
  ["400 to no string", "/validation?number=5", 400, OWN_WORDS],
  ["400 to no number", "/validation?string=x1237", 400, OWN_WORDS],
  ["400 to a number that is none", "/validation?number=five&string=x1237", 400, OWN_WORDS],
  ["400 to a fraction", "/validation?number=5.5&string=x1237", 400, OWN_WORDS],
  ["400 to an empty number", "/validation?number=&string=x1237", 400, OWN_WORDS],
  ["400 to a string of 4 characters", "/validation?number=5&string=1234", 400, OWN_WORDS],
  ["400 to an empty string", "/validation?number=5&string=", 400, OWN_WORDS],
  ["the quotient for 2", "/error/2", 200, { value: 2 }],
  ["the quotient for 3", "/error/3", 200, { value: 1.5 }],
  ["the quotient for 0, without a sign", "/error/0", 200, { value: 0 }],
  ["500 to a division by zero", "/error/1", 500, OWN_WORDS],
];

/** Asks once, as a client that names no type that it prefers. */
export async function assertAnswers(
  origin: string,
  [what, path, status, body]: Exchange,
): Promise<void> {
  const response = await fetch(origin + path);
  const text = await response.text();
  const seen = `${what}: GET ${path} is ${response.status} ${text}`;
  assert.equal(response.status, status, seen);
  assert.match(response.headers.get("content-type") ?? "", /^application\/(?:\w+\+)?json\b/, seen);
  const value: unknown = JSON.parse(text);
  if (body !== OWN_WORDS) return assert.deepEqual(value, body, seen);
  assert.ok(typeof value === "object" && value !== null && Object.keys(value).length > 0, seen);
}
