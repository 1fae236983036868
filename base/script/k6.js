// The module `plateau/k6`: what a script of k6 imports, for its functions in an experiment. A function that sends is a generator:
// it yields each request, and goes on with the response.
export let __VU = 0;
export let __ITER = 0;
/** Session of the current call. */
let current = null;
const sessions = new WeakMap();

const request = (method, hasBody) => (url, ...given) => {
  const [body, params] = hasBody ? given : [undefined, given[0]];
  return { method, url: String(url), body, params: params ?? {} };
};

export const http = {
  get: request("GET", false),
  head: request("HEAD", false),
  post: request("POST", true),
  put: request("PUT", true),
  patch: request("PATCH", true),
  del: request("DELETE", true),
  options: request("OPTIONS", true),
  request: (method, url, body, params) =>
    request(String(method).toUpperCase(), true)(url, body, params),
  asyncRequest: (method, ...given) => http.request(method, ...given),
  *batch(requests) {
    const isList = Array.isArray(requests);
    const responses = isList ? [] : {};
    for (const [name, one] of Object.entries(requests)) {
      const { method = "GET", url, body, params } = typeof one === "string"
        ? { url: one }
        : Array.isArray(one)
        ? { method: one[0], url: one[1], body: one[2], params: one[3] }
        : one;
      responses[name] = yield http.request(method, url, body, params);
    }
    return responses;
  },
};

/** Cookies in Set-Cookie. Several are joined by a comma, which may also stand in the date of one. */
const cookiesIn = (field) => {
  const cookies = {};
  for (const one of field.split(/,\s*(?=[^\s;,=]+=)/)) {
    const [pair, ...attributes] = one.split(";").map((part) => part.trim());
    const [name, ...value] = pair.split("=");
    if (name === "") continue;
    const given = Object.fromEntries(
      attributes.map((text) => text.split("=")).map(([key, ...of]) => [
        key.toLowerCase(),
        of.join("="),
      ]),
    );
    (cookies[name] ??= []).push({
      name,
      value: value.join("="),
      domain: given.domain ?? "",
      path: given.path ?? "",
      http_only: "httponly" in given,
      secure: "secure" in given,
      max_age: Number(given["max-age"] ?? 0),
      expires: Date.parse(given.expires ?? "") || 0,
    });
  }
  return cookies;
};

class Response {
  isChecked = false;
  error = "";
  error_code = 0;
  constructor(url, { status, headers, body }) {
    this.url = url;
    this.status = status;
    this.body = body;
    this.headers = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name.replace(/(^|-)([a-z])/g, (_, before, letter) => before + letter.toUpperCase()),
        value,
      ]),
    );
  }
  get cookies() {
    return cookiesIn(this.headers["Set-Cookie"] ?? "");
  }
  json(path) {
    const value = JSON.parse(this.body);
    if (path === undefined) return value;
    return path.split(".").reduce((inner, name) => inner?.[name], value);
  }
}

export function check(value, checks) {
  if (value instanceof Response) value.isChecked = true;
  let isRight = true;
  for (const [name, rule] of Object.entries(checks)) {
    if (typeof rule === "function" ? rule(value) : rule) continue;
    isRight = false;
    current?.failed.push(name);
  }
  return isRight;
}

export function* group(_, inner) {
  const result = inner();
  return typeof result?.next === "function" ? yield* result : result;
}

/** Does nothing, because pauses are steps of the flow. */
export function sleep() {}

export function fail(message) {
  throw new Error(message);
}

export class SharedArray {
  constructor(_, read) {
    return read();
  }
}

class Metric {
  add() {}
}
export { Metric as Counter, Metric as Gauge, Metric as Rate, Metric as Trend };

const host = globalThis[Symbol.for("plateau")];

/** Forms in which a digest can be written, by the names that k6 gives them. */
const FORMS = {
  base64: (octets) => host.base64(octets),
  base64url: (octets) => FORMS.base64(octets).replaceAll("+", "-").replaceAll("/", "_"),
  base64rawurl: (octets) => FORMS.base64url(octets).replace(/=+$/, ""),
  binary: (octets) => octets.buffer,
};

export const hmac = (algorithm, key, text, form) => {
  const hex = host.hmac(algorithm, key, text);
  if (form === "hex") return hex;
  if (!Object.hasOwn(FORMS, form)) throw new Error(`a digest cannot be written as ${form}`);
  return FORMS[form](Uint8Array.from(hex.match(/../g), (digits) => parseInt(digits, 16)));
};
export const crypto = { hmac };

export const randomIntBetween = (from, to) => from + Math.floor(Math.random() * (to - from + 1));
export const randomItem = (list) => list[Math.floor(Math.random() * list.length)];
export const randomString = (length, signs = "abcdefghijklmnopqrstuvwxyz") =>
  Array.from({ length }, () => signs[Math.floor(Math.random() * signs.length)]).join("");
export const uuidv4 = () => host.uuid();

