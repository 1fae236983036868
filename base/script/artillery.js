// The module `plateau/artillery`: calls the functions of an Artillery processor around the requests of a flow, with the
// arguments that Artillery gives them: the request's parameters, the response, and the variables of the virtual user.
const host = globalThis[Symbol.for("plateau")];

/** A processor's own metrics are not counted. */
const events = { emit() {}, on() {}, once() {}, off() {} };

const DRAWN = {
  $uuid: () => host.uuid(),
  $randomNumber: (from, to) => Number(from) + Math.floor(Math.random() * (to - from + 1)),
  $randomString: (length) =>
    Array.from({ length: Number(length) }, () => Math.floor(Math.random() * 36).toString(36))
      .join(""),
};

/** The value of a name, a path such as `user.names[0]`, or a call such as `$randomNumber(1, 9)`. */
const valueOf = (written, vars) => {
  const [, name, given = ""] = /^(\$\w+)\s*(?:\(([^()]*)\))?$/.exec(written) ?? [];
  if (name !== undefined && Object.hasOwn(DRAWN, name)) return DRAWN[name](...given.split(","));
  return vars[written] ??
    written.split(/[.[\]]+/).filter((part) => part !== "").reduce(
      (inner, part) => inner?.[part],
      vars,
    );
};

const TEMPLATE = /\{\{\{?\s*([^{}]*?)\s*\}?\}\}/g;

/**
 * Fills in values. A placeholder that is the whole text is replaced by its value without turning that into text, as in
 * Artillery.
 */
const filled = (value, vars) => {
  if (typeof value === "string") {
    const known = (written) => {
      const found = valueOf(written, vars);
      if (found === undefined) throw new Error(`there is no value for {{ ${written} }}`);
      return found;
    };
    const [alone] = value.matchAll(TEMPLATE);
    if (alone?.[0] === value) return known(alone[1]);
    return value.replace(TEMPLATE, (_, written) => {
      const found = known(written);
      return typeof found === "object" ? JSON.stringify(found) : String(found);
    });
  }
  if (Array.isArray(value)) return value.map((item) => filled(item, vars));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, filled(inner, vars)]),
  );
};

