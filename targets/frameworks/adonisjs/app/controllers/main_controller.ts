import type { HttpContext } from "@adonisjs/core/http";
import redis from "@adonisjs/redis/services/main";
import env from "#start/env";
import { queryValidator } from "#validators/query";

export default class MainController {
  getStatic() {
    return { ok: true };
  }

  getFibonacci() {
    return { res: this.#fibonacci(23) };
  }

  async getRedis({ response }: HttpContext) {
    if (!env.get("REDIS_URL")) return response.serviceUnavailable({ error: "there is no Redis" });
    return { value: await redis.get("plateau:counter") };
  }

  async getValidation({ request }: HttpContext) {
    await request.validateUsing(queryValidator);
    return { ok: true };
  }

  #fibonacci(n: number): number {
    return n < 2 ? n : this.#fibonacci(n - 2) + this.#fibonacci(n - 1);
  }
}
