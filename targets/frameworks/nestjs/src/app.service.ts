import { Inject, Injectable, ServiceUnavailableException } from "@nestjs/common";
import { REDIS, type Redis } from "./redis.provider.js";

@Injectable()
export class AppService {
  constructor(@Inject(REDIS) private readonly redis: Redis | null) {}

  fibonacci(n: number): number {
    return n < 2 ? n : this.fibonacci(n - 2) + this.fibonacci(n - 1);
  }

  async readCounter(): Promise<string | null> {
    if (this.redis === null) throw new ServiceUnavailableException("there is no Redis");
    return await this.redis.get("plateau:counter");
  }

  divide(id: number): number {
    if (id === 1) throw new TypeError("Division by 0");
    return id / (id - 1);
  }
}
