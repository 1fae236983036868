/** The built-in experiments: the text of each file, by name. */
import quick from "./quick.yaml" with { type: "text" };

export const experiments: Readonly<Record<string, string>> = { quick };
