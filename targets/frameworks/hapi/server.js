import Hapi from "@hapi/hapi";
import pino from "hapi-pino";
import Joi from "joi";
import { createClient } from "redis";

const { HOST = "127.0.0.1", LOGGING, PORT, REDIS_URL, TRACE } = process.env;

const redis = REDIS_URL ? await createClient({ url: REDIS_URL }).connect() : null;
await redis?.set("plateau:counter", 1);

function fibonacci(n) {
  return n < 2 ? n : fibonacci(n - 2) + fibonacci(n - 1);
}

// hapi prints errors by itself, unless `debug` is off; hapi-pino does it in its place
const server = Hapi.server({ port: Number(PORT), host: HOST, debug: false });

const logEvents = [
  ...LOGGING === "on" ? ["onPostStart", "onPostStop", "response"] : [],
  ...TRACE === "on" ? ["request-error"] : [],
];
if (logEvents.length > 0) await server.register({ plugin: pino, options: { logEvents } });

server.route({
  method: "GET",
  path: "/static",
  handler: () => ({ ok: true }),
});

server.route({
  method: "GET",
  path: "/fib",
  handler: () => ({ res: fibonacci(23) }),
});

server.route({
  method: "GET",
  path: "/redis",
  handler: async (request, h) => {
    if (redis === null) return h.response({ error: "there is no Redis" }).code(503);
    return { value: await redis.get("plateau:counter") };
  },
});

server.route({
  method: "GET",
  path: "/validation",
  handler: () => ({ ok: true }),
  options: {
    validate: {
      query: Joi.object({
        number: Joi.number().integer().required(),
        string: Joi.string().min(5).required(),
      }).unknown(),
    },
  },
});

server.route({
  method: "GET",
  path: "/error/{id}",
  handler: (request) => {
    const id = Number(request.params.id);
    if (id === 1) throw new TypeError("Division by 0");
    return { value: id / (id - 1) };
  },
});

await server.start();
