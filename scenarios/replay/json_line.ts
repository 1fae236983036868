/** Reads a log line that contains a JSON object, even after a prefix such as a journal's time. Pure. */
import { loggedLine, loggedRequest, type LogLine, noRequest, octetsIn } from "./logged.ts";
import { momentUs } from "./moment.ts";

/**
 * The keys under which a line has each part of a request. `request.uri` stands for the key `uri` of the object in
 * `request`.
 */
export interface JsonKeys {
  readonly time: string;
  readonly method: string;
  readonly path: string;
  /** The key of a whole request line such as `GET /path HTTP/1.1`, which replaces method and path. */
  readonly request?: string;
}

export function jsonLine(line: string, keys: JsonKeys): LogLine {
  const data: unknown = JSON.parse(line.slice(Math.max(0, line.indexOf("{"))));
  const at = (): number => {
    const time = valueIn(data, keys.time);
    if (time === undefined) throw new Error(`it has no "${keys.time}"`);
    return momentUs(time);
  };
  if (keys.request !== undefined) {
    const request = valueIn(data, keys.request);
    if (request === undefined) return noRequest(`it has no "${keys.request}"`);
    return loggedLine(at(), { text: octetsIn(textIn(request, keys.request)) });
  }
  const [method, path] = [valueIn(data, keys.method), valueIn(data, keys.path)];
  if (method === undefined && path === undefined) {
    return noRequest(`it has neither "${keys.method}" nor "${keys.path}"`);
  }
  return loggedRequest(at(), textIn(method, keys.method), textIn(path, keys.path));
}

function textIn(value: unknown, key: string): string {
  if (typeof value === "string") return value;
  throw new Error(`it has no text in "${key}"`);
}

/** The value of a key. A dot leads into a nested object, unless the object itself has a key with that dot. */
function valueIn(data: unknown, name: string): unknown {
  if (typeof data !== "object" || data === null) return undefined;
  if (Object.hasOwn(data, name)) return Reflect.get(data, name);
  const dot = name.indexOf(".");
  if (dot < 0 || !Object.hasOwn(data, name.slice(0, dot))) return undefined;
  return valueIn(Reflect.get(data, name.slice(0, dot)), name.slice(dot + 1));
}
