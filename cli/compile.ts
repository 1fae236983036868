/** `deno task compile [--target T]`: makes dist/plateau, a single executable that needs nothing else installed. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "./compiled/parts.ts";
import { compileProgram, gatherIngredients } from "./compiled/program.ts";

const { target } = parseArgs({ options: { target: { type: "string" } } }).values;
const system = target === undefined ? undefined : { target };
await compileProgram(await gatherIngredients(), join(ROOT, "dist/plateau"), system);
