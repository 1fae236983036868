/** Values that an experiment file takes from the environment of who runs it: `${env.NAME}`. Pure. */

/** One variable's value, asked by its name alone: no more of the environment need be readable. */
export type Environment = (name: string) => string | undefined;

export const NO_ENVIRONMENT: Environment = () => undefined;

const BEFORE = "env.";
/** As shells take it (POSIX.1-2017 §8.1, with small letters). */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Whether it is taken from the environment; no parameter can have such a name, as theirs hold no dot. */
export function isEnvName(name: string): boolean {
  return name.startsWith(BEFORE);
}

/** By the names as they stand between the braces; without those that are not set, or set to nothing. */
export function variablesOf(
  names: Iterable<string>,
  environment: Environment,
): Map<string, string> {
  return new Map([...names].flatMap((name): [string, string][] => {
    const variable = name.slice(BEFORE.length);
    const value = isEnvName(name) && NAME.test(variable) ? environment(variable) : undefined;
    return value ? [[name, value]] : [];
  }));
}

/** CI systems set a variable to nothing where they hide a secret from a run, so an empty one is missing, too. */
export function whyNoVariable(name: string): string {
  const variable = name.slice(BEFORE.length);
  const text = `\${${name}}`;
  return NAME.test(variable)
    ? `Cannot fill in ${text}: the environment has no ${variable} (set it, such as ${variable}=… plateau run …)`
    : `Cannot fill in ${text}: no variable can have this name (write one such as \${env.TOKEN})`;
}
