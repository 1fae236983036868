import { defineConfig } from "@adonisjs/redis";
import env from "#start/env";

const { hostname, password, pathname, port, protocol, username } = new URL(
  env.get("REDIS_URL") || "redis://127.0.0.1:6379",
);

export default defineConfig({
  connection: "main",
  connections: {
    main: {
      host: hostname,
      port: port || "6379",
      username: decodeURIComponent(username),
      password: decodeURIComponent(password),
      db: Number(pathname.slice(1)),
      tls: protocol === "rediss:" ? {} : undefined,
    },
  },
});
