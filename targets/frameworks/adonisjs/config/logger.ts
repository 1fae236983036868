import { defineConfig } from "@adonisjs/core/logger";
import env from "#start/env";

export default defineConfig({
  default: "app",
  loggers: {
    app: {
      enabled: env.get("LOGGING") === "on" || env.get("TRACE") === "on",
      name: "plateau",
      level: env.get("LOGGING") === "on" ? "info" : "error",
    },
  },
});
