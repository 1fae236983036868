/** Header fields that a gateway forwards. It removes those that apply only to one connection (RFC 9110 §7.6.1). */

export type Fields = [name: string, value: string][];

const OF_ONE_CONNECTION: ReadonlySet<string> = new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** @param fields Fields with names in lower case. */
export function endToEnd(fields: Iterable<readonly [name: string, value: string]>): Fields {
  const all = [...fields] as Fields;
  const named = all.filter(([name]) => name === "connection")
    .flatMap(([, value]) => value.toLowerCase().split(",").map((word) => word.trim()));
  return all.filter(([name]) => !OF_ONE_CONNECTION.has(name) && !named.includes(name));
}

/** All values of a field as one comma-separated list; "" if the field is absent. */
export function fieldList(
  fields: Iterable<readonly [name: string, value: string]>,
  name: string,
): string {
  return [...fields].filter(([field]) => field === name).map(([, value]) => value).join(", ");
}
