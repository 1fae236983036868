import type { HttpContext } from "@adonisjs/core/http";
import type { NextFn } from "@adonisjs/core/types/http";

/** Errors are rendered as what the client accepts: here that is always JSON. */
export default class ForceJsonResponseMiddleware {
  async handle({ request }: HttpContext, next: NextFn) {
    request.request.headers.accept = "application/json";
    return next();
  }
}
