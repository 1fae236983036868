/** The responses that a gateway forwards from an origin, and those that it makes itself. */
import { messageOf } from "../../base/errors.ts";
import type { Fields } from "./origin/fields.ts";
import type { OriginResponse } from "./origin/origin.ts";
import { losesBody, pathOf } from "./origin/request.ts";

/** Whether Deno compresses responses that do not forbid it, as it did before version 2.9. */
const COMPRESSES = Number(Deno.version.deno.split(".")[0]) < 3 &&
  Number(Deno.version.deno.split(".")[1]) < 9;

/** Forwards the origin's response unchanged. */
export function responseOf({ status, fields, body }: OriginResponse): Response {
  return new Response(body, { status, headers: COMPRESSES ? untouchable(fields) : fields });
}

/**
 * Adds `no-transform` (RFC 9111 §5.2.2.6) to the fields of a response without a content coding, so that Deno does not
 * compress its body.
 */
function untouchable(fields: Fields): Fields {
  const isCoded = fields.some(([name]) => name === "content-encoding");
  return isCoded ? fields : [...fields, ["cache-control", "no-transform"]];
}

export function badGateway(error: unknown): Response {
  const message = `Cannot get a response from the origin: ${messageOf(error)}`;
  return Response.json({ error: message }, { status: 502 });
}

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

// hot: runs for every request.
/** The gateway's own response to a request that it must not forward; null for any other request. */
export function ownResponse(request: Request): Response | null {
  const { method, url, headers } = request;
  if (method === "TRACE" || method === "CONNECT") return notAllowed(method);
  const path = pathOf(url);
  if (path === null || !isHost(headers.get("host") ?? "")) {
    return refused("Cannot use this request: its host or its path is not valid");
  }
  if (losesBody(request)) {
    return refused(
      `Cannot forward a body with ${method}: send it with POST, or use nginx as the gateway`,
    );
  }
  if (method === "GET" || method === "HEAD") return null;
  if (headers.get("content-length")?.includes(",")) {
    return refused("Cannot forward a body with two values of content-length");
  }
  if (method !== "OPTIONS") return null;
  return path === "/*" || headers.get("max-forwards") === "0" ? options() : null;
}

/**
 * Whether a Host field is valid: empty, or a name or address with an optional port (RFC 9112 §3.2). A host like
 * `x/admin?` would put another path before the requested one, because `Request` builds a single URL from host and path.
 */
function isHost(text: string): boolean {
  return /^(?:(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{0,5})?)?$/i.test(text);
}

/**
 * Refuses TRACE, which would reveal cookies to scripts, and CONNECT, which would open a tunnel to any host (RFC 9110
 * §9.3.6 and §9.3.8).
 */
function notAllowed(method: string): Response {
  const error = `Cannot forward ${method}`;
  return Response.json({ error }, { status: 405, headers: { allow: METHODS } });
}

function refused(error: string): Response {
  return Response.json({ error }, { status: 400 });
}

/**
 * Responds to `OPTIONS *`, which `Request` turns into `/*`, and to an OPTIONS request whose Max-Forwards is 0 (RFC 9110
 * §9.3.7 and §7.6.2).
 */
function options(): Response {
  return new Response(null, { status: 204, headers: { allow: METHODS } });
}
