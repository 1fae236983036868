/** The files of an experiment, from a disk. */
import { createPrivateKey } from "node:crypto";
import { resolve } from "node:path";
import { parse } from "csv-parse/sync";
import { readBytesSync, readTextSync } from "../../base/bounded_file.ts";
import type { Files, TableRow } from "../../base/files.ts";
import { beyond, isWithin, LIMITS, oneMoreThan } from "../../base/limits.ts";
import { eachLineOf } from "./lines.ts";

/** @param baseDir Folder that relative paths start from. */
export function filesFrom(baseDir: string): Files {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const octets = readingOnce(baseDir);
  const text = (path: string): string => decoder.decode(octets(path));
  return {
    octets,
    rows: (path, names) => rowsOf(text(path), names),
    certificates: (path) => certificatesAt(resolve(baseDir, path)),
    privateKey: (path) => privateKeyAt(resolve(baseDir, path)),
    eachLine: (path, visit) => ifThere(resolve(baseDir, path), (path) => eachLineOf(path, visit)),
    checkSocket: (path) => checkSocket(resolve(baseDir, path)),
  };
}

/** Each file once, and all together within a limit. */
function readingOnce(baseDir: string): Files["octets"] {
  const known = new Map<string, Uint8Array<ArrayBuffer>>();
  let total = 0;
  return (named) => {
    const path = resolve(baseDir, named);
    const octets = known.get(path) ?? bytesOf(path);
    if (!known.has(path)) total += octets.length;
    if (!isWithin("namedFiles", total)) throw new Error(beyond("namedFiles", total));
    known.set(path, octets);
    return octets;
  };
}

function bytesOf(path: string): Uint8Array<ArrayBuffer> {
  try {
    return readBytesSync(path, "textFile");
  } catch (error) {
    throw error instanceof Deno.errors.NotFound ? new Error(`there is no file ${path}`) : error;
  }
}

/**
 * RFC 4180. Throws with what is wrong and its line.
 * @param names Of the columns; without them the first line has the names.
 */
function rowsOf(csv: string, names?: readonly string[]): TableRow[] {
  const rows = parse<TableRow>(csv, {
    bom: true,
    columns: names === undefined ? true : [...names],
    skip_empty_lines: true,
    trim: true,
    to: oneMoreThan("rows"),
    max_record_size: LIMITS.csvRow.most,
  });
  if (rows.length === 0) {
    throw new Error(`it has no rows${names ? "" : " below the names of its columns"}`);
  }
  if (isWithin("rows", rows.length)) return rows;
  throw new Error(beyond("rows", rows.length));
}

// Files by which a server is reached: certificates and sockets. All throw with the reason.

/** Certificates as PEM. Tried as the load will use them: else every dial would fail. */
export function certificatesAt(path: string): string {
  const text = ifThere(path, (path) => readTextSync(path, "certificates"));
  if (!text.includes("-----BEGIN CERTIFICATE-----")) {
    throw new Error("it holds no certificates as PEM");
  }
  Deno.createHttpClient({ caCerts: [text] }).close();
  return text;
}

/** A key as PEM. Throws unless it can be used without a passphrase. */
export function privateKeyAt(path: string): string {
  const text = ifThere(path, (path) => readTextSync(path, "certificates"));
  if (/ENCRYPTED/.test(text)) {
    throw new Error(`it is encrypted: decrypt it by openssl pkey -in ${path}`);
  }
  try {
    createPrivateKey(text);
  } catch {
    throw new Error("it holds no private key as PEM");
  }
  return text;
}

/** Only where the system distinguishes sockets from files (not on Windows). */
export function checkSocket(path: string): void {
  if (ifThere(path, Deno.statSync).isSocket === false) throw new Error("it is no socket");
}

function ifThere<Found>(path: string, look: (path: string) => Found): Found {
  try {
    return look(path);
  } catch (error) {
    throw error instanceof Deno.errors.NotFound ? new Error(`there is no file ${path}`) : error;
  }
}
