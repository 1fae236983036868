/** Hidden: `supervise -- PROGRAM ARGS…` stands between Plateau and a foreign program that it starts. */
import { supervise as superviseProgram } from "../targets/launch/supervisor.ts";
import type { Command } from "./command.ts";

export const supervise: Command = {
  execute: ([, ...command]) => superviseProgram(command),
};
