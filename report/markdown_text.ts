/** Texts from outside in markdown; the page's client copies tables with it, too. */
import { harmless } from "./terminal/text.ts";

/** Text that no markdown renderer takes for markup, a link or a mention. */
export function escaped(text: string): string {
  return harmless(text)
    .replace(/[\\`*_{}[\]()#+!|~$]/g, "\\$&")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("@", "&#64;")
    .replace(/:\/\//g, "&#58;//")
    .replace(/www\./gi, (www) => www.replace(".", "&#46;"));
}
