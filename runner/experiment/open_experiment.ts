/** An experiment as its results hold it: without secrets. */
import { secrets } from "../../base/secrets.ts";

/** What speaks of targets, scenarios and figures by their names. */
const BY_NAME: readonly string[] = ["claims", "thresholds", "published"];

/**
 * Names stay names, whatever is secret: they stand in every run, and a value of the environment such as
 * `static` that happens to be one hides nothing by it.
 */
export function openExperiment<Experiment extends object>(experiment: Experiment): Experiment {
  const { targets, scenarios }: { targets?: unknown; scenarios?: unknown } = experiment;
  const names = new Set([targets, scenarios].flatMap((all) => Object.keys(Object(all))));
  const open = (text: string): string => names.has(text) ? text : secrets.text(text);
  return Object.fromEntries(
    Object.entries(experiment).map(([key, value]) => [
      key,
      BY_NAME.includes(key)
        ? secrets.data(value, (text) => secrets.form(text))
        : secrets.data(value, open),
    ]),
  ) as Experiment;
}
