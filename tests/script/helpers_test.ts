/** What the module `plateau` has for scripts besides types: HTTP Basic, tokens of OAuth 2.0, and signatures for AWS. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { hmacHex } from "../../base/script/digests.ts";
import { Realm } from "../../base/script/realm.ts";
import { Hooks } from "../../runner/load/hooks/hooks.ts";
import type { ScriptCode } from "../../scenarios/code/code.ts";

function codeOf(source: string): ScriptCode {
  return {
    entry: "script.js",
    files: { "script.js": source },
    parameters: {},
    env: {},
    data: null,
  };
}

/** What the function `made` of a script gives, as a header field. */
async function madeBy(source: string): Promise<string> {
  const hooks = await Hooks.open(
    codeOf(`${source}
      export default { before(request) { request.headers = { made: made() } } };`),
    { seed: 1, first: 0, stride: 1, nowUs: () => 0 },
  );
  const wire = { method: "GET", path: "/", headers: {}, body: null };
  const { before } = hooks.prepared({ before: "before", after: null }, wire);
  const user = { number: 0, isNew: true, news: new Map(), variables: new Map() };
  const sent = before?.(user, wire);
  assert.ok(typeof sent === "object", JSON.stringify(sent));
  return sent.headers.made;
}

Deno.test("a user and its password are the field of HTTP Basic, in UTF-8", async () => {
  const source = (call: string): string =>
    `import { basic } from "plateau"; const made = () => ${call};`;
  // RFC 7617 §2 and §2.1.
  assert.equal(
    await madeBy(source('basic("Aladdin", "open sesame")')),
    "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
  );
  assert.equal(await madeBy(source('basic("test", "123£")')), "Basic dGVzdDoxMjPCow==");
  await assert.rejects(madeBy(source('basic("a:b", "c")')), /cannot contain a colon/);
});

Deno.test("HMAC is that of the runtime, for all algorithms and lengths of keys", () => {
  for (const algorithm of ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"]) {
    for (const length of [0, 1, 63, 64, 65, 127, 128, 129, 500]) {
      const key = Uint8Array.from({ length }, (_, at) => at * 7);
      const content = Uint8Array.from({ length: 3 * length }, (_, at) => at * 11);
      const wanted = createHmac(algorithm, key).update(content).digest("hex");
      assert.equal(hmacHex(algorithm, key, content), wanted, `${algorithm} ${length}`);
    }
  }
  const none = new Uint8Array();
  assert.throws(() => hmacHex("sha3", none, none), /no algorithm "sha3": use one of md5/);
});

