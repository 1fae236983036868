/** Errors that are thrown as they should be, to be looked at. */
import assert from "node:assert/strict";

type Kind<T> = abstract new (...args: never[]) => T;

/** What `act` throws, which is of this kind. */
export function thrown<T extends Error>(kind: Kind<T>, act: () => unknown): T {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof kind, String(error));
    return error;
  }
  return assert.fail("nothing is thrown");
}

/** What this is rejected with, which is of this kind. */
export async function rejected<T extends Error>(kind: Kind<T>, act: Promise<unknown>): Promise<T> {
  const error: unknown = await act.then(() => "nothing is thrown", (error: unknown) => error);
  assert.ok(error instanceof kind, String(error));
  return error;
}
