/** What is large and not needed at once, as text for a script element: `inflated` of the page's client reads it. Pure. */
import { deflateSync } from "node:zlib";

/** zlib's format, in base64. */
export function deflated(content: string | Uint8Array): string {
  return deflateSync(content).toString("base64");
}
