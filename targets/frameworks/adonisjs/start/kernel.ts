import emitter from "@adonisjs/core/services/emitter";
import logger from "@adonisjs/core/services/logger";
import router from "@adonisjs/core/services/router";
import server from "@adonisjs/core/services/server";
import redis from "@adonisjs/redis/services/main";
import env from "#start/env";

server.errorHandler(() => import("#exceptions/handler"));

server.use([() => import("#middleware/force_json_response_middleware")]);

router.use([() => import("@adonisjs/core/bodyparser_middleware")]);

if (env.get("LOGGING") === "on") {
  emitter.on("http:request_completed", ({ ctx: { request, response } }) => {
    logger.info(`${request.method()} ${request.url(true)} ${response.getStatus()}`);
  });
}

if (env.get("REDIS_URL")) await redis.set("plateau:counter", 1);
