/** An experiment in TypeScript that signs its orders, and the server that looks at them. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Results, results } from "../../runner/result/result.ts";

/** What the server saw. */
interface Seen {
  logins: number;
  logouts: number;
  signed: number;
  unsigned: number;
}

interface SigningServer extends AsyncDisposable {
  readonly url: string;
  readonly seen: Seen;
}

/** Takes orders that are signed with the token that a login gave, and responds with their total. */
export async function signingServer(): Promise<SigningServer> {
  const seen: Seen = { logins: 0, logouts: 0, signed: 0, unsigned: 0 };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => body += part);
    request.on("end", () => {
      if (request.url === "/login") return response.end(`{"token":"t${++seen.logins}"}`);
      if (request.url === "/logout") return response.end(String(++seen.logouts));
      const wanted = createHmac("sha256", `t${seen.logins}`).update(body).digest("hex");
      const isSigned = request.headers["x-signature"] === wanted;
      seen[isSigned ? "signed" : "unsigned"]++;
      response.writeHead(isSigned ? 200 : 401).end('{"total":3}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return {
    url: `http://127.0.0.1:${address.port}`,
    seen,
    [Symbol.asyncDispose]: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export function script(url: string, order: string): string {
  return `import { experiment } from "plateau";
import { signed } from "./lib/signed.ts";
export default experiment({
  name: "signed",
  targets: { shop: { url: "${url}" } },
  scenarios: { order: { post: "/orders", json: { id: 1 }, ${order} } },
  async setup({ url }: { url: string }) {
    const response = await fetch(url + "/login", { method: "POST" });
    return (await response.json()) as { token: string };
  },
  async teardown(data: { token: string }) {
    if (data.token.startsWith("t")) await fetch("${url}/logout", { method: "POST" });
  },
  load: { connections: 4, requests: 200 },
  repeat: 2,
});
`;
}

const LIB =
  `interface User { hmac(algorithm: string, key: string, text: string): string; data: any }
export function signed(user: User, body: string): string {
  return user.hmac("sha256", user.data.token, body);
}
`;

export const SIGNING = `before(request: any, user: any) {
    request.body = JSON.stringify({ id: user.iteration });
    request.headers["x-signature"] = signed(user, request.body);
  }`;

export function resultsIn(folder: string): Results {
  return results.parse(JSON.parse(readFileSync(join(folder, "results.json"), "utf8")));
}

export function writeScript(folder: string, text: string): string {
  Deno.mkdirSync(join(folder, "lib"), { recursive: true });
  writeFileSync(join(folder, "lib/signed.ts"), LIB);
  const file = join(folder, "signed.ts");
  writeFileSync(file, text);
  return file;
}
