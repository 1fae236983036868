import { Module } from "@nestjs/common";
import { AppController } from "./app.controller.js";
import { AppService } from "./app.service.js";
import { redisProvider } from "./redis.provider.js";

@Module({ controllers: [AppController], providers: [AppService, redisProvider] })
export class AppModule {}
