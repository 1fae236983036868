// Runs inside the realm of an experiment's script, before the script: what hooks are given, and how they are called. A script can
// reach none of this but what it is given. `host` has the functions of the world outside, which take and give plain values.
((host) => {
  const { stringify, parse } = JSON;
  const { fromEntries, entries, freeze, defineProperty, keys } = Object;
  const { isArray } = Array;

  // Bits of what a call has changed.
  const REQUEST = 1;
  const VARIABLES = 2;
  const BODY = 4;

  let changed = 0;
  let sent = null;
  let data;

  // A text goes over to the world outside up to its first NUL, so one with a NUL goes as its octets in UTF-8.
  const asOctets = (value) => {
    if (value instanceof Uint8Array) {
      return value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength);
    }
    const text = String(value);
    if (!text.includes("\0")) return text;
    const octets = unescape(encodeURIComponent(text));
    return Uint8Array.from(octets, (octet) => octet.charCodeAt(0)).buffer;
  };

  // Whatever a hook does not touch costs nothing: objects are made when they are read.
  const watcher = (bit) => ({
    set(target, name, value) {
      changed |= bit;
      target[name] = value;
      return true;
    },
    deleteProperty(target, name) {
      changed |= bit;
      return delete target[name];
    },
  });
  const ofHeaders = watcher(REQUEST);
  const ofVariables = watcher(VARIABLES);

  class User {
    constructor(id) {
      defineProperty(this, "id", { value: id, enumerable: true });
      this.iteration = -1;
    }
    #vars = null;
    get vars() {
      return this.#vars ??= new Proxy({}, ofVariables);
    }
    static begin(user) {
      user.iteration++;
      user.#vars = null;
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

  const { begin } = User;
  delete User.begin;

  const refusePromise = (result) => {
    if (result === undefined || result === null || typeof result.then !== "function") return;
    throw new TypeError("it returned a promise, but hooks run synchronously");
  };

  const before = (hook, base) => {
    let from = base;
    let [method, path, body, headers] = [undefined, undefined, undefined, null];
    let isTouched = false;
    const request = {
      get method() {
        return method;
      },
      set method(value) {
        isTouched = true;
        changed |= REQUEST;
        method = value;
      },
      get path() {
        return path;
      },
      set path(value) {
        isTouched = true;
        changed |= REQUEST;
        path = value;
      },
      get headers() {
        isTouched = true;
        return headers ??= new Proxy({ ...from.headers }, ofHeaders);
      },
      set headers(value) {
        isTouched = true;
        changed |= REQUEST;
        headers = value;
      },
      get body() {
        isTouched = true;
        return body ??= from.body ?? host.requestBody();
      },
      set body(value) {
        isTouched = true;
        changed |= REQUEST | BODY;
        body = value ?? "";
      },
    };
    const renew = () => {
      isTouched = false;
      method = from.method;
      path = from.path;
      body = undefined;
      headers = null;
    };
    if (base !== undefined) renew();
    return (user, isFirst, written) => {
      if (isFirst) begin(user);
      if (written !== undefined) from = parse(written);
      if (isTouched || written !== undefined) renew(); // whatever the call before has left
      changed = 0;
      const result = hook(request, user);
      if (result !== undefined) refusePromise(result);
      if ((changed & REQUEST) !== 0) {
        sent = { method, path, headers: headers ?? from.headers, body };
      }
      return changed;
    };
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
    changed = 0;
    try {
      refusePromise(hook(response, user));
    } finally {
      endOf(response);
    }
    return changed;
  };

  const textOf = (value, what) => {
    if (typeof value === "string") return value;
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    throw new TypeError(`${what} must be a text`);
  };

  // What a hook has made of a request, but for its body: how many lines follow: the method, the path, and each field's name and value.
  const request = () => {
    const { method, path, headers } = sent;
    let count = 2;
    let text = `${textOf(method, "request.method")}\n${textOf(path, "request.path")}`;
    for (const name of keys(headers)) {
      const value = headers[name];
      if (value === undefined || value === null) continue;
      count += 2;
      text += `\n${name}\n${
        typeof value === "string" ? value : textOf(value, `request.headers[${stringify(name)}]`)
      }`;
    }
    if (text.includes("\0")) throw new TypeError("the request has a NUL in its head");
    return `${count}\n${text}`;
  };

  const body = () => {
    const { body } = sent;
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

  const kinds = { before, after };
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
        text: () => Promise.resolve(got.body),
        json: () => new Promise((resolve) => resolve(parse(got.body))),
      };
    };
  };

  return {
    ...{ experiment, hook, setData, give, request, body, variables, explain, call, allowFetch },
    user: (id) => new User(id),
  };
});
