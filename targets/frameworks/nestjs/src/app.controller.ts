import { Controller, Get, Param, ParseIntPipe, Query } from "@nestjs/common";
import { AppService } from "./app.service.js";
import { ValidationDto } from "./validation.dto.js";

@Controller()
export class AppController {
  constructor(private readonly appService: AppService) {}

  @Get("static")
  getStatic() {
    return { ok: true };
  }

  @Get("fib")
  getFibonacci() {
    return { res: this.appService.fibonacci(23) };
  }

  @Get("redis")
  async getRedis() {
    return { value: await this.appService.readCounter() };
  }

  @Get("validation")
  getValidation(@Query() _query: ValidationDto) {
    return { ok: true };
  }

  @Get("error/:id")
  getError(@Param("id", ParseIntPipe) id: number) {
    return { value: this.appService.divide(id) };
  }
}
