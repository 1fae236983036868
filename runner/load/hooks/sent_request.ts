/** A request that a hook has made, held against what HTTP allows: it is sent as it is, so nothing in it may begin another. */
import { METHODS, type WireRequest } from "../../../base/http/request.ts";
import { isWithin, LIMITS } from "../../../base/limits.ts";
import { ScriptError } from "../../../base/script/realm.ts";

/** @param written As the realm has it, see `Realm.request`. Throws a ScriptError. */
export function lineAndFields(written: string): Omit<WireRequest, "body"> {
  const [count, method, path, ...texts] = written.split("\n");
  if (Number(count) !== texts.length + 2) {
    throw new ScriptError("the request has a line break in its method, path or header fields");
  }
  const headers: Record<string, string> = {};
  for (let at = 0; at < texts.length; at += 2) headers[texts[at]] = texts[at + 1];
  if (!METHODS.some((known) => known === method.toLowerCase())) {
    throw new ScriptError(`request.method is ${shown(method)}, which is no method of HTTP`);
  }
  if (!/^\/[\x21-\x7e]*$/.test(path) || !isWithin("fieldValue", path.length)) {
    throw new ScriptError(
      `request.path is ${shown(path)}: start with /, and encode spaces and non-ASCII`,
    );
  }
  const fields = Object.entries(headers);
  if (!isWithin("fields", fields.length)) {
    throw new ScriptError(
      `request.headers has ${fields.length} fields, and the limit is ${LIMITS.fields.most}`,
    );
  }
  for (const [name, value] of fields) checkField(name, value);
  return { method: method.toUpperCase(), path, headers };
}

/** Their value follows from the body. */
const FRAMING = /^(?:content-length|transfer-encoding)$/i;

function checkField(name: string, value: string): void {
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name) || FRAMING.test(name)) {
    throw new ScriptError(`request.headers has ${shown(name)}, which a hook cannot send`);
  }
  if (!/^[\x20-\x7e\t\x80-\xff]*$/.test(value) || !isWithin("fieldValue", value.length)) {
    throw new ScriptError(
      `request.headers[${shown(name)}] is ${shown(value)}: ` +
        "line breaks and characters beyond Latin-1 are not allowed",
    );
  }
}

function shown(text: string): string {
  return JSON.stringify(text.length <= 60 ? text : `${text.slice(0, 60)}…`);
}
