/** Answers of an origin, or of nobody, on their way to a client of a front. */
import { messageOf } from "../../base/errors.ts";
import type { Fields } from "../upstream/fields.ts";
import type { OriginAnswer } from "../upstream/origin.ts";

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
