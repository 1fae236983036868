// Runs inside the realm of an experiment's script, before the script: what hooks are given, and how they are called. A script can
// reach none of this but what it is given. `host` has the functions of the world outside, which take and give plain values.
((host) => {
  const { stringify, parse } = JSON;
  const { fromEntries, entries, freeze, defineProperty, keys } = Object;
  const { isArray } = Array;
  const { apply, getOwnPropertyDescriptor } = Reflect;

  // Words that this side shares with the world outside: what a call has changed, in bits, whether a session begins with it, the status
  // of its response, and how many lines of a head it gives.
  const words = new Int32Array(host.words);
  const CHANGED = 0;
  const IS_FIRST = 1;
  const STATUS = 2;
  const LINES = 3;
  const VARIABLES = 2;
  const BODY = 4;

  let changed = 0;
  let sentBody;
  let data;

  // Random numbers are drawn outside, many at a time.
  const pool = new Float64Array(host.numbers);
  const POOL = pool.length;
  let drawn = POOL;
  const random = () => {
    if (drawn === POOL) {
      host.draw();
      drawn = 0;
    }
    return pool[drawn++];
  };
  const HEX = Array.from({ length: 256 }, (_, octet) => (octet + 256).toString(16).slice(1));

  const uuid = () => {
    let text = "";
    for (let at = 0; at < 16; at++) {
      const octet = (random() * 256) | 0;
      if (at === 4 || at === 6 || at === 8 || at === 10) text += "-";
      text += HEX[at === 6 ? (octet & 15) | 64 : at === 8 ? (octet & 63) | 128 : octet];
    }
    return text;
  };

  const asOctets = (value) =>
    value instanceof Uint8Array
      ? value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength)
      : value instanceof ArrayBuffer
      ? value
      : String(value);

  // Whatever a hook does not touch costs nothing: objects are made when they are read.
  const ofVariables = {
    set(target, name, value) {
      changed |= VARIABLES;
      target[name] = value;
      return true;
    },
    deleteProperty(target, name) {
      changed |= VARIABLES;
      return delete target[name];
    },
  };

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
      return random();
    }
    uuid() {
      return uuid();
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

  const isPromise = (result) =>
    result !== undefined && result !== null && typeof result.then === "function";

  const refusePromise = (result) => {
    if (!isPromise(result)) return;
    throw new TypeError("it returned a promise, but hooks run synchronously");
  };

  const textOf = (value, what) => {
    if (typeof value === "string") return value;
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    throw new TypeError(`${what} must be a string`);
  };

  const ofField = (name, value) => textOf(value, `request.headers[${stringify(name)}]`);

  // The head of a request: one line each for the method, the path, and every field's name and value. A line break
  // within one of these shows, because there are then more lines than were counted.
  const headOf = (method, path, headers) => {
    let lines = 2;
    let text = textOf(method, "request.method") + "\n" + textOf(path, "request.path"); // a template takes longer
    const names = keys(headers);
    for (let at = 0; at < names.length; at++) {
      const name = names[at];
      const value = headers[name];
      if (value === undefined || value === null) continue;
      lines += 2;
      text += "\n" + name + "\n" + (typeof value === "string" ? value : ofField(name, value));
    }
    words[LINES] = lines;
    return text;
  };

  // Wraps a `before` hook: returns the head of the request if the hook has changed any of it. @param base The request,
  // if it is always the same; otherwise it is fetched when the hook reads it.
  const before = (hook, base) => {
    const baseHead = base && headOf(base.method, base.path, base.headers);
    let given = base ?? null;
    let isTouched = false;
    let method = null;
    let path = null;
    let headers = null;
    let body = null;
    const from = () => given ??= parse(host.requestHead());
    const request = {
      get method() {
        return method ?? from().method;
      },
      set method(value) {
        isTouched = true;
        method = value;
      },
      get path() {
        return path ?? from().path;
      },
      set path(value) {
        isTouched = true;
        path = value;
      },
      get headers() {
        isTouched = true;
        return headers ??= { ...from().headers };
      },
      set headers(value) {
        isTouched = true;
        headers = value;
      },
      get body() {
        return body ??= base?.body ?? host.requestBody();
      },
      set body(value) {
        isTouched = true;
        changed |= BODY;
        body = value ?? "";
      },
    };
    const forget = () => {
      isTouched = false;
      method = path = headers = null;
      if (base !== undefined) body = null;
    };
    return (user) => {
      if (words[IS_FIRST] === 1) begin(user);
      if (isTouched) forget(); // what the previous call has left
      if (base === undefined) given = body = null;
      changed = 0;
      words[LINES] = 0;
      const result = hook(request, user);
      if (result !== undefined) refusePromise(result);
      words[CHANGED] = changed;
      if (!isTouched) return;
      const { method: ofMethod, path: ofPath, headers: ofFields } = from();
      const hasBody = (changed & BODY) !== 0;
      if (hasBody) sentBody = body;
      const asGiven = hasBody ? null : baseHead ?? headOf(ofMethod, ofPath, ofFields);
      const head = headOf(method ?? ofMethod, path ?? ofPath, headers ?? ofFields);
      if (head !== asGiven) return head;
      words[LINES] = 0;
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

  const after = (hook) => (user) => {
    if (words[IS_FIRST] === 1) begin(user);
    const response = new Response(words[STATUS]);
    changed = 0;
    try {
      refusePromise(hook(response, user));
    } finally {
      endOf(response);
    }
    words[CHANGED] = changed;
  };

  const body = () => {
    if (typeof sentBody === "string" || sentBody instanceof Uint8Array) return asOctets(sentBody);
    throw new TypeError(
      "request.body must be a string or a Uint8Array: write JSON.stringify(…) for an object",
    );
  };

  const variables = (user) =>
    stringify(fromEntries(
      entries(user.vars).filter(([, value]) => value !== undefined && value !== null)
        .map(([name, value]) => [name, typeof value === "object" ? stringify(value) : `${value}`]),
    ));

  // Adds values that were filled in or captured outside; values that hooks set stay, even if they are not text.
  const give = (user, written) => {
    if (words[IS_FIRST] === 1) begin(user);
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

  // An experiment as data: each function is replaced by the path at which it was found.
  const plain = (value, path, found, around) => {
    if (typeof value === "function") {
      const name = path.join(".");
      found[name] = value;
      return name;
    }
    if (typeof value !== "object" || value === null) {
      if (typeof value === "bigint" || typeof value === "symbol") {
        throw new TypeError(
          `${path.join(".")} is a ${typeof value}, which an experiment cannot hold`,
        );
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

  // Parameters that the experiment has not read: those left at the end are typing errors.
  let left = new Set();
  const recorded = (parameters) => {
    left = new Set(keys(parameters));
    return new Proxy(parameters, {
      get(target, name) {
        left.delete(name);
        return target[name];
      },
      has(target, name) {
        left.delete(name);
        return name in target;
      },
      ownKeys(target) {
        left.clear();
        return Reflect.ownKeys(target);
      },
    });
  };
  const unread = () => stringify([...left]);
  const experiment = (namespace, parameters) => {
    const { default: given } = namespace;
    if (given === undefined) {
      throw new TypeError("it has no default export: write export default experiment({ … })");
    }
    const made = typeof given === "function" ? given(recorded(parse(parameters))) : given;
    if (isPromise(made)) {
      throw new TypeError(
        `its default export is a promise: wait in setup instead${placeOf(given)}`,
      );
    }
    const written = stringify(plain(made, [], found, []));
    if (written !== undefined) return written;
    throw new TypeError(
      `its default export returned nothing: write return experiment({ … })${placeOf(given)}`,
    );
  };

  const ofUser = (hook) => (user) => {
    if (words[IS_FIRST] === 1) begin(user);
    changed = 0;
    refusePromise(hook(user));
    words[CHANGED] = changed;
  };

  const kinds = { before, after, user: ofUser };
  const rehearsal = () =>
    before((request, user) => {
      if (user.iteration % 4 === 0) request.headers.iteration = user.iteration;
    }, { method: "GET", path: "/", headers: {}, body: "" });

  const hook = (name, kind, written) => {
    const named = found[name];
    if (typeof named !== "function") throw new TypeError(`there is no function ${name}`);
    return kinds[kind](named, written === undefined ? undefined : parse(written));
  };

  // A place in Plateau's own modules, or in a text that the script evaluates, does not show where the script is wrong.
  const isGiven = (place) => /^(?:plateau(?:\/\w+)?|<.*>)(?::|$)/.test(place);

  // Where a script threw: `Error: no key (signed.ts:7:12)`.
  const whereOf = (stack) => {
    for (const line of `${stack}`.split("\n")) {
      const [, place] = /\(?([^\s()]+:\d+(?::\d+)?)\)?$/.exec(line) ?? [];
      if (place !== undefined && !isGiven(place)) return ` (${place})`;
    }
    return "";
  };

  // Where a function begins, as whereOf gives it.
  const [fileOf, lineOf, columnOf] = ["fileName", "lineNumber", "columnNumber"]
    .map((name) => getOwnPropertyDescriptor(Function.prototype, name).get);
  const placeOf = (named) => {
    const file = typeof named === "function" ? apply(fileOf, named, []) : undefined;
    if (typeof file !== "string" || isGiven(file)) return "";
    return ` (${file}:${apply(lineOf, named, [])}:${apply(columnOf, named, [])})`;
  };
  const explain = (error) =>
    error instanceof Error
      ? `${error.name}: ${error.message}${whereOf(error.stack)}`
      : `it threw ${typeof error === "string" ? stringify(error) : String(error)}`;

  const log = (...values) =>
    host.log(
      values.map((value) => typeof value === "string" ? value : stringify(value) ?? String(value))
        .join(" "),
    );
  globalThis.console = freeze({ log, debug: log, info: log, warn: log, error: log });

  // The parts of which the module `plateau` is made.
  defineProperty(globalThis, Symbol.for("plateau"), {
    value: freeze({
      env: (name) => host.env(String(name)),
      base64: (text) => host.base64(asOctets(text)),
      hmac: (algorithm, key, text) => host.hmac(String(algorithm), asOctets(key), asOctets(text)),
      uuid,
      sha256: (text) => host.sha256(asOctets(text)),
    }),
  });

  const call = async (name, given) => {
    const named = found[name];
    if (typeof named !== "function") throw new TypeError(`there is no function ${name}`);
    const result = await named(...parse(given));
    return stringify(result) ?? "null";
  };

  globalThis.fetch = () => {
    throw new TypeError(
      "fetch is only available in setup, refresh and teardown: fetch in setup, return what hooks need, and read it as user.data",
    );
  };
  // Like `Headers.get`. It refers to its object by `this`, because a reference cycle would keep the response in memory
  // for longer.
  const getField = {
    value(name) {
      return getOwnPropertyDescriptor(this, `${name}`.toLowerCase())?.value ?? null;
    },
  };
  const allowFetch = () => {
    globalThis.fetch = async (url, { method = "GET", headers = {}, body } = {}) => {
      if (typeof body === "object" && body !== null) {
        throw new TypeError(
          "the body of fetch must be a string: write JSON.stringify(…) for an object",
        );
      }
      const got = parse(
        await host.fetch(
          String(url),
          stringify({ method, headers, ...body !== undefined && { body: String(body) } }),
        ),
      );
      return {
        status: got.status,
        ok: got.status >= 200 && got.status < 300,
        headers: defineProperty(got.headers, "get", getField),
        text: () => Promise.resolve(got.body),
        json: () => new Promise((resolve) => resolve(parse(got.body))),
      };
    };
  };

  return {
    ...{
      experiment,
      unread,
      hook,
      rehearsal,
      setData,
      give,
      body,
      variables,
      explain,
      call,
      allowFetch,
      place: (name) => placeOf(found[name]),
    },
    user: (id) => new User(id),
  };
});
