/** `plateau schema`: prints the JSON Schema of one of Plateau's file formats, for editors and scripts. */
import * as z from "zod";
import { jsonText } from "../../report/writing/json.ts";
import { measurement, results } from "../../runner/result/result.ts";
import { capacityResult } from "../../runner/result/capacity.ts";
import { EXIT } from "../../base/errors.ts";
import { defineCommand } from "../command_line/arguments.ts";
import { experimentJsonSchema, portableSchema } from "../schema/json_schema.ts";
import { print } from "../terminal/terminal.ts";

const schemas = {
  experiment: experimentJsonSchema,
  results: () => portableSchema(results),
  bench: () => portableSchema(measurement),
  capacity: () => portableSchema(capacityResult),
};
const names = [
  "experiment",
  "results",
  "bench",
  "capacity",
] as const satisfies readonly (keyof typeof schemas)[];

export const schemaCommand = defineCommand({
  parts: {
    of: {
      operand: "[FILE]",
      about: `Kind of file: ${names.join(", ")} (default: experiment)`,
      schema: z.enum(names).default("experiment"),
    },
  },
  async run({ of }): Promise<number> {
    await print(jsonText(schemas[of](), 2));
    return EXIT.done;
  },
});
