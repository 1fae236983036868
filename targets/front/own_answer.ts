/** What a front of ours answers by itself, as no origin must see it. */
import { losesBody, pathOf } from "../upstream/asked.ts";

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
