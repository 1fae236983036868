/** Evaluates an experiment's script from the experiment itself: in load workers, in agents, and around a run. */
import { Realm, type RealmParts } from "../../base/script/realm.ts";
import { secrets } from "../../base/secrets.ts";
import type { ScriptCode } from "./code.ts";

/** An evaluated script, whose functions can be called by name. Throws a ScriptError if the script throws. */
export async function evaluated(
  { entry, files, parameters, env }: ScriptCode,
  { random, log }: Pick<RealmParts, "random" | "log">,
): Promise<Realm> {
  // A process that evaluates the script may never have read the experiment, but must hide its secrets, too.
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
