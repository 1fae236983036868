/**
 * The W3C's extended log file format (https://www.w3.org/TR/WD-logfile), which IIS and CloudFront write. A `#Fields`
 * line names the values of the lines after it. Pure, except that a reader remembers the directives above a line.
 */
import { COMMENT, loggedRequest, type LogLine, type ReadLogLine } from "./logged.ts";
import { momentUs } from "./moment.ts";

export function w3cReader(): ReadLogLine {
  let fields: readonly string[] = [];
  let date = "";
  return (line) => {
    const [, directive, text] = /^#(\w+):\s*(.*)$/.exec(line) ?? [];
    if (directive === "Fields") fields = text.trim().split(/\s+/);
    if (directive === "Date") date = text.split(" ")[0];
    if (line.startsWith("#")) return COMMENT;
    if (fields.length === 0) throw new Error("no #Fields line precedes it");
    return requestIn(line, fields, date);
  };
}

/**
 * The request in a line of values. CloudFront separates values by tabs, and leaves out empty ones at the end of a line.
 */
function requestIn(line: string, fields: readonly string[], date: string): LogLine {
  const isTabbed = line.includes("\t");
  const values = isTabbed
    ? line.split("\t")
    : [...line.matchAll(/"([^"]*)"(?=\s|$)|\S+/g)].map(([word, inner = word]) => inner);
  if (!isTabbed && values.length !== fields.length) {
    throw new Error(`it has ${values.length} values, but #Fields names ${fields.length}`);
  }
  const valueOf = (name: string): string => {
    const value = values[fields.indexOf(name)];
    return value === undefined ? "" : value.trim();
  };
  const stem = valueOf("cs-uri-stem") || valueOf("cs-uri");
  if (!fields.includes("cs-method") || stem === "") {
    throw new Error("the #Fields line does not name both cs-method and cs-uri-stem");
  }
  const query = valueOf("cs-uri-query");
  const path = isTabbed ? stem : encodedStem(stem);
  const target = query === "" || query === "-" ? path : `${path}?${query}`;
  return loggedRequest(
    momentUs(`${valueOf("date") || date} ${valueOf("time")}`),
    valueOf("cs-method"),
    target,
  );
}

/**
 * Encodes a path that IIS has decoded before logging it, with + for a space. A + can be read as a space because, by
 * default, IIS refuses paths that contain a +.
 */
function encodedStem(stem: string): string {
  return stem.replaceAll(/%(?![\da-f]{2})/gi, "%25").replaceAll("+", "%20").replaceAll("#", "%23")
    .replaceAll("?", "%3F");
}
