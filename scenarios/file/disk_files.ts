/** Reads the files that an experiment names from disk. */
import { resolve } from "node:path";
import { readBytesSync } from "../../base/bounded_file.ts";
import type { Files } from "../../base/files.ts";
import type { readProtoFile } from "../../base/grpc/proto_file.ts";
import { beyond, isWithin } from "../../base/limits.ts";
import { certificatesAt, checkSocket, ifThere, privateKeyAt } from "./access_files.ts";
import { eachLineOf } from "./lines.ts";
import { csvRows, jsonRows, sqliteRows } from "./table_files.ts";

/**
 * The type of the function that reads `.proto` files. Its code is loaded only if the experiment may name such a file.
 */
type ProtoReader = typeof readProtoFile;

/**
 * @param baseDir The folder to which paths are relative.
 * @param readProto May be omitted if no `.proto` file is named.
 */
export function filesFrom(baseDir: string, readProto?: ProtoReader): Files {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const octets = readingOnce(baseDir);
  const text = (path: string): string => decoder.decode(octets(path));
  return {
    octets,
    rows: (path, names) => csvRows(text(path), names),
    jsonRows: (path) => jsonRows(text(path)),
    queried: (path, query) =>
      ifThere(resolve(baseDir, path), (path) => {
        // SQLite does not say why it can't open a file, but `statSync` throws with the reason.
        Deno.statSync(path);
        return sqliteRows(path, query);
      }),
    certificates: (path) => certificatesAt(resolve(baseDir, path)),
    privateKey: (path) => privateKeyAt(resolve(baseDir, path)),
    eachLine: (path, visit) => ifThere(resolve(baseDir, path), (path) => eachLineOf(path, visit)),
    proto: (path) => {
      if (readProto === undefined) throw new Error("only gRPC calls can name a .proto file");
      return readProto(path, text);
    },
    checkSocket: (path) => checkSocket(resolve(baseDir, path)),
  };
}

/** Reads each file only once. One limit applies to all files together. */
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
  return ifThere(path, (path) => readBytesSync(path, "textFile"));
}
