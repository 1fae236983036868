import type { HttpContext } from "@adonisjs/core/http";

export default class ErrorsController {
  show({ params }: HttpContext) {
    const id = Number(params.id);
    if (id === 1) throw new TypeError("Division by 0");
    return { value: id / (id - 1) };
  }
}
