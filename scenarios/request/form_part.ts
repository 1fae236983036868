/** Parses the parts of a multipart form, in the syntax of curl's -F. */
import { extname } from "node:path";
import * as z from "zod";
import { quotedOpenly } from "../../base/secrets.ts";

/** Value of a field, as in a scenario's `multipart`. */
type FormValue = string | { readonly file: string; readonly type: string; readonly name?: string };

export type GivenPart = readonly [name: string, value: FormValue];

/** The types that curl derives from file names (lib/mime.c). All other files are application/octet-stream. */
const TYPES: Readonly<Record<string, string>> = {
  ".gif": "image/gif",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain",
  ".htm": "text/html",
  ".html": "text/html",
  ".pdf": "application/pdf",
  ".xml": "application/xml",
};
const OCTETS = "application/octet-stream";

/** Parses `name=value`, `name=@file` or `name=@file;type=image/png;filename=a.png`. */
export const formPart = z.string().transform((text, context): GivenPart => {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  const part = name === undefined ? null : partOf(value);
  if (name !== undefined && part !== null) return [name, part];
  context.addIssue(
    `Cannot read ${quotedOpenly(text)} as a part of a form: ` +
      "write name=value, name=@file, or name=@file;type=image/png;filename=a.png",
  );
  return z.NEVER;
});

function partOf(value: string): FormValue | null {
  if (!value.startsWith("@")) return /^<|;(?:type|headers|encoder)=/.test(value) ? null : value;
  const [file, ...settings] = value.slice(1).split(";");
  const given = settings.map((setting) => /^(type|filename)=(.+)$/.exec(setting.trim()));
  if (file === "" || /[,"]/.test(file) || given.includes(null)) return null;
  const settingOf = (key: string): string | undefined => given.find((one) => one?.[1] === key)?.[2];
  const name = settingOf("filename");
  const type = settingOf("type") ?? TYPES[extname(file).toLowerCase()] ?? OCTETS;
  return { file, type, ...name !== undefined && { name } };
}

/** The parts as a scenario has them, with one value or a list for each name. Undefined if there are no parts. */
export function multipartOf(
  parts: readonly GivenPart[],
): Readonly<Record<string, FormValue | FormValue[]>> | undefined {
  if (parts.length === 0) return undefined;
  const byName = Map.groupBy(parts, ([name]) => name);
  return Object.fromEntries([...byName].map(([name, all]) => {
    const values = all.map(([, value]) => value);
    return [name, values.length === 1 ? values[0] : values];
  }));
}
