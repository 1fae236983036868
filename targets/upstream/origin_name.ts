/** What a front stands before, as it is written: the name of another target, or a URL. */
import { z } from "zod";

const NO_ORIGIN =
  "Cannot use this as an origin: write the name of another target, or http://host:port without a path";

export const originName = z.string().min(1).refine(
  (text) => !isUrl(text) || isOrigin(text),
  NO_ORIGIN,
);

/** Names of targets hold no colon. */
export function isUrl(text: string): boolean {
  return text.includes("://");
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === "http:" && url.href === `${url.origin}/`;
}
