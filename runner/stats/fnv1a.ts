/**
 * FNV-1a of 32 bits over a text's UTF-8 (G. Fowler, L. C. Noll and K.-P. Vo, 1991): texts that are alike come
 * to numbers that are not. No two are sure to differ.
 */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
