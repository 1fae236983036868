/** `plateau schema`: the JSON Schema of a file, for editors and scripts. */
import { z } from "zod";
import { jsonText } from "../report/writing/json.ts";
import { measurement, results } from "../runner/result/result.ts";
import { EXIT } from "../base/errors.ts";
import { experimentSpec } from "../scenarios/file/experiment.ts";
import { defineCommand } from "./define.ts";
import { withParameters } from "./parameter_schema.ts";
import { print } from "./terminal.ts";

const schemas = { experiment: experimentSpec, results, bench: measurement };
const names = [
  "experiment",
  "results",
  "bench",
] as const satisfies readonly (keyof typeof schemas)[];

export const schema = defineCommand({
  parts: {
    of: {
      operand: "[FILE]",
      about: `Of which file: ${names.join(", ")} (default: experiment)`,
      schema: z.enum(names).default("experiment"),
    },
  },
  async run({ of }): Promise<number> {
    const json = z.toJSONSchema(schemas[of], { io: "input", unrepresentable: "any" });
    const told = of === "experiment" ? withParameters(json) : json;
    await print(jsonText(told, 2));
    return EXIT.done;
  },
});
