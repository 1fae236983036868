/**
 * Schemas that turn texts from the command line into values, and the flags of Redis. This module is small because every
 * start of a built-in app loads it.
 */
import { dirname, resolve } from "node:path";
import * as z from "zod";
import { messageOf, type Problem } from "../../base/errors.ts";
import { passwordsIn } from "../../base/secret_fields.ts";
import { quotedOpenly, secrets } from "../../base/secrets.ts";
import { closest } from "../../base/suggest.ts";
import type { CommandParts, RawArguments } from "../command_line/command.ts";
import { variable } from "../terminal/process.ts";

/**
 * The text before the separator of a malformed `name: value` or `key=value`. Messages quote only this, because the rest
 * may be a secret.
 */
export function nameIn(text: string): string {
  return text.trimStart().split(/[\s:=]/, 1)[0];
}

/** Parses an assignment: `key=value`. */
export const assignment = z.string().transform((text, context): [key: string, value: string] => {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  context.addIssue(`Cannot read ${quotedOpenly(nameIn(text))} as a setting: write key=value`);
  return z.NEVER;
});

/** Parses several assignments, whose keys must differ, into a map from keys to texts. */
export const settings = z.array(assignment).default([]).transform((pairs, context) => {
  const keys = pairs.map(([key]) => key);
  for (const key of new Set(keys.filter((key, at) => keys.indexOf(key) < at))) {
    context.addIssue(`Cannot set ${quotedOpenly(key)} twice`);
  }
  return Object.fromEntries(pairs);
});

/**
 * Parses the selection of cells by `--only`, which may be repeated: `target=A,scenario=B` becomes the names of targets
 * and of scenarios.
 */
export const only = z.array(z.string()).transform((texts, context) => {
  const names: { targets?: string[]; scenarios?: string[] } = {};
  for (const part of texts.flatMap((text) => text.split(","))) {
    const [key, ...name] = part.split("=").map((side) => side.trim());
    if (!(key === "target" || key === "scenario") || name.length === 0) {
      context.addIssue(`Cannot read ${quotedOpenly(part)} as a filter: ${filterFix(key)}`);
      continue;
    }
    (names[`${key}s`] ??= []).push(name.join("="));
  }
  return names;
});

function filterFix(key: string): string {
  const meant = closest(key, ["target", "scenario"]);
  return meant === null
    ? "write target=NAME or scenario=NAME; to choose values of a factor, edit the file, or use --set " +
      "if the file has a parameter for them"
    : `write ${meant}=NAME`;
}

/** The message does not quote the URL, because it may include a password. */
const redisUrl = z.string().refine(
  (text) => /^rediss?:$/.test(URL.parse(text)?.protocol ?? ""),
  "Cannot read the address of Redis: write redis://host:port",
);

/** Path of a password file; becomes the file's text without a final line break. */
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

export const redisFlag = {
  redis: {
    flags: "--redis <URL>",
    about: "URL of Redis; also set by REDIS_URL",
    schema: redisUrl.optional(),
  },
  redisPasswordFile: {
    flags: "--redis-password-file <FILE>",
    about:
      "File with the password of Redis; the variable PLATEAU_REDIS_PASSWORD can hold it instead",
    schema: passwordFile.optional(),
  },
} satisfies CommandParts;

/**
 * The Redis flags of a command line. `redis` is a URL; `redisPasswordFile` holds the password itself, which was read
 * from the file.
 */
export interface NamedRedis {
  readonly redis?: string;
  readonly redisPasswordFile?: string;
}

/** URL of the Redis that flags or environment variables name, with its password; null if none is named. */
export function redisUrlOf({ redis, redisPasswordFile }: NamedRedis): string | null {
  const url = (redis ?? variable("REDIS_URL")) || null;
  const password = redisPasswordFile ?? variable("PLATEAU_REDIS_PASSWORD");
  for (const secret of [password ?? "", ...passwordsIn(url ?? "")]) secrets.keep(secret);
  return url === null || !password ? url : withPassword(url, password);
}

/** Adds a password to a URL that has none. */
function withPassword(text: string, password: string): string {
  const url = URL.parse(text);
  if (url === null || url.password !== "") return text;
  url.password = encodeURIComponent(password);
  return url.href;
}

/**
 * Problems of --redis-password-file: it is given without a Redis, or for a Redis whose URL already includes a password.
 * @param given The arguments as typed.
 */
export function passwordConflicts({ redis, redisPasswordFile }: RawArguments): Problem[] {
  if (redisPasswordFile === undefined) return [];
  const url = URL.parse(String(redis ?? variable("REDIS_URL") ?? ""));
  if (url !== null && url.password === "") return [];
  const [message, fix] = url === null
    ? [
      "Cannot use a password for Redis without the address of Redis",
      "add --redis redis://host:port, or set REDIS_URL",
    ]
    : [
      "Cannot use two passwords: the address of Redis already has one",
      "remove the password from the address",
    ];
  return [{ place: "--redis-password-file", message, fix }];
}

/** Parses the path of an output file, or `-`. A path that can't work is refused here, before anything is measured. */
export const formFile = z.string().superRefine((path, context) => {
  if (path === "") context.addIssue("Cannot write a file without a name");
  else if (isFolder(path)) context.addIssue(`Cannot write ${path}: it is a folder`);
});

/** A message if the folder of a file does not exist, otherwise nothing. */
export function missingFolder(path: string): string[] {
  if (path === "-" || path === "" || isFolder(dirname(resolve(path)))) return [];
  return [`Cannot write ${path}: there is no folder ${dirname(path)}`];
}

export function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}
