// The module `plateau`, as a script imports it. It runs inside the realm, so it can do no more than the script itself.
const { env, base64, hmac, sha256 } = globalThis[Symbol.for("plateau")];

export { env };

export const experiment = (given) => given;

/** The field `authorization` of HTTP Basic (RFC 7617 §2), in which the user's name cannot have a colon. */
export const basic = (user, password) => {
  if (`${user}`.includes(":")) {
    throw new TypeError("the user name of HTTP Basic cannot contain a colon");
  }
  return `Basic ${base64(`${user}:${password}`)}`;
};

/**
 * Share of its lifetime after which a token is renewed: if it is checked every quarter of its lifetime, a quarter is
 * left to fetch another.
 */
const RENEWED_AT = 0.5;

const formOf = (parameters) =>
  Object.entries(parameters).filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${formPart(name)}=${formPart(value)}`).join("&");
const formPart = (value) => encode(`${value}`).replaceAll("%20", "+");

/**
 * A token of OAuth 2.0 by the grant of client credentials (RFC 6749 §4.4): the earlier one, until half of its time has passed.
 */
export const clientCredentials = async (
  { tokenUrl, clientId, clientSecret, scope, sends = "field", parameters = {} },
  earlier,
) => {
  const nowMs = Date.now();
  if (earlier && earlier.expiresMs !== null && nowMs < earlier.renewMs) return earlier;
  const inBody = sends === "body" ? { client_id: clientId, client_secret: clientSecret } : {};
  const response = await fetch(tokenUrl, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      accept: "application/json",
      // Client id and secret are form-encoded first (RFC 6749 §2.3.1).
      ...sends === "field" && { authorization: basic(formPart(clientId), formPart(clientSecret)) },
    },
    body: formOf({ grant_type: "client_credentials", scope, ...inBody, ...parameters }),
  });
  const given = await response.json().catch(() => ({}));
  if (!response.ok || typeof given.access_token !== "string") {
    const why = [given.error, given.error_description].filter((part) => typeof part === "string");
    throw new Error(
      `no token from ${tokenUrl}: ${[`status ${response.status}`, ...why].join(", ")}`,
    );
  }
  const type = /^bearer$/i.test(given.token_type ?? "bearer") ? "Bearer" : given.token_type;
  const lastsMs = given.expires_in === undefined ? null : 1_000 * Number(given.expires_in);
  return {
    token: given.access_token,
    authorization: `${type} ${given.access_token}`,
    expiresMs: lastsMs === null ? null : nowMs + lastsMs,
    renewMs: lastsMs === null ? nowMs : nowMs + lastsMs * RENEWED_AT,
  };
};

/** All but the unreserved characters (RFC 3986 §2.3) percent-encoded. */
const encode = (text) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const byText = (a, b) => a < b ? -1 : a > b ? 1 : 0;

const decoded = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/**
 * The path as it is signed: encoded a second time, without dots and empty parts; for S3 encoded only once, with all
 * parts.
 */
const signedPath = (path, isS3) => {
  if (isS3) return path.split("/").map((part) => encode(decoded(part))).join("/");
  const parts = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(encode(part));
  }
  const isFolder = parts.length > 0 && /\/\.{0,2}$/.test(path);
  return `/${parts.join("/")}${isFolder ? "/" : ""}`;
};

const signedQuery = (query) =>
  query.split("&").filter((part) => part !== "").map((part) => {
    const [name, ...value] = part.split("=");
    return [encode(decoded(name)), encode(decoded(value.join("=")))];
  }).sort(([a, of], [b, to]) => byText(a, b) || byText(of, to))
    .map(([name, value]) => `${name}=${value}`).join("&");

const octetsOf = (hex) => Uint8Array.from(hex.match(/../g), (octet) => parseInt(octet, 16));

/** Signing keys, kept because each is valid for a day and takes four digests. */
const keys = new Map();
const MOST_KEYS = 100;
const keyOf = (secret, ...scope) => {
  const name = [secret, ...scope].join("\n");
  const known = keys.get(name);
  if (known !== undefined) return known;
  let key = `AWS4${secret}`;
  for (const part of [...scope, "aws4_request"]) key = octetsOf(hmac("sha256", key, part));
  if (keys.size >= MOST_KEYS) keys.clear();
  keys.set(name, key);
  return key;
};

/** Signs a request by AWS Signature Version 4: sets its header fields `authorization` and `x-amz-…`. */
export const signAws = (
  request,
  { accessKeyId, secretAccessKey, sessionToken, region, service, host, nowMs = Date.now() },
) => {
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, "");
  const day = time.slice(0, 8);
  const isS3 = service === "s3";
  const payload = sha256(request.body);
  const { headers } = request;
  for (const name of Object.keys(headers)) {
    if (/^(?:authorization|x-amz-date|x-amz-security-token)$/i.test(name)) delete headers[name];
  }
  headers["x-amz-date"] = time;
  if (sessionToken !== undefined) headers["x-amz-security-token"] = sessionToken;
  if (isS3) headers["x-amz-content-sha256"] = payload;
  const fields = Object.entries(headers)
    .filter(([, value]) => value !== undefined && value !== null) // which are not sent
    .map(([name, value]) => [name.toLowerCase(), value]);
  if (!fields.some(([name]) => name === "host")) {
    if (host === undefined) throw new TypeError("signAws needs the host to which the request goes");
    fields.push(["host", host]);
  }
  const written = fields.map(([name, value]) => [name, `${value}`.trim().replace(/ +/g, " ")])
    .sort(([a], [b]) => byText(a, b));
  const signed = written.map(([name]) => name).join(";");
  const [, path, query = ""] = /^([^?]*)(?:\?(.*))?$/s.exec(request.path);
  const canonical = [
    request.method,
    signedPath(path, isS3),
    signedQuery(query),
    ...written.map(([name, value]) => `${name}:${value}`),
    "",
    signed,
    payload,
  ].join("\n");
  const scope = [day, region, service, "aws4_request"].join("/");
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const signature = hmac("sha256", keyOf(secretAccessKey, day, region, service), text);
  headers.authorization =
    `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
};
