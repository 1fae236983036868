import { ExceptionHandler, type HttpContext } from "@adonisjs/core/http";
import { errors } from "@vinejs/vine";
import env from "#start/env";

export default class HttpExceptionHandler extends ExceptionHandler {
  protected override debug = false;
  protected override reportErrors = env.get("TRACE") === "on";

  /** Responds to an invalid query with 400, as the study's other servers do; Adonis would respond with 422. */
  override async handle(error: unknown, ctx: HttpContext) {
    if (error instanceof errors.E_VALIDATION_ERROR) {
      return ctx.response.badRequest({ errors: error.messages });
    }
    return super.handle(error, ctx);
  }
}
