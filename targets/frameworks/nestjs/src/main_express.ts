import { ValidationPipe } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import type { NestExpressApplication } from "@nestjs/platform-express";
import morgan from "morgan";
import { AppModule } from "./app.module.js";
import { logger } from "./logger.js";

const { HOST = "127.0.0.1", LOGGING, PORT } = process.env;

const app = await NestFactory.create<NestExpressApplication>(
  AppModule,
  { logger },
);
if (LOGGING === "on") app.use(morgan("combined"));
app.useGlobalPipes(new ValidationPipe({ transform: true }));
await app.listen(Number(PORT), HOST);
