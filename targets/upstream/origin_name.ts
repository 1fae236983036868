/** What a front stands before, as it is written: the name of another target, or a URL. */
import { z } from "zod";

/** @param protocols Of URLs, as `http:`. */
function originOf(protocols: readonly string[]): z.ZodString {
  const urls = protocols.map((protocol) => `${protocol}//host:port`).join(" or ");
  return z.string().min(1).refine(
    (text) => !isUrl(text) || isOrigin(text, protocols),
    `Cannot use this as an origin: write the name of another target, or ${urls} without a path`,
  );
}

export const originName = originOf(["http:", "https:"]);

/** Of what dials plain http alone. */
export const plainOriginName = originOf(["http:"]);

/** Names of targets hold no colon. */
export function isUrl(text: string): boolean {
  return text.includes("://");
}

function isOrigin(text: string, protocols: readonly string[]): boolean {
  const url = URL.parse(text);
  return url !== null && protocols.includes(url.protocol) && url.href === `${url.origin}/`;
}
