/**
 * Is a server there? Asked by one GET on a connection of its own: `fetch` would keep the connection,
 * follow redirects, and go through the user's proxy; `node:http` of Deno 2.6 gets no answer by IPv6.
 */
import { messageOf } from "../../base/errors.ts";
import { endpointOf } from "../dial/endpoint.ts";
import { type Asked, encodeHead } from "../upstream/asked.ts";
import { OriginConnection } from "../upstream/connection.ts";

/** The status of the answer to GET `origin` + `path`. Throws an error that says why there is none. */
export async function askStatus(
  { origin, path }: { readonly origin: string; readonly path: string },
  limitMs: number,
): Promise<number> {
  const late = new AbortController();
  const tooLate = new Error(`no answer in ${limitMs / 1_000} s`);
  const timer = setTimeout(() => late.abort(tooLate), limitMs);
  try {
    const connection = await dial(origin, late.signal);
    late.signal.addEventListener("abort", () => connection.close());
    const asked: Asked = { method: "GET", path, fields: [["connection", "close"]], body: null };
    try {
      await connection.write(encodeHead(asked, new URL(origin).host));
      return (await connection.readHead("GET")).status;
    } finally {
      connection.close();
    }
  } catch (error) {
    late.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function dial(origin: string, signal: AbortSignal): Promise<OriginConnection> {
  try {
    return await OriginConnection.dial(endpointOf(origin), signal);
  } catch (error) {
    throw new Error(`${origin} can't be reached: ${messageOf(error)}`);
  }
}
