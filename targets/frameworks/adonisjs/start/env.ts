import { Env } from "@adonisjs/core/env";

export default await Env.create(new URL("../", import.meta.url), {
  HOST: Env.schema.string.optional({ format: "host" }),
  LOGGING: Env.schema.enum.optional(["on", "off"] as const),
  PORT: Env.schema.number(),
  REDIS_URL: Env.schema.string.optional(),
  TRACE: Env.schema.enum.optional(["on", "off"] as const),
});
