/**
 * Is a server there? Asked by one GET on a connection of its own: `fetch` would keep the connection,
 * follow redirects, and go through the user's proxy.
 */
import { get } from "node:http";

/** The status of the answer to GET `url`. Throws an error that says why there is none. */
export function askStatus(url: string, limitMs: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const request = get(url, { agent: false });
  request.on("response", ({ statusCode = 0 }) => resolve(statusCode));
  request.on("error", reject);
  const timer = setTimeout(() => reject(new Error(`no answer in ${limitMs / 1_000} s`)), limitMs);
  return promise.finally(() => {
    clearTimeout(timer);
    request.destroy();
  });
}
