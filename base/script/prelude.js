// Runs inside the realm of an experiment's script, before the script: what hooks are given, and how they are called. A script can
// reach none of this but what it is given. `host` has the functions of the world outside, which take and give plain values.
(host) => {
  const { stringify, parse } = JSON;
  const { fromEntries, entries, freeze, defineProperty, keys } = Object;
  const { isArray } = Array;

  const REQUEST = 1;
  const VARIABLES = 2;

  let isDirty = false;
  let sent = null;
  let data;

  const asOctets = (value) =>
    value instanceof Uint8Array
      ? value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength)
      : String(value);

  const watched = (values) =>
    new Proxy(values, {
      set(target, name, value) {
        isDirty = true;
        target[name] = value;
        return true;
      },
      deleteProperty(target, name) {
        isDirty = true;
        return delete target[name];
      },
    });

  class User {
    constructor(id) {
      defineProperty(this, "id", { value: id, enumerable: true });
      this.iteration = -1;
      this.vars = {};
    }
    get data() {
      return data;
    }
    random() {
      return host.random();
    }
    uuid() {
      const hex = Array.from({ length: 32 }, (_, at) => {
        const digit = Math.floor(host.random() * 16);
        return (at === 12 ? 4 : at === 16 ? 8 + (digit & 3) : digit).toString(16);
      }).join("");
      return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    }
    now() {
      return Date.now();
    }
    hmac(algorithm, key, text) {
      return host.hmac(String(algorithm), asOctets(key), asOctets(text));
    }
    base64(text) {
      return host.base64(asOctets(text));
    }
  }

  const begin = (user) => {
    user.iteration++;
    user.vars = watched({});
  };

  const refusePromise = (result) => {
    if (typeof result?.then !== "function") return;
    throw new TypeError("it returned a promise, but hooks run synchronously");
  };

  const isSame = (from, request) => {
    if (from.method !== request.method || from.path !== request.path) return false;
    if (from.body !== request.body) return false;
    const names = keys(request.headers);
    if (names.length !== keys(from.headers).length) return false;
    for (const name of names) if (request.headers[name] !== from.headers[name]) return false;
    return true;
  };

  // A body that is bytes is changed in place, so it is always taken again.
  const before = (hook, base) => (user, isFirst, written) => {
    if (isFirst) begin(user);
    const from = written === undefined ? base : parse(written);
    const request = {
      method: from.method,
      path: from.path,
      headers: { ...from.headers },
      body: from.body,
    };
    isDirty = false;
    refusePromise(hook(request, user));
    sent = request;
    return (isSame(from, request) ? 0 : REQUEST) + (isDirty ? VARIABLES : 0);
  };

  class Response {
    #isOver = false;
    #headers;
    #body;
    constructor(status) {
      this.status = status;
    }
    get headers() {
      return this.#headers ??= parse(this.#taken("headers"));
    }
    get body() {
      return this.#body ??= this.#taken("body");
    }
    #taken(part) {
      if (this.#isOver) throw new Error(`response.${part} can be read only within after()`);
      return part === "body" ? host.responseBody() : host.responseHeaders();
    }
    static end(response) {
      response.#isOver = true;
    }
  }
  const endOf = Response.end;
  delete Response.end;

  const after = (hook) => (user, isFirst, status) => {
    if (isFirst) begin(user);
    const response = new Response(status);
    isDirty = false;
    try {
      refusePromise(hook(response, user));
    } finally {
      endOf(response);
    }
    return isDirty ? VARIABLES : 0;
  };

  const session = (hook) => (user, isFirst) => {
    if (isFirst) begin(user);
    isDirty = false;
    refusePromise(hook(user));
    return isDirty ? VARIABLES : 0;
  };

  const textOf = (value, what) => {
    if (typeof value === "string") return value;
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    throw new TypeError(`${what} must be a text`);
  };

  // What a hook has made of a request, as JSON without its body.
  const request = () => {
    const { method, path, headers } = sent;
    const fields = entries(headers).filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, textOf(value, `request.headers[${stringify(name)}]`)]);
    return stringify({
      method: textOf(method, "request.method"),
      path: textOf(path, "request.path"),
      headers: fromEntries(fields),
    });
  };

  const body = () => {
    const { body } = sent;
    if (body === undefined || body === null) return "";
    if (typeof body === "string" || body instanceof Uint8Array) return asOctets(body);
    throw new TypeError(
      "request.body must be a text or a Uint8Array: write JSON.stringify(…) for an object",
    );
  };

  const variables = (user) =>
    stringify(fromEntries(
      entries(user.vars).filter(([, value]) => value !== undefined && value !== null)
        .map(([name, value]) => [name, typeof value === "object" ? stringify(value) : `${value}`]),
    ));

  // Adds what was filled in or captured outside; what hooks set stays, also where it is no text.
  const give = (user, isFirst, written) => {
    if (isFirst) begin(user);
    Object.assign(user.vars, parse(written));
    isDirty = false;
  };

  const frozen = (value) => {
    if (typeof value !== "object" || value === null) return value;
    for (const inner of Object.values(value)) frozen(inner);
    return freeze(value);
  };

  const setData = (written) => {
    data = frozen(parse(written));
  };

  // An experiment as data: a function stands as the path at which it was found.
  const plain = (value, path, found, around) => {
    if (typeof value === "function") {
      const name = path.join(".");
      found[name] = value;
      return name;
    }
    if (typeof value !== "object" || value === null) {
      if (typeof value === "bigint" || typeof value === "symbol") {
        throw new TypeError(`${path.join(".")} is a ${typeof value}, which no experiment has`);
      }
      return value;
    }
    if (around.includes(value)) throw new TypeError(`${path.join(".")} contains itself`);
    const inside = [...around, value];
    return isArray(value)
      ? value.map((item, at) => plain(item, [...path, at], found, inside))
      : fromEntries(
        entries(value).map((
          [name, item],
        ) => [name, plain(item, [...path, name], found, inside)]),
      );
  };

  const found = Object.create(null);
  const experiment = (namespace, written) => {
    const { default: given } = namespace;
    if (given === undefined) {
      throw new TypeError("it has no default export: write export default experiment({ … })");
    }
    const made = typeof given === "function" ? given(parse(written)) : given;
    refusePromise(made);
    return stringify(plain(made, [], found, []));
  };

  const kinds = { before, after, session };
  const hook = (name, kind, written) => {
    const named = found[name];
    if (typeof named !== "function") throw new TypeError(`there is no function ${name}`);
    return kinds[kind](named, written === undefined ? undefined : parse(written));
  };

  // Where a script threw: `Error: no key (signed.ts:7:12)`.
  const whereOf = (stack) => {
    for (const line of `${stack}`.split("\n")) {
      const [, place] = /\(?([^\s()]+:\d+(?::\d+)?)\)?$/.exec(line) ?? [];
      if (place !== undefined && !place.startsWith("prelude.js")) return ` (${place})`;
    }
    return "";
  };
  const explain = (error) =>
    error instanceof Error
      ? `${error.name}: ${error.message}${whereOf(error.stack)}`
      : `it threw ${typeof error === "string" ? stringify(error) : String(error)}`;

  globalThis.console = freeze({
    log: (...values) =>
      host.log(
        values.map((value) => typeof value === "string" ? value : stringify(value) ?? String(value))
          .join(" "),
      ),
  });

  const call = async (name, argument) => {
    const named = found[name];
    if (typeof named !== "function") throw new TypeError(`there is no function ${name}`);
    const result = await named(...(argument === undefined ? [] : [parse(argument)]));
    return stringify(result) ?? "null";
  };

  const allowFetch = () => {
    globalThis.fetch = async (url, { method = "GET", headers = {}, body } = {}) => {
      const got = parse(
        await host.fetch(
          String(url),
          stringify({ method, headers, ...body !== undefined && { body: String(body) } }),
        ),
      );
      return {
        status: got.status,
        ok: got.status >= 200 && got.status < 300,
        headers: got.headers,
        text: async () => got.body,
        json: async () => parse(got.body),
      };
    };
  };

  return {
    ...{ experiment, hook, setData, give, request, body, variables, explain, call, allowFetch },
    user: (id) => new User(id),
  };
};
