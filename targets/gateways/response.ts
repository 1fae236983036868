/** Answers of an origin, or of nobody, on their way to a client of a front. */
import { messageOf } from "../../base/errors.ts";
import type { Fields } from "./origin/fields.ts";
import type { OriginAnswer } from "./origin/origin.ts";
import { losesBody, pathOf } from "./origin/request.ts";

/** Deno before 2.9 compresses on its own what does not forbid it. */
const COMPRESSES = Number(Deno.version.deno.split(".")[0]) < 3 &&
  Number(Deno.version.deno.split(".")[1]) < 9;

/** The answer as it is. */
export function responseOf({ status, fields, body }: OriginAnswer): Response {
  return new Response(body, { status, headers: COMPRESSES ? untouchable(fields) : fields });
}

/** RFC 9111 §5.2.2.6. */
function untouchable(fields: Fields): Fields {
  const isTold = fields.some(([name]) => name === "content-encoding");
  return isTold ? fields : [...fields, ["cache-control", "no-transform"]];
}

export function badGateway(error: unknown): Response {
  const message = `Cannot get an answer from the origin: ${messageOf(error)}`;
  return Response.json({ error: message }, { status: 502 });
}

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

// hot: every request.
/** Null for what goes on to an origin. */
export function ownAnswer(request: Request): Response | null {
  const { method, url, headers } = request;
  if (method === "TRACE" || method === "CONNECT") return notAllowed(method);
  const path = pathOf(url);
  if (path === null || !isHost(headers.get("host") ?? "")) {
    return refused("Cannot make out what is asked for: its host or its path is none");
  }
  if (losesBody(request)) {
    return refused(`Cannot pass on a body with ${method}: send it with POST, or go through nginx`);
  }
  if (method === "GET" || method === "HEAD") return null;
  if (headers.get("content-length")?.includes(",")) {
    return refused("Cannot pass on a body with two lengths");
  }
  if (method !== "OPTIONS") return null;
  return path === "/*" || headers.get("max-forwards") === "0" ? options() : null;
}

/**
 * A name or an address, maybe with a port, or nothing (RFC 9112 §3.2). A host like `x/admin?` would put
 * another path before the one that is asked for, as `Request` makes one URL of both.
 */
function isHost(text: string): boolean {
  return /^(?:(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{0,5})?)?$/i.test(text);
}

/** TRACE would show cookies to scripts, CONNECT would lead anywhere (RFC 9110 §9.3.6 and §9.3.8). */
function notAllowed(method: string): Response {
  const error = `Cannot pass on ${method}`;
  return Response.json({ error }, { status: 405, headers: { allow: METHODS } });
}

function refused(error: string): Response {
  return Response.json({ error }, { status: 400 });
}

/** `OPTIONS *`, which `Request` calls `/*`, and one that may go no further (RFC 9110 §9.3.7 and §7.6.2). */
function options(): Response {
  return new Response(null, { status: 204, headers: { allow: METHODS } });
}