const goOn = (session, value) => {
  current = session;
  __VU = session.user.id + 1;
  __ITER = session.iterations;
  const { done, value: next } = session.run.next(value);
  session.next = done ? null : next;
};

const hasField = (headers, field) =>
  Object.keys(headers).some((name) => name.toLowerCase() === field);

const formText = (fields) =>
  Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(one)}`)
  ).join("&");

/**
 * Headers and body of a request, as HTTP has them.
 * @param credentials User and password in its URL.
 * @param userAgent The option `userAgent` of the script, if it has one.
 */
const sentOf = ({ body, params: { headers = {}, cookies = {} } }, credentials, userAgent) => {
  const pairs = Object.entries(cookies).map(([name, value]) => `${name}=${value?.value ?? value}`);
  const isOwn = credentials === "" || hasField(headers, "authorization");
  const isNamed = userAgent === undefined || hasField(headers, "user-agent");
  const all = {
    ...!isNamed && { "user-agent": userAgent },
    ...headers,
    ...pairs.length > 0 && { cookie: pairs.join("; ") },
    ...!isOwn && { authorization: `Basic ${host.base64(credentials)}` },
  };
  if (body === undefined || body === null) return { headers: all };
  if (body instanceof ArrayBuffer) return { headers: all, body: new Uint8Array(body) };
  if (typeof body !== "object" || body instanceof Uint8Array) return { headers: all, body };
  const type = hasField(all, "content-type")
    ? {}
    : { "content-type": "application/x-www-form-urlencoded" };
  return { headers: { ...all, ...type }, body: formText(body) };
};

/**
 * Splits a URL: its scheme, host and port; everything after them but a fragment; and its user and password, which end
 * at the last @.
 */
const partsOf = (url) => {
  const [, scheme = "", user, place = "", rest] = /^(?:(\w+:\/\/)(?:([^/?#]*)@)?([^/?#]*))?([^#]*)/
    .exec(url);
  const credentials = user === undefined ? "" : user.includes(":") ? user : `${user}:`;
  return { base: scheme + place, rest, credentials: decodeURIComponent(credentials) };
};

/** An origin as URLs have it: in lower case, and without the port that its scheme has anyway. */
const normal = (base) =>
  base.toLowerCase().replace(/^(http:.*):80$|^(https:.*):443$/, (_, http, https) => http ?? https);

/** Every status is right, because the script itself checks it. */
const ANY_STATUS = Array.from({ length: 500 }, (_, at) => 100 + at);

/**
 * The hooks of all steps of a flow.
 * @param script One iteration: a generator function of the data from `setup`.
 * @param origin Origin of the script's URLs; the requests go to the target instead.
 * @param rounds Iterations of a session.
 */
export function iterations(script, origin, userAgent, rounds = 1) {
  const runOf = function* (session) {
    for (let round = 0; round < rounds; round++) {
      yield* script(session.user.data);
      __ITER = ++session.iterations;
    }
  };
  const begin = (user) => {
    const { iteration } = user;
    const session = { user, iteration, iterations: iteration * rounds, next: null, failed: [] };
    session.run = runOf(session);
    sessions.set(user, session);
    goOn(session);
    return session;
  };
  return {
    expect: { status: ANY_STATUS },
    before(request, user) {
      const known = sessions.get(user);
      const { next } = known?.iteration === user.iteration ? known : begin(user);
      if (next === null) throw new Error("the script ended without sending this request");
      const { base, rest: path, credentials } = partsOf(next.url);
      if (base !== "" && normal(base) !== origin) {
        throw new Error(`it goes to ${base}, but the other requests go to ${origin}`);
      }
      const { headers, body } = sentOf(next, credentials, userAgent);
      request.method = next.method;
      request.path = path.startsWith("/") ? path : `/${path}`;
      request.headers = headers;
      if (body !== undefined) request.body = body;
    },
    after({ status, headers, body }, user) {
      const session = sessions.get(user);
      const response = new Response(session.next.url, { status, headers, body });
      goOn(session, response);
      const failed = session.failed.splice(0);
      if (failed.length > 0) throw new Error(`these checks fail: ${failed.join(", ")}`);
      if (!response.isChecked && status >= 400) throw new Error(`the status is ${status}`);
    },
  };
}

/**
 * `setup` or `teardown` of a script, which may send.
 * @param origin Origin of the script's URLs.
 * @param target Where the requests with that origin go.
 */
export const around = (script, origin, target, userAgent) => async (data) => {
  const run = script(data);
  let { done, value } = run.next();
  while (!done) {
    const { base, rest, credentials } = partsOf(value.url);
    const { headers, body } = sentOf(value, credentials, userAgent);
    const url = (normal(base) === origin ? target : base) + rest;
    const got = await fetch(url, { method: value.method, headers, body });
    const response = { status: got.status, headers: got.headers, body: await got.text() };
    ({ done, value } = run.next(new Response(value.url, response)));
  }
  return value;
};
