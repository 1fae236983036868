import express, { errorHandler, notFound, rest } from "@feathersjs/express";
import { Unavailable } from "@feathersjs/errors";
import { feathers } from "@feathersjs/feathers";
import { Ajv, hooks as schemaHooks } from "@feathersjs/schema";
import { getValidator, Type } from "@feathersjs/typebox";
import morgan from "morgan";
import { createClient } from "redis";

const { HOST = "127.0.0.1", LOGGING, PORT, REDIS_URL, TRACE } = process.env;

const redis = REDIS_URL ? await createClient({ url: REDIS_URL }).connect() : null;
await redis?.set("plateau:counter", 1);

function fibonacci(n) {
  return n < 2 ? n : fibonacci(n - 2) + fibonacci(n - 1);
}

class StaticService {
  async find() {
    return { ok: true };
  }
}

class FibonacciService {
  async find() {
    return { res: fibonacci(23) };
  }
}

class RedisService {
  async find() {
    if (redis === null) throw new Unavailable("there is no Redis");
    return { value: await redis.get("plateau:counter") };
  }
}

class ValidationService {
  async find() {
    return { ok: true };
  }
}

class ErrorService {
  async get(id) {
    if (Number(id) === 1) throw new TypeError("Division by 0");
    return { value: id / (id - 1) };
  }
}

const querySchema = Type.Object({
  number: Type.Integer(),
  string: Type.String({ minLength: 5 }),
});
const queryValidator = getValidator(querySchema, new Ajv({ coerceTypes: true }));

const app = express(feathers());

if (LOGGING === "on") app.use(morgan("combined"));
app.configure(rest());

app.use("static", new StaticService());
app.use("fib", new FibonacciService());
app.use("redis", new RedisService());
app.use("validation", new ValidationService());
app.use("error", new ErrorService());

app.service("validation").hooks({
  before: { find: [schemaHooks.validateQuery(queryValidator)] },
});

if (TRACE === "on") {
  app.hooks({ error: { all: [({ error }) => console.error(error)] } });
}

app.use(notFound());
app.use(errorHandler({ logger: false }));

await app.listen(Number(PORT), HOST);
