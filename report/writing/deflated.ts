/**
 * Large data that is not needed immediately, as text for a script element; `inflated` in the page's client decodes it.
 * Pure.
 */
import { deflateSync } from "node:zlib";

/** zlib's format, in base64. */
export function deflated(content: string | Uint8Array): string {
  return deflateSync(content).toString("base64");
}
