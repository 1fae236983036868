/** Texts of the command line → values, as zod schemas. */
import { dirname, resolve } from "node:path";
import * as z from "zod";
import { certificatesAt, checkSocket } from "../../scenarios/file/disk_files.ts";
import { readBytesSync } from "../../base/bounded_file.ts";
import { messageOf } from "../../base/errors.ts";
import { headerName, headerValue, status } from "../../scenarios/request/request.ts";
import { secrets } from "../../base/secrets.ts";
import { closest } from "../../base/suggest.ts";

/** Digits, as the number that `schema` takes. */
export function integerText<Schema extends z.ZodType<number, number>>(
  schema: Schema,
): z.ZodPipe<z.ZodPipe<z.ZodString, z.ZodTransform<number, string>>, Schema> {
  return z.string().regex(/^-?\d+$/, {
    error: ({ input }) => `Cannot read "${input}" as a whole number`,
    abort: true,
  }).transform(Number).pipe(schema);
}

/** `key=value`. */
export const assignment = z.string().transform((text, context): [key: string, value: string] => {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  context.addIssue(`Cannot read "${text}" as a setting: write key=value`);
  return z.NEVER;
});

/** Several of them, each key once: its value, as text. */
export const settings = z.array(assignment).default([]).transform((pairs, context) => {
  const keys = pairs.map(([key]) => key);
  for (const key of new Set(keys.filter((key, at) => keys.indexOf(key) < at))) {
    context.addIssue(`Cannot set "${key}" twice`);
  }
  return Object.fromEntries(pairs);
});

/** `target=A,scenario=B`: names by what they name. */
export const only = z.string().transform((text, context) => {
  const names: { targets?: string[]; scenarios?: string[] } = {};
  for (const part of text.split(",")) {
    const [key, ...name] = part.split("=").map((side) => side.trim());
    if (!(key === "target" || key === "scenario") || name.length === 0) {
      const fix = closest(key, ["target", "scenario"]) ?? "target";
      context.addIssue(`Cannot read "${part}" as a filter: write ${fix}=NAME`);
      continue;
    }
    (names[`${key}s`] ??= []).push(name.join("="));
  }
  return names;
});

/** Without its value in the message, as that may hold a password. */
export const redisUrl = z.string().refine(
  (text) => /^rediss?:$/.test(URL.parse(text)?.protocol ?? ""),
  "Cannot read the address of Redis: write redis://host:port",
);

/** A file, as the password in it: all of its text but a line end behind it. */
export const passwordFile = z.string().min(1).transform((path, context) => {
  try {
    const password = Deno.readTextFileSync(path).replace(/\r?\n$/, "");
    secrets.keep(password);
    if (password !== "") return password;
    context.addIssue(`Cannot use ${path} as a password: it is empty`);
  } catch (error) {
    context.addIssue(`Cannot read the password in ${path}: ${messageOf(error)}`);
  }
  return z.NEVER;
});

/** An address that can be measured. */
export const httpUrl = z.string().transform((text, context) => {
  const url = URL.parse(text);
  const wrong = wrongUrl(url, text);
  if (url && wrong === null) return url;
  context.addIssue(`Cannot measure "${text}": ${wrong}`);
  return z.NEVER;
});

function wrongUrl(url: URL | null, text: string): string | null {
  if (url === null || !text.includes("://")) return `write http://host:port/path`;
  if (!/^https?:$/.test(url.protocol)) {
    return `its protocol is ${url.protocol.slice(0, -1)}, not http`;
  }
  return url.username || url.password ? "leave out user and password, use --header" : null;
}

/** `name: value`. */
export const header = z.string().transform((text, context): [name: string, value: string] => {
  const [name, ...value] = text.split(":");
  if (value.length > 0) return [name.trim(), value.join(":").trim()];
  context.addIssue(`Cannot read "${text}" as a header: write "name: value"`);
  return z.NEVER;
}).pipe(z.tuple([headerName, headerValue]));

/** One status, or several: `200,204`. */
export const statuses = z.string().transform((text) => text.split(","))
  .pipe(z.array(integerText(status)));

/** The text itself, or that of the file in `@FILE`. */
export const textOrFile = z.string().transform((text, context) => {
  if (!text.startsWith("@")) return text;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      readBytesSync(text.slice(1), "body"),
    );
  } catch (error) {
    context.addIssue(`Cannot read ${text.slice(1)} as text: ${messageOf(error)}`);
    return z.NEVER;
  }
});

/** A file of certificates, as its text. */
export const certificates = z.string().transform((path, context) => {
  try {
    return certificatesAt(resolve(path));
  } catch (error) {
    context.addIssue(`Cannot read certificates from ${path}: ${messageOf(error)}`);
    return z.NEVER;
  }
});

/** A unix socket that is there. */
export const socket = z.string().superRefine((path, context) => {
  try {
    checkSocket(resolve(path));
  } catch (error) {
    context.addIssue(`Cannot dial ${path}: ${messageOf(error)}`);
  }
});

/** `-`, or a file that can be written: better refused now than after the measurement. */
export const outputFile = z.string().superRefine((path, context) => {
  if (path === "-") return;
  if (path === "") context.addIssue("Cannot write a file without a name");
  else if (isFolder(path)) context.addIssue(`Cannot write ${path}: it is a folder`);
  else if (!isFolder(dirname(resolve(path)))) {
    context.addIssue(`Cannot write ${path}: there is no folder ${dirname(path)}`);
  }
});

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}
