/** Checks a request that a hook has made: it is sent unchanged, so nothing in it may begin another request. */
import { METHODS, type WireRequest } from "../../../base/http/request.ts";
import { isWithin, LIMITS } from "../../../base/limits.ts";
import { withoutSecrets } from "../../../base/secrets.ts";
import { type HookResult, ScriptError } from "../../../base/script/realm.ts";

/**
 * Applies a hook's changes to everything but the body. Checks only the changed parts; throws a ScriptError if one can't
 * be sent.
 * @param wire The request before the hook.
 */
export function lineAndFields(
  { head, lines }: Pick<HookResult, "head" | "lines">,
  wire: WireRequest,
): Omit<WireRequest, "body"> {
  const [method, path, ...texts] = (head ?? "").split("\n");
  if (lines !== texts.length + 2) {
    throw new ScriptError("the request has a line break in its method, path or header fields");
  }
  if (method !== wire.method) checkMethod(method);
  if (path !== wire.path) checkPath(path);
  const count = texts.length / 2;
  if (!isWithin("fields", count)) {
    throw new ScriptError(
      `request.headers has ${count} fields, but the limit is ${LIMITS.fields.most}`,
    );
  }
  const headers: Record<string, string> = {};
  for (let at = 0; at < texts.length; at += 2) {
    const [name, value] = [texts[at], texts[at + 1]];
    if (wire.headers[name] !== value) checkField(name, value);
    headers[name] = value;
  }
  return { method: method.toUpperCase(), path, headers };
}

function checkMethod(method: string): void {
  if (METHODS.some((known) => known === method.toLowerCase())) return;
  throw new ScriptError(`request.method is ${shown(method)}, which is not an HTTP method`);
}

function checkPath(path: string): void {
  if (/^\/[\x21-\x7e]*$/.test(path) && isWithin("fieldValue", path.length)) return;
  throw new ScriptError(
    `request.path is ${shown(path)}: start with /, and percent-encode spaces and non-ASCII`,
  );
}

/** Fields whose values follow from the body, so that a hook cannot set them. */
const FRAMING = /^(?:content-length|transfer-encoding)$/i;

function checkField(name: string, value: string): void {
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name) || FRAMING.test(name)) {
    throw new ScriptError(`request.headers has ${shown(name)}, which a hook cannot send`);
  }
  if (!/^[\x20-\x7e\t\x80-\xff]*$/.test(value) || !isWithin("fieldValue", value.length)) {
    throw new ScriptError(
      `request.headers[${shown(name)}] is ${shown(value)}: ` +
        "line breaks, NUL and characters beyond Latin-1 are not allowed",
    );
  }
}

function shown(value: string): string {
  const text = withoutSecrets(value); // before it is cut, since part of a secret would not be recognised
  return JSON.stringify(text.length <= 60 ? text : `${text.slice(0, 60)}…`);
}
