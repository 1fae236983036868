/** Evaluates the script that an experiment includes. Load workers, agents and the process of a run do this. */
import { Realm, type RealmParts } from "../../base/script/realm.ts";
import { secrets } from "../../base/secrets.ts";
import type { ScriptCode } from "./code.ts";

/** Evaluates a script, whose functions can then be called by name. Throws a ScriptError if the script throws. */
export async function evaluated(
  { entry, files, parameters, env }: ScriptCode,
  { random, log }: Pick<RealmParts, "random" | "log">,
): Promise<Realm> {
  // This process may not have read the experiment file, but it, too, must hide the values of the
  // variables that the script reads.
  for (const [name, value] of Object.entries(env)) secrets.keep(value, `\${env.${name}}`);
  const realm = await Realm.open({
    entry,
    load: (path) => {
      if (Object.hasOwn(files, path)) return files[path];
      throw new Error(`${path} was not among the imports when the experiment was read`);
    },
    env: (name) => {
      if (Object.hasOwn(env, name)) return env[name];
      throw new Error(
        `the variable ${name} is unknown here: call env("${name}") at the top of the script`,
      );
    },
    random,
    nowMs: () => performance.now(),
    log,
  });
  realm.experiment(parameters);
  return realm;
}
