/**
 * The files that an experiment names. Schemas read files through this interface, so that the schemas stay pure, and a
 * missing file is reported at the place that names it; only `disk_files.ts` and `access_files.ts` touch a disk.
 */
import { createHash } from "node:crypto";
import * as z from "zod";
import { messageOf } from "./errors.ts";
import type { ProtoTypes } from "./grpc/message_types.ts";

/** One row of a table: its values by the names of the columns. */
export type TableRow = Readonly<Record<string, string>>;

/** Reads the files that an experiment names. Each function throws with the reason if a file can't be read. */
export interface Files {
  readonly octets: (path: string) => Uint8Array<ArrayBuffer>;
  /** @param names Names of the columns; without them, the first line has the names. */
  readonly rows: (path: string, names?: readonly string[]) => readonly TableRow[];
  /** Reads the rows of a file that has a JSON object on each line. */
  readonly jsonRows: (path: string) => readonly TableRow[];
  /** The rows that a query of an SQLite database gives. */
  readonly queried: (path: string, query: string) => readonly TableRow[];
  /** Reads certificates as PEM. */
  readonly certificates: (path: string) => string;
  /** Reads a private key as PEM. */
  readonly privateKey: (path: string) => string;
  /** Visits each line of a file of any size, and gives the SHA-256 of the whole, in hex. */
  readonly eachLine: (path: string, visit: (line: string) => void) => string;
  /** The types of a `.proto` file and of the files that it imports. */
  readonly proto: (path: string) => ProtoTypes;
  /** Throws unless a Unix socket is there. */
  readonly checkSocket: (path: string) => void;
}

/** An implementation for the command line and the JSON Schema, which can read no files. */
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

/** A file as results record it: enough to see whether its content has changed. */
export interface FileDigest {
  /** Path as the experiment file has it. */
  readonly path: string;
  /** SHA-256 of the bytes that were read, in hex. */
  readonly sha256: string;
}

export function fileDigest(path: string, content: string | Uint8Array<ArrayBuffer>): FileDigest {
  return { path, sha256: createHash("sha256").update(content).digest("hex") };
}

/**
 * A path in the experiment file; becomes what `read` returns for it.
 * @param doing The task that fails if `read` throws.
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
