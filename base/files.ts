/**
 * The files that an experiment names. Schemas read files only through this interface, so that they stay pure and a
 * missing file is reported where the experiment names it. Only `disk_files.ts` and `access_files.ts` access the disk.
 */
import { createHash } from "node:crypto";
import * as z from "zod";
import { messageOf } from "./errors.ts";
import type { ProtoTypes } from "./grpc/message_types.ts";

/** One row of a table, with its values keyed by column name. */
export type TableRow = Readonly<Record<string, string>>;

/** Reads the files that an experiment names. Each function throws with the reason if a file can't be read. */
export interface Files {
  readonly octets: (path: string) => Uint8Array<ArrayBuffer>;
  /** @param names Names of the columns; if they are absent, the first line has the names. */
  readonly rows: (path: string, names?: readonly string[]) => readonly TableRow[];
  /** Reads the rows of a file that has a JSON object on each line. */
  readonly jsonRows: (path: string) => readonly TableRow[];
  /** Reads the rows that a query of an SQLite database returns. */
  readonly queried: (path: string, query: string) => readonly TableRow[];
  /** Reads certificates as PEM. */
  readonly certificates: (path: string) => string;
  /** Reads a private key as PEM. */
  readonly privateKey: (path: string) => string;
  /** Visits each line of a file of any size, and returns the SHA-256 of the whole file, in hex. */
  readonly eachLine: (path: string, visit: (line: string) => void) => string;
  /** The types of a `.proto` file and of the files that it imports. */
  readonly proto: (path: string) => ProtoTypes;
  /** Throws unless there is a Unix socket at the path. */
  readonly checkSocket: (path: string) => void;
}

/** An implementation that refuses every file, because the command line and the JSON Schema can read none. */
export const NO_FILES: Files = {
  octets: refuse,
  rows: refuse,
  jsonRows: refuse,
  queried: refuse,
  certificates: refuse,
  privateKey: refuse,
  eachLine: refuse,
  proto: refuse,
  checkSocket: refuse,
};

function refuse(): never {
  throw new Error("only an experiment file can name files");
}

/** The record of a file in results, by which a change of its content can be noticed. */
export interface FileDigest {
  /** Path as written in the experiment file. */
  readonly path: string;
  /** SHA-256 of the bytes that were read, in hex. */
  readonly sha256: string;
}

export function fileDigest(path: string, content: string | Uint8Array<ArrayBuffer>): FileDigest {
  return { path, sha256: createHash("sha256").update(content).digest("hex") };
}

/**
 * Schema of a path in the experiment file. Parsing replaces the path by the result of `read`.
 * @param doing Verb of the error message if `read` throws, as in "Cannot read …".
 */
export function contentOf<Content>(
  read: (path: string) => Content,
  doing = "read",
): z.ZodType<Content, string> {
  return z.string().min(1).transform((path, context) => {
    try {
      return read(path);
    } catch (error) {
      context.addIssue(`Cannot ${doing} ${path}: ${messageOf(error)}`);
      return z.NEVER;
    }
  }).describe("A file, relative to the experiment file");
}
