import { ConsoleLogger } from "@nestjs/common";

const { LOGGING, TRACE } = process.env;

/** Logs the messages of errors without their stack traces. */
class BriefLogger extends ConsoleLogger {
  override error(error: unknown): void {
    super.error(error instanceof Error ? error.message : error);
  }
}

const logsAll = TRACE === "on" ? new ConsoleLogger() : new BriefLogger();
const logsErrors = TRACE === "on" && new ConsoleLogger({ logLevels: ["error", "fatal"] });

/** NestJS's log of its start and of errors. The HTTP framework below NestJS logs the requests. */
export const logger = LOGGING === "on" ? logsAll : logsErrors;
