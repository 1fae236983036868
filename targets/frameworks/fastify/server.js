import Fastify from "fastify";
import { createClient } from "redis";

const { HOST = "127.0.0.1", LOGGING, PORT, REDIS_URL, TRACE } = process.env;

const redis = REDIS_URL ? await createClient({ url: REDIS_URL }).connect() : null;
await redis?.set("plateau:counter", 1);

function fibonacci(n) {
  return n < 2 ? n : fibonacci(n - 2) + fibonacci(n - 1);
}

/** With a schema of its answer a route is serialized by a function compiled for it. */
function answering(properties) {
  return { schema: { response: { 200: { type: "object", properties } } } };
}

/** What an error is without its trace. */
const serializers = { err: ({ name, message }) => ({ type: name, message }) };

const fastify = Fastify({
  logger: (LOGGING === "on" || TRACE === "on") && {
    level: LOGGING === "on" ? "info" : "error",
    ...TRACE !== "on" && { serializers },
  },
});

fastify.get("/static", answering({ ok: { type: "boolean" } }), () => ({ ok: true }));

fastify.get("/fib", answering({ res: { type: "integer" } }), () => ({ res: fibonacci(23) }));

fastify.get("/redis", answering({ value: { type: "string" } }), async (request, reply) => {
  if (redis === null) return reply.code(503).send({ error: "there is no Redis" });
  return { value: await redis.get("plateau:counter") };
});

const querystring = {
  type: "object",
  required: ["number", "string"],
  properties: { number: { type: "integer" }, string: { type: "string", minLength: 5 } },
};

fastify.get(
  "/validation",
  { schema: { querystring, ...answering({ ok: { type: "boolean" } }).schema } },
  () => ({ ok: true }),
);

fastify.get("/error/:id", answering({ value: { type: "number" } }), (request) => {
  const id = Number(request.params.id);
  if (id === 1) throw new TypeError("Division by 0");
  return { value: id / (id - 1) };
});

await fastify.listen({ port: Number(PORT), host: HOST });
