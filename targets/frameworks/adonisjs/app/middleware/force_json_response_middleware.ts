import type { HttpContext } from "@adonisjs/core/http";
import type { NextFn } from "@adonisjs/core/types/http";

/** Makes Adonis render errors as JSON, whatever the client accepts. */
export default class ForceJsonResponseMiddleware {
  async handle({ request }: HttpContext, next: NextFn) {
    request.request.headers.accept = "application/json";
    return next();
  }
}
