/**
 * The settings of the frameworks of the study, with defaults and limits. The frameworks themselves are in
 * `targets/frameworks`.
 */
import { z } from "zod";
import { onOrOff, wholeNumber } from "./settings.ts";

export const frameworkNames = [
  "express",
  "fastify",
  "hapi",
  "nestjs-express",
  "nestjs-fastify",
  "adonisjs",
  "feathers",
  "flask",
  "gin",
  "node-http",
] as const;
export type FrameworkName = (typeof frameworkNames)[number];

const logging = onOrOff.default(false)
  .describe("Its own log of requests and errors: on or off");

/** Of every framework. */
export const commonSettings = z.strictObject({ logging });

/** Of those that serve with several processes. */
export const workerSettings = commonSettings.extend({
  workers: wholeNumber(1, 1_024).default(1)
    .describe("Processes that respond to requests"),
});

export function frameworkSettings(framework: FrameworkName): z.ZodObject {
  return framework === "flask" ? workerSettings : commonSettings;
}
