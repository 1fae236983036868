/** Reads a file line by line, so that it may be larger than memory. */
import { createHash } from "node:crypto";
import { beyond, LIMITS, oneMoreThan } from "../../base/limits.ts";

const CHUNK_BYTES = 1 << 20;

/**
 * Calls `visit` with each line. Returns the SHA-256 of the file in hex. Only one chunk of the file is in memory at a
 * time.
 */
export function eachLineOf(path: string, visit: (line: string) => void): string {
  using file = Deno.openSync(path);
  const hash = createHash("sha256");
  const chunk = new Uint8Array(CHUNK_BYTES);
  const decoder = new TextDecoder();
  let rest = "";
  for (let read; (read = file.readSync(chunk)) !== null;) {
    const bytes = chunk.subarray(0, read);
    hash.update(bytes);
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    lines.forEach(visit);
    if (rest.length > LIMITS.csvRow.most) throw new Error(beyond("csvRow", oneMoreThan("csvRow")));
  }
  if (rest !== "") visit(rest);
  return hash.digest("hex");
}