interface Vector {
  readonly method?: "POST";
  readonly path?: string;
  /** Of null: not sent. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: string;
  readonly sessionToken?: string;
  readonly signature: string;
}

/** By their names in the test suite of AWS for Signature Version 4, whose requests are all of the same moment and key. */
const VECTORS: Readonly<Record<string, Vector>> = {
  "get-vanilla": { signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31" },
  "get-header-value-trim": {
    headers: { "My-Header1": " value1", "My-Header2": ' "a   b   c"' },
    signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
  },
  "get-unreserved": {
    path: "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
  },
  "get-utf8": {
    path: "/ሴ",
    signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85",
  },
  "get-space-normalized": {
    path: "/example space/",
    signature: "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741",
  },
  "get-slashes-normalized": {
    path: "//example//",
    signature: "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84",
  },
  "get-relative-relative-normalized": {
    path: "/example1/example2/../..",
    signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
  },
  "get-vanilla-query-order-key-case": {
    path: "/?Param2=value2&Param1=value1",
    signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  },
  "get-vanilla-query-order-encoded": {
    path: "/?Param-3=Value3&Param=Value2&%E1%88%B4=Value1",
    signature: "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac",
  },
  "get-vanilla-utf8-query": {
    path: "/?ሴ=bar",
    signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04",
  },
  "get-vanilla-with-session-token": {
    sessionToken: "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267",
    signature: "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8",
  },
  "post-header-key-sort": {
    method: "POST",
    headers: { "X-Unset": null, "My-Header1": "value1" },
    signature: "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c",
  },
  "post-x-www-form-urlencoded": {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: "Param1=value1",
    signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
  },
};

Deno.test("requests are signed for AWS as its own test suite has them", async () => {
  const requests = Object.entries(VECTORS).map(([name, { signature: _, ...vector }]) => ({
    ...{ name, method: "GET", path: "/", headers: {}, body: "" },
    ...vector,
  }));
  const made = await madeBy(`
    import { signAws } from "plateau";
    const made = () => JSON.stringify(${
    JSON.stringify(requests)
  }.map(({ sessionToken, ...request }) => {
      signAws(request, {
        accessKeyId: "AKIDEXAMPLE",
        secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
        region: "us-east-1", service: "service", host: "example.amazonaws.com",
        nowMs: Date.UTC(2015, 7, 30, 12, 36),
        sessionToken,
      });
      return [request.name, request.headers.authorization.replace(/.*Signature=/, "")];
    }));`);
  const wanted = Object.entries(VECTORS).map(([name, { signature }]) => [name, signature]);
  assert.deepEqual(JSON.parse(made), wanted);
});

interface Sent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

Deno.test("a token of OAuth 2.0 is fetched by client credentials, and again when half of its time has passed", async () => {
  const realm = await Realm.open({
    entry: "script.js",
    load: () => `
      import { clientCredentials } from "plateau";
      const options = { tokenUrl: "http://127.0.0.1/token", clientId: "a b", clientSecret: "c:d" };
      export default {
        fetched: (earlier) => clientCredentials({ ...options, scope: "read write" }, earlier),
        inBody: () => clientCredentials({ ...options, sends: "body", parameters: { audience: "x" } }),
      };`,
    random: () => 0,
    nowMs: () => performance.now(),
    log: () => {},
    env: () => "",
  });
  realm.experiment({});
  const sent: Sent[] = [];
  let response = {
    status: 200,
    body: '{"access_token":"t1","token_type":"bearer","expires_in":60}',
  };
  const call = async (name: string, earlier: unknown): Promise<Record<string, unknown>> =>
    JSON.parse(
      await realm.call(name, JSON.stringify([earlier]), (url, init) => {
        sent.push({ url, ...JSON.parse(init) });
        return Promise.resolve(JSON.stringify({ headers: {}, ...response }));
      }),
    );
  const startMs = Date.now();
  const first = await call("fetched", null);
  assert.equal(first.authorization, "Bearer t1");
  assert.equal(sent[0].body, "grant_type=client_credentials&scope=read+write");
  assert.equal(sent[0].headers.authorization, `Basic ${btoa("a+b:c%3Ad")}`);
  const lastsMs = Number(first.expiresMs) - startMs;
  assert.ok(lastsMs >= 60_000 && lastsMs < 70_000, String(lastsMs));
  // It is kept until half of its time has passed.
  assert.equal(Number(first.expiresMs) - Number(first.renewMs), 30_000);
  assert.deepEqual(await call("fetched", first), first);
  assert.equal(sent.length, 1);
  response = { status: 200, body: '{"access_token":"t2"}' };
  const second = await call("fetched", { ...first, renewMs: startMs - 1 });
  assert.equal(second.authorization, "Bearer t2");
  // Nobody knows how long this one lasts.
  assert.equal((await call("fetched", second)).token, "t2");
  assert.equal(sent.length, 3);
  await call("inBody", null);
  assert.equal(
    sent[3].body,
    "grant_type=client_credentials&client_id=a+b&client_secret=c%3Ad&audience=x",
  );
  assert.equal(sent[3].headers.authorization, undefined);
  response = { status: 401, body: '{"error":"invalid_client","error_description":"who?"}' };
  await assert.rejects(
    call("fetched", null),
    /no token from http:\/\/127\.0\.0\.1\/token: status 401, invalid_client, who\?/,
  );
});
