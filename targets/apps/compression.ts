/** Compresses whole responses with the coding that the client prefers; brotli wins a tie. */
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Context, MiddlewareHandler } from "hono";

export interface Encodings {
  readonly gzip: boolean;
  readonly brotli: boolean;
}

type Encoding = "br" | "gzip";

/** The quality that Express's compression middleware uses. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const encoders = {
  br: (bytes: Uint8Array) => promisify(brotliCompress)(bytes, BROTLI),
  gzip: promisify<Uint8Array, Uint8Array>(gzip),
};

/** Smaller responses are not compressed, because they would gain nothing or grow. */
const LEAST_BYTES = 1_024;

const COMPRESSIBLE = /^(?:text\/|application\/(?:json|javascript)\b|image\/svg)/;

export function compression(offered: Encodings): MiddlewareHandler {
  return async (c, next) => {
    await next();
    const { headers, status } = c.res;
    const encoding = status === 200 ? await compress(c, offered) : null;
    if (encoding !== null) return;
    // Deno before 2.9 compresses responses itself unless they have `no-transform`.
    const rules = [headers.get("cache-control"), "no-transform"].filter((rule) => rule !== null);
    c.header("cache-control", rules.join(", "));
  };
}

/** Compresses the response. Returns the coding, or null if the response stays uncompressed. */
async function compress(c: Context, offered: Encodings): Promise<Encoding | null> {
  const { headers } = c.res;
  if (!COMPRESSIBLE.test(headers.get("content-type") ?? "")) return null;
  if (offered.gzip || offered.brotli) c.header("vary", "accept-encoding", { append: true });
  const encoding = negotiate(c.req.header("accept-encoding"), offered);
  if (encoding === null) return null;
  const bytes = await c.res.bytes();
  const short = bytes.length < LEAST_BYTES;
  const sent = short ? bytes : new Uint8Array(await encoders[encoding](bytes));
  c.res = new Response(sent, c.res);
  if (short) return null;
  c.header("content-encoding", encoding);
  c.header("content-length", `${sent.length}`);
  const etag = headers.get("etag");
  // Weakens the validator, because the compressed response has other bytes than the original (RFC
  // 9110 §8.8.3.3).
  if (etag !== null && !etag.startsWith("W/")) c.header("etag", `W/${etag}`);
  return encoding;
}

/** The offered coding that the client prefers (RFC 9110 §12.5.3); null if it accepts none of them. */
export function negotiate(accepted: string | undefined, offered: Encodings): Encoding | null {
  const weights = new Map((accepted ?? "").toLowerCase().split(",").map(parseWeighted));
  const weightOf = (encoding: Encoding): number => weights.get(encoding) ?? weights.get("*") ?? 0;
  const candidates: Encoding[] = [];
  if (offered.brotli && weightOf("br") > 0) candidates.push("br");
  if (offered.gzip && weightOf("gzip") > 0) candidates.push("gzip");
  candidates.sort((a, b) => weightOf(b) - weightOf(a));
  return candidates[0] ?? null;
}

/** Parses an item such as `gzip;q=0.5` into its name and its weight from 0 to 1. */
function parseWeighted(text: string): [name: string, weight: number] {
  const [name, ...parameters] = text.split(";").map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  return [name, weight === undefined ? 1 : Number(weight) || 0];
}
