import { ConsoleLogger } from "@nestjs/common";

const { LOGGING, TRACE } = process.env;

/** Logs errors without their stack. */
class BriefLogger extends ConsoleLogger {
  override error(error: unknown): void {
    super.error(error instanceof Error ? error.message : error);
  }
}

const logsAll = TRACE === "on" ? new ConsoleLogger() : new BriefLogger();
const logsErrors = TRACE === "on" && new ConsoleLogger({ logLevels: ["error", "fatal"] });

/** NestJS's own log of its start and of errors; the HTTP framework below logs the requests. */
export const logger = LOGGING === "on" ? logsAll : logsErrors;
