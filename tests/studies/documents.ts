/**
 * The documents of the studies as sequences of hashed words: they are not ours to copy, and a quotation can still be
 * held to them word for word. `deno run -A tests/studies/documents.ts 000 FILE` writes that of a document again.
 */
import { join } from "node:path";

const FOLDER = join(import.meta.dirname ?? "", "documents");

/** Words and numbers in lower case; punctuation and marks of tables are none. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+(?:[.,]\d+)*/gu) ?? [];
}

/** FNV-1a, 32 bits (G. Fowler, L. C. Noll, K.-P. Vo), over the word's UTF-8. */
function hashOf(word: string): number {
  return new TextEncoder().encode(word)
    .reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193) >>> 0, 0x811c9dc5);
}

/** The document's words in their order, each as its hash. @param study Such as "004". */
export function documentOf(study: string): Uint32Array {
  const bytes = Uint8Array.fromBase64(Deno.readTextFileSync(join(FOLDER, `${study}.base64`)));
  return new Uint32Array(bytes.buffer);
}

/** Whether all of the quotation is there without a gap; `…` in it stands for words that are left out. */
export function isQuoted(quotation: string, document: Uint32Array): boolean {
  const pieces = quotation.split("…").map(wordsOf).filter(({ length }) => length > 0);
  const end = pieces.reduce((from, piece) => from < 0 ? from : endOf(piece, document, from), 0);
  return pieces.length > 0 && end >= 0;
}

/** Index after the first occurrence of the words, or -1. */
function endOf(words: readonly string[], document: Uint32Array, from: number): number {
  const hashes = words.map(hashOf);
  for (let at = from; at + hashes.length <= document.length; at++) {
    if (hashes.every((hash, i) => document[at + i] === hash)) return at + hashes.length;
  }
  return -1;
}

if (import.meta.main) {
  const [study, file] = Deno.args;
  const hashes = Uint32Array.from(wordsOf(Deno.readTextFileSync(file)), hashOf);
  const lines = new Uint8Array(hashes.buffer).toBase64().match(/.{1,100}/g) ?? [];
  Deno.writeTextFileSync(join(FOLDER, `${study}.base64`), lines.join("\n") + "\n");
}
