/** Secrets that a command line holds: known before anything is printed of it. */
import { secretsInWord } from "../../base/secret_fields.ts";
import { secrets } from "../../base/secrets.ts";

/** `-u user:password`, as curl, hey and ab take it. */
const LIKE_USER = /\s(?:-u|--user|-a|-A)[\s=]{0,4}["']?[^\s:"']+:([^\s"']+)/g;

/** As words, or as a whole: the line of another tool is one word here (`--like`). */
export function keepGivenSecrets(args: readonly string[]): void {
  for (const arg of args) {
    const passwords = [...arg.matchAll(LIKE_USER)].map(([, password]) => password);
    for (const secret of [...secretsInWord(arg), ...passwords]) secrets.keep(secret);
  }
}

/** A Redis whose password stands on a command line, which all on its machine can read. */
const OPEN_PASSWORD = /^(?:--redis=)?rediss?:\/\/[^/@]*:[^/@]+@/i;

export const OPEN_PASSWORD_NOTE =
  "Note: everybody on this machine can see the password in --redis: " +
  "use --redis-password-file FILE or PLATEAU_REDIS_PASSWORD";

/** What to say of it; null where there is none. */
export function openPasswordNote(args: readonly string[]): string | null {
  return args.some((arg) => OPEN_PASSWORD.test(arg)) ? OPEN_PASSWORD_NOTE : null;
}
