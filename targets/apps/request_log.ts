/**
 * The request log: a line per request in Apache's "combined" format, as morgan writes it in the
 * studies: `remote - - [date] "request" status length "referer" "user agent"`.
 */
import type { MiddlewareHandler } from "hono";
import type { ClientBindings } from "./app.ts";

/** Hono middleware; it belongs in front of everything else. */
export function requestLog(log: (line: string) => void): MiddlewareHandler<ClientBindings> {
  return async (context, next) => {
    await next();
    const { req, res } = context;
    const { pathname, search } = new URL(req.url);
    const field = (value: string | null | undefined): string => value ?? "-";
    log(
      `${field(context.env?.remoteAddr?.hostname)} - - [${clfDate(new Date())}] ` +
        `"${req.method} ${pathname}${search} HTTP/1.1" ${res.status} ` +
        `${field(res.headers.get("content-length"))} ` +
        `"${field(req.header("referer"))}" "${field(req.header("user-agent"))}"`,
    );
  };
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** Apache's date, in UTC: `10/Oct/2000:13:55:36 +0000`. */
export function clfDate(date: Date): string {
  const [year, month, rest] = date.toISOString().split("-");
  return `${rest.slice(0, 2)}/${MONTHS[Number(month) - 1]}/${year}:${rest.slice(3, 11)} +0000`;
}
