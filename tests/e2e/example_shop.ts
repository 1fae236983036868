/** The shop that the examples in code and of other tools load: it looks at every request, and remembers each that is wrong. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { parse } from "yaml";

export const SHOP_KEY = "a-key-of-the-shop";
export const SHOP_PASSWORD = "a-password";
/** A token is of no use after this. */
const TOKEN_MS = 2_000;
/** How long each response takes, so that a closed loop leaves the cores to others. */
const TAKES_MS = 5;
const PRODUCTS = [{ id: 1, cents: 250 }, { id: 2, cents: 499 }, { id: 3, cents: 1_999 }];

interface Answer {
  readonly status: number;
  readonly body?: unknown;
  /** What is wrong with the request. */
  readonly wrong?: string;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

type Route = (asked: Asked, ...parts: string[]) => Answer;

export class ExampleShop implements AsyncDisposable {
  /** Requests by what they were for. */
  readonly counts = new Map<string, number>();
  readonly wrong = new Set<string>();
  logins = 0;
  readonly #tokens = new Map<string, number>();
  readonly #carts = new Map<string, { cents: number; count: number }[]>();
  readonly #described: DescribedService;
  readonly #server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => body += part);
    request.on("end", () => {
      const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://shop");
      const { method = "GET", headers } = request;
      const { status, body: answer, wrong } = this.#answer({
        ...{ method, headers, path: decodeURIComponent(pathname) },
        ...{ query, body },
      });
      if (wrong !== undefined) this.wrong.add(`${method} ${request.url}: ${wrong}`);
      response.writeHead(status, { "content-type": "application/json" });
      const text = answer === undefined ? "" : JSON.stringify(answer);
      setTimeout(() => response.end(text), TAKES_MS);
    });
  });

  private constructor(description: string) {
    this.#described = new DescribedService(parse(readFileSync(description, "utf8")));
  }

  static async open(description: string): Promise<ExampleShop> {
    const shop = new ExampleShop(description);
    await new Promise<void>((resolve) => shop.#server.listen(0, "127.0.0.1", resolve));
    return shop;
  }

  get url(): string {
    const address = this.#server.address();
    assert.ok(typeof address === "object" && address !== null);
    return `http://127.0.0.1:${address.port}`;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #answer(asked: Asked): Answer {
    for (const [pattern, route] of this.#routes) {
      const [, ...parts] = pattern.exec(`${asked.method} ${asked.path}`) ?? [null];
      if (!pattern.test(`${asked.method} ${asked.path}`)) continue;
      this.#count(pattern.source);
      return route(asked, ...parts.map(String));
    }
    const described = this.#described.answer(asked);
    if (described.name !== undefined) this.#count(described.name);
    return described;
  }

  #count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  readonly #routes: readonly (readonly [RegExp, Route])[] = [
    [/^POST \/signed\/orders$/, ({ headers, body }) => {
      const signed = createHmac("sha256", SHOP_KEY).update(`${headers["x-time"]}.${body}`);
      const isRight = headers["x-signature"] === signed.digest("hex") &&
        "count" in JSON.parse(body);
      return isRight ? { status: 201, body: {} } : { status: 401, wrong: "its signature" };
    }],
    [/^POST \/token$/, ({ body }) => {
      if (JSON.parse(body).password !== SHOP_PASSWORD) return { status: 401, wrong: "password" };
      const token = `t${++this.logins}`;
      this.#tokens.set(token, Date.now() + TOKEN_MS);
      return { status: 200, body: { token } };
    }],
    [/^GET \/account$/, ({ headers }) => {
      const token = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
      const isValid = (this.#tokens.get(token) ?? 0) > Date.now();
      return isValid ? { status: 200, body: {} } : { status: 401, wrong: `the token ${token}` };
    }],
    [/^GET \/products$/, () => ({ status: 200, body: PRODUCTS })],
    [/^POST \/carts$/, () => {
      const id = `c${this.#carts.size}`;
      this.#carts.set(id, []);
      return { status: 201, body: { id } };
    }],
    [/^PUT \/carts\/(\w+)\/items$/, ({ body }, id) => {
      const items = JSON.parse(body);
      if (!this.#carts.has(id) || items.length === 0) return { status: 404, wrong: "its cart" };
      this.#carts.set(id, items);
      return { status: 200, body: { count: items.length } };
    }],
    [/^POST \/carts\/(\w+)\/payment$/, ({ body }, id) => {
      const net = (this.#carts.get(id) ?? []).reduce(
        (sum, { cents, count }) => sum + cents * count,
        0,
      );
      const isPaid = net > 0 && JSON.parse(body).total === Math.round(net * 1.19);
      return isPaid
        ? { status: 200, body: { paid: true } }
        : { status: 402, wrong: `total ${body}` };
    }],
    [/^POST \/office\/notes$/, ({ headers, body }) => {
      const { id, by } = JSON.parse(body);
      const isRight = headers["x-key"] === SHOP_KEY && /^[\da-f-]{36}$/.test(id) && by === "ada" &&
        headers["content-type"] === "application/json";
      return isRight ? { status: 201, body: {} } : { status: 400, wrong: body };
    }],
    [/^POST \/office\/session$/, ({ headers, body }) => {
      const isRight = body === "name=ada" && headers["x-key"] === undefined;
      return isRight ? { status: 200, body: {} } : { status: 400, wrong: body };
    }],
    [/^POST \/office\/files$/, ({ headers, body }) => {
      const isRight = headers.authorization === `Bearer ${SHOP_PASSWORD}` &&
        body.includes('name="file"; filename="shop.postman.json"') && body.includes('"item": [');
      return isRight ? { status: 201, body: {} } : { status: 400, wrong: body.slice(0, 200) };
    }],
  ];
}

/** What is said of a parameter or a body. */
interface Checked {
  readonly name: string;
  readonly isNeeded: boolean;
  readonly validate: ValidateFunction;
  readonly explode: boolean;
  readonly isList: boolean;
}

interface DescribedOperation {
  readonly name: string;
  readonly method: string;
  readonly path: RegExp;
  readonly status: number;
  readonly ofPath: readonly Checked[];
  readonly ofQuery: readonly Checked[];
  readonly ofHeader: readonly Checked[];
  readonly body: (Checked & { readonly type: string }) | null;
}

const BASE = "/api/v1";

/** A service as OpenAPI describes it, by a validator of its own: nothing here is of what imports the description. */
class DescribedService {
  readonly #operations: readonly DescribedOperation[];
  readonly #ajv = new Ajv2020({ strict: false, coerceTypes: true, formats: FORMATS });

  constructor(private readonly description: Record<string, unknown>) {
    this.#ajv.addSchema(description, "description");
    const { paths } = Object(description);
    this.#operations = Object.entries<Record<string, unknown>>(paths).flatMap(([path, item]) =>
      Object.entries(item).filter(([key]) => key !== "parameters").map(([method, operation]) =>
        this.#operation(path, method, [
          ...Object(item.parameters ?? []),
          ...Object(operation).parameters ?? [],
        ], Object(operation))
      )
    );
  }

  answer({ method, path, query, headers, body }: Asked): Answer & { readonly name?: string } {
    const operation = this.#operations.find((one) => one.method === method && one.path.test(path));
    if (operation === undefined) return { status: 404, wrong: "nothing is there" };
    const { name, status } = operation;
    const parts = operation.path.exec(path)?.slice(1) ?? [];
    const wrong = [
      ...headers["x-shop-key"] === SHOP_KEY ? [] : ["no key"],
      ...operation.ofPath.map((one, at) => wrongIn(one, parts[at])),
      ...operation.ofQuery.map((one) => {
        const given = query.getAll(one.name);
        const list = one.explode ? given : given.flatMap((text) => text.split(","));
        return wrongIn(one, given.length === 0 ? undefined : one.isList ? list : given[0]);
      }),
      ...operation.ofHeader.map((one) => wrongIn(one, headers[one.name.toLowerCase()])),
      ...[...query.keys()].filter((key) => !operation.ofQuery.some(({ name }) => name === key)),
      ...operation.body === null ? [body === "" ? null : "a body"] : [
        wrongIn(operation.body, body === "" ? undefined : JSON.parse(body)),
        headers["content-type"] === operation.body.type ? null : "its type",
      ],
    ].filter((one) => one !== null);
    return wrong.length === 0
      ? { name, status, ...status === 204 ? {} : { body: {} } }
      : { name, status: 400, wrong: wrong.join("; ") };
  }

  #operation(
    template: string,
    method: string,
    parameters: unknown[],
    { operationId, requestBody, responses }: Record<string, unknown>,
  ): DescribedOperation {
    const all = parameters.map((one) => this.#followed(one));
    const inPlace = (place: string): Checked[] =>
      all.filter((one) => one.in === place).map((one) => ({
        name: String(one.name),
        isNeeded: one.required === true,
        validate: this.#ajv.compile(rebased(one.schema)),
        explode: one.explode !== false,
        isList: Object(one.schema).type === "array",
      }));
    const [[type, media] = [null, null]] = Object.entries(Object(Object(requestBody).content));
    return {
      name: String(operationId),
      method: method.toUpperCase(),
      path: new RegExp(`^${BASE}${template.replaceAll(/\{[^}]*\}/g, "([^/]+)")}$`),
      status: Number(Object.keys(Object(responses))[0]),
      ...{ ofPath: inPlace("path"), ofQuery: inPlace("query"), ofHeader: inPlace("header") },
      body: type === null ? null : {
        ...{ type, name: "body", explode: false, isList: false },
        isNeeded: Object(requestBody).required === true,
        validate: this.#ajv.compile(rebased(Object(media).schema)),
      },
    };
  }

  #followed(part: unknown): Record<string, unknown> {
    const reference: unknown = Object(part).$ref;
    if (typeof reference !== "string") return Object(part);
    return reference.split("/").slice(1)
      .reduce((inner: Record<string, unknown>, name) => Object(inner[name]), this.description);
  }
}

function wrongIn({ name, isNeeded, validate }: Checked, value: unknown): string | null {
  if (value === undefined) return isNeeded ? `no ${name}` : null;
  return validate(value) ? null : `${name}: ${JSON.stringify(validate.errors)}`;
}

/** With references into the whole description. */
function rebased(schema: unknown): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"description#/'));
}

const FORMATS = {
  "date": /^\d{4}-\d\d-\d\d$/,
  "date-time": (text: string) => /T.*Z$/.test(text) && !Number.isNaN(Date.parse(text)),
  "email": /^[^@]+@[^@]+\.\w+$/,
  "uri": (text: string) => URL.canParse(text),
  "uuid": /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/,
};
