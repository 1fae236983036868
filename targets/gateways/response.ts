/** Responses of an origin on their way to the client, and those that a gateway makes itself. */
import { messageOf } from "../../base/errors.ts";
import type { Fields } from "./origin/fields.ts";
import type { OriginResponse } from "./origin/origin.ts";
import { losesBody, pathOf } from "./origin/request.ts";

/** Deno before 2.9 compresses on its own what does not forbid it. */
const COMPRESSES = Number(Deno.version.deno.split(".")[0]) < 3 &&
  Number(Deno.version.deno.split(".")[1]) < 9;

/** The response as it is. */
export function responseOf({ status, fields, body }: OriginResponse): Response {
  return new Response(body, { status, headers: COMPRESSES ? untouchable(fields) : fields });
}

/** RFC 9111 §5.2.2.6. */
function untouchable(fields: Fields): Fields {
  const isCoded = fields.some(([name]) => name === "content-encoding");
  return isCoded ? fields : [...fields, ["cache-control", "no-transform"]];
}

export function badGateway(error: unknown): Response {
  const message = `Cannot get a response from the origin: ${messageOf(error)}`;
  return Response.json({ error: message }, { status: 502 });
}

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

// hot: every request.
/** The response to a request that no origin must get; null for all others. */
export function ownResponse(request: Request): Response | null {
  const { method, url, headers } = request;
  if (method === "TRACE" || method === "CONNECT") return notAllowed(method);
  const path = pathOf(url);
  if (path === null || !isHost(headers.get("host") ?? "")) {
    return refused("Cannot use this request: its host or its path is not valid");
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
 * another path before the requested one, as `Request` makes one URL of both.
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