const formText = (fields) =>
  Object.entries(fields).map(([name, value]) =>
    `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
  ).join("&");

const originOf = (url) => /^https?:\/\/[^/?#]*/i.exec(url)?.[0] ?? "";

/** A URL without an origin is appended to the target's URL, base path included, as in Artillery. */
const addressOf = (url, target) =>
  originOf(url) === "" ? target.replace(/\/$/, "") + url.replace(/^(?!\/)/, "/") : url;

/** The request's path and query, with spaces and non-ASCII characters percent-encoded. */
const pathOf = ({ url, qs = {} }, target) => {
  const origin = originOf(url);
  if (origin !== originOf(target)) {
    throw new Error(`it goes to ${origin}, but the other requests go to ${originOf(target)}`);
  }
  const path = url.slice(origin.length).replace(/#.*$/s, "").replace(/^(?!\/)/, "/")
    .replace(/[^\x21-\x7e]+/g, encodeURIComponent);
  const query = formText(qs);
  return query === "" ? path : path + (path.includes("?") ? "&" : "?") + query;
};

const bodyOf = ({ json, form, body, formData }) => {
  if (formData !== undefined) {
    throw new Error("a multipart form that a function makes is not supported here");
  }
  if (json !== undefined) return [JSON.stringify(json), "application/json"];
  if (form !== undefined) return [formText(form), "application/x-www-form-urlencoded"];
  return [body, null];
};

/** Makes the request that the parameters describe. */
const send = (request, params, target) => {
  const headers = { ...request.headers };
  for (const [name, value] of Object.entries(params.headers ?? {})) {
    headers[name.toLowerCase()] = value;
  }
  const { auth, cookie = {} } = params;
  if (auth !== undefined) {
    headers.authorization ??= `Basic ${host.base64(`${auth.user}:${auth.pass}`)}`;
  }
  const cookies = Object.entries(cookie).map(([name, value]) => `${name}=${value}`);
  if (cookies.length > 0) headers.cookie = [headers.cookie ?? [], cookies].flat().join("; ");
  const [body, type] = bodyOf(params);
  if (type !== null) headers["content-type"] ??= type;
  request.method = String(params.method).toUpperCase();
  request.path = pathOf(params, target);
  request.headers = headers;
  if (body !== undefined) request.body = body;
};

/**
 * Hooks of the steps and users of one scenario.
 * @param functions Functions of the processor, by name. A missing one is passed over, as in Artillery.
 * @param scenario Its name, the variables that all users have, and other names for variables whose own names are not
 * allowed here.
 */
export function processed(functions, { name, vars, names = {} }) {
  const sessions = new WeakMap();
  const here = (name) => Object.hasOwn(names, name) ? names[name] : name;
  const renaming = {
    get: (all, name) => all[here(name)],
    set(all, name, value) {
      all[here(name)] = value;
      return true;
    },
  };
  const contextOf = (user) => {
    const known = sessions.get(user);
    if (known?.iteration === user.iteration) return known;
    Object.assign(user.vars, { ...vars, ...user.vars });
    const named = Object.keys(names).length === 0 ? user.vars : new Proxy(user.vars, renaming);
    const context = { vars: named, scenario: { name }, _uid: host.uuid(), funcs: {} };
    const session = { iteration: user.iteration, context, sent: new Map() };
    sessions.set(user, session);
    return session;
  };
  const run = (names, ...given) => {
    for (const name of names) {
      const called = functions[name];
      if (typeof called !== "function") continue;
      let [failure, isDone] = [null, false];
      const result = called(...given, events, (error) => {
        isDone = true;
        failure ??= error ?? null;
      });
      if (failure !== null) throw failure instanceof Error ? failure : new Error(String(failure));
      if (typeof result?.then === "function") {
        throw new TypeError(`${name} returned a promise, but hooks run synchronously`);
      }
      if (!isDone && result === undefined && called.length > given.length + 1) {
        throw new Error(`${name} returned before it called done, but hooks run synchronously`);
      }
    }
  };
  return {
    /**
     * @param given Functions to call between the previous request and this one, before this one, and after it; and its
     * parameters.
     */
    step({ between = [], before = [], after = [], ...given }) {
      const hooks = {};
      if (between.length + before.length > 0 || given.auth !== undefined) {
        hooks.before = (request, user) => {
          const session = contextOf(user);
          const { context } = session;
          run(between, context);
          const params = JSON.parse(JSON.stringify(given));
          params.method = request.method;
          params.url = addressOf(params.url, vars.target);
          params.headers ??= {};
          run(before, params, context);
          const sent = filled(params, context.vars);
          session.sent.set(hooks, sent);
          send(request, sent, vars.target);
        };
      }
      if (after.length > 0) {
        hooks.after = ({ status, headers, body }, user) => {
          const { context, sent } = contextOf(user);
          const response = { statusCode: status, headers, body };
          const params = sent.get(hooks) ??
            filled({ ...given, url: addressOf(given.url, vars.target) }, context.vars);
          run(after, params, response, context);
        };
      }
      return hooks;
    },
    user: ({ start = [], end = [] }) => ({
      ...start.length > 0 && { start: (user) => run(start, contextOf(user).context) },
      ...end.length > 0 && { end: (user) => run(end, contextOf(user).context) },
    }),
  };
}

const digestOf = (hex, form) => {
  if (form === "hex") return hex;
  if (form === "base64") {
    return host.base64(Uint8Array.from(hex.match(/../g), (two) => parseInt(two, 16)));
  }
  throw new Error(`a digest cannot be written as ${form} here`);
};

/** Stands in for a Buffer that holds text. Octets that are not text would change here, so they are refused. */
class Text {
  constructor(text, encoding = "utf8") {
    if (typeof text !== "string") {
      throw new TypeError(`only a string can be digested or encoded here, not ${typeof text}`);
    }
    if (!/^utf-?8$/i.test(encoding)) {
      throw new Error(`text cannot be read or written as ${encoding} here`);
    }
    this.text = text;
  }
  toString(form = "utf8") {
    return form === "base64" ? host.base64(this.text) : new Text(this.text, form).text;
  }
}

const textOf = (given, encoding) =>
  given instanceof Text ? given.text : new Text(given, encoding).text;

const updated = (digest) => {
  const parts = [];
  const hash = {
    update(given, encoding) {
      parts.push(textOf(given, encoding));
      return hash;
    },
    digest: (form) => digestOf(digest(parts.join("")), form),
  };
  return hash;
};

/** The parts of Node.js modules that processors use most. */
export const node = {
  crypto: {
    randomUUID: () => host.uuid(),
    createHmac(algorithm, given) {
      const key = given instanceof Uint8Array ? given : textOf(given);
      return updated((text) => host.hmac(algorithm, key, text));
    },
    createHash(algorithm) {
      if (algorithm !== "sha256") {
        throw new Error(`there is no digest ${algorithm} here, only sha256`);
      }
      return updated((text) => host.sha256(text));
    },
  },
  uuid: { v4: () => host.uuid() },
  Buffer: { from: (given, encoding) => new Text(textOf(given, encoding)) },
};
