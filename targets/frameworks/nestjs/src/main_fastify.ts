import { ValidationPipe } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter, type NestFastifyApplication } from "@nestjs/platform-fastify";
import { AppModule } from "./app.module.js";
import { logger } from "./logger.js";

const { HOST = "127.0.0.1", LOGGING, PORT } = process.env;

const app = await NestFactory.create<NestFastifyApplication>(
  AppModule,
  new FastifyAdapter({ logger: LOGGING === "on" }),
  { logger },
);
app.useGlobalPipes(new ValidationPipe({ transform: true }));
await app.listen(Number(PORT), HOST);
