/**
 * Finds values that are secret because of where they stand: header fields with credentials, and passwords in URLs.
 * Lists the forms in which a value travels: plain, in JSON (RFC 8259 §7), percent-encoded (RFC 3986 §2.1), in base64
 * (RFC 4648), in HTML and XML. Pure.
 */

/** Header fields of RFC 9110 §11 and RFC 6265 §5.4, and the names of fields in which APIs expect a key. */
const SECRET_FIELD =
  /^(?:(?:proxy-)?authorization|(?:set-)?cookie)$|(?:^|[-_])(?:api[-_]?key|token|secret|password)$/i;

/** A URI scheme before `://` (RFC 3986 §3), and the most characters of one: real schemes are short. */
const SCHEME = /[a-z][a-z0-9+.-]{0,30}$/i;
const LONGEST_SCHEME = 31;
const AUTHORITY = /[^\s/?#"<>]+/y;

/** Placeholders: values that are filled in elsewhere, or were removed before. */
const PLACEHOLDER = /\{\{[^{}]*\}\}|\$\{[^{}]*\}|\[secret\]/g;

/**
 * Least length at which these count as secrets: a cookie, the text beside a placeholder, a line of a longer secret such
 * as a PEM key, and the base64 of a value within something longer. Shorter ones may be words such as `dark`.
 */
const LEAST_PART = 8;
/** Least length at which base64 counts as a secret, because shorter base64 may be any word. */
const LEAST_CODE = 4;

export function isSecretField(name: string): boolean {
  return SECRET_FIELD.test(name.trim());
}

/** All parts of a secret field's value that must not be shown: the whole, and the credentials in it. */
export function credentialsIn(name: string, value: string): string[] {
  const bare = value.replaceAll(PLACEHOLDER, "").trim();
  const isWhole = bare === value.trim();
  const parts = /cookie$/i.test(name.trim()) ? cookiesIn(bare) : wordsAfterScheme(value, bare);
  return [
    ...isWhole ? [value.trim()] : [],
    ...parts.filter((part) => isWhole || part.length >= LEAST_PART),
  ].filter((part) => part !== "");
}

function cookiesIn(field: string): string[] {
  return cookieValues(field).filter(({ length }) => length >= LEAST_PART);
}

function cookieValues(field: string): string[] {
  return field.split(";").map((pair) => pair.slice(pair.indexOf("=") + 1).trim());
}

/**
 * Secrets in a Set-Cookie field: the values, and the whole field if a value is too short to be hidden without its name.
 */
export function secretsInCookies(field: string): string[] {
  const isAllLong = cookieValues(field).every(({ length }) => length === 0 || length >= LEAST_PART);
  return [...isAllLong ? [] : [field.trim()], ...cookiesIn(field)].filter((text) => text !== "");
}

/**
 * The words after the authentication scheme, which is no secret itself (RFC 9110 §11.4); for Basic, also the decoded
 * password.
 */
function wordsAfterScheme(value: string, bare: string): string[] {
  const [, scheme] = /^\s*([a-z][\w-]*)\s+\S/i.exec(value) ?? [];
  if (scheme === undefined) return [];
  const words = bare.slice(scheme.length).trim().split(/[\s,]+/)
    .map((word) => word.replace(/^[\w-]+="?(?=[^=])/, "").replace(/"$/, ""));
  if (scheme.toLowerCase() === "basic") return words.flatMap((word) => [word, ...decoded(word)]);
  return words.length > 1 ? words.filter(({ length }) => length >= LEAST_PART) : words;
}

function decoded(base64: string): string[] {
  try {
    const pair = new TextDecoder().decode(Uint8Array.fromBase64(base64));
    return [pair, pair.slice(pair.indexOf(":") + 1)];
  } catch {
    return [];
  }
}

/** Passwords in the URLs of a text, as written and percent-decoded. */
export function passwordsIn(text: string): string[] {
  return userInfosIn(text).flatMap(([scheme, userInfo]) => {
    const isSecret = userInfo.includes(":") || /^https?$/i.test(scheme);
    const password = isSecret ? userInfo.slice(userInfo.indexOf(":") + 1) : "";
    return password.replaceAll(PLACEHOLDER, "") === password ? [password, unescaped(password)] : [];
  }).filter((password) => password !== "");
}

/**
 * Finds the scheme and the user information of each `scheme://user:password@host`. The user information may be a token
 * alone, and ends at the last @, as in the class URL. Takes linear time, because each authority ends at the next slash
 * and the schemes are short.
 */
function userInfosIn(text: string): (readonly [scheme: string, userInfo: string])[] {
  const found: (readonly [scheme: string, userInfo: string])[] = [];
  for (let at = text.indexOf("://"); at >= 0; at = text.indexOf("://", at + 1)) {
    AUTHORITY.lastIndex = at + "://".length;
    const [authority = ""] = AUTHORITY.exec(text) ?? [];
    const end = authority.lastIndexOf("@");
    if (end <= 0) continue;
    const [scheme] = SCHEME.exec(text.slice(Math.max(0, at - LONGEST_SCHEME), at)) ?? [];
    if (scheme !== undefined) found.push([scheme, authority.slice(0, end)]);
  }
  return found;
}

/**
 * A URL that was refused, for a message: with … in place of everything that may be a password, because a wrong URL may
 * hold a password anywhere before its host or in place of its port.
 */
export function hostIn(text: string): string {
  const [scheme = ""] = /^[a-z][a-z0-9+.-]{0,30}:\/\//i.exec(text) ?? [];
  const at = text.lastIndexOf("@");
  return at < scheme.length
    ? text.replace(/^([^:]*:\/\/[^\s:/?#]*:)(?!\d+(?:[/?#]|$)).*$/s, "$1…")
    : `${scheme}…${text.slice(at)}`;
}

export function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Keys of an experiment file whose values are commands, or lists of commands. */
const COMMANDS: readonly string[] = ["command", "build", "setup", "before", "after", "teardown"];

/**
 * All secrets in the data of an experiment file or of a request: under `headers` and `env`, in commands, and in URLs
 * anywhere.
 */
export function secretsIn(data: unknown): string[] {
  if (typeof data === "string") return passwordsIn(data);
  if (typeof data !== "object" || data === null) return [];
  return Object.entries(data).flatMap(([key, value]) => [
    ...key === "headers" ? fieldsIn(value) : [],
    ...key === "env" ? variablesIn(value) : [],
    ...COMMANDS.includes(key) ? commandsIn(value) : [],
    ...secretsIn(value),
  ]);
}

/**
 * Names of environment variables and options whose values are secret. Such a name ends in a telling word, perhaps
 * joined to another one, as in `PGPASSWORD`.
 */
const SECRET_VARIABLE =
  /(?:pass(?:word|wd|phrase)|secret|token|credentials?|(?:api|access|private|secret)[-_]?key)$/i;

/** Shorter values, as in `TOKEN=none`, are words rather than secrets. */
const LEAST_VARIABLE = 6;

/** Whether the value of an environment variable, or of an option with this name, is secret. */
export function isSecretVariable(name: string, value: string): boolean {
  return value.length >= LEAST_VARIABLE && SECRET_VARIABLE.test(name) && !/^\$|\{/.test(value);
}

function variablesIn(env: unknown): string[] {
  if (typeof env !== "object" || env === null) return [];
  return Object.entries(env).flatMap(([name, value]) =>
    typeof value === "string" && isSecretVariable(name, value) ? [value] : []
  );
}

/** Secrets in one command, or in lists of commands. */
function commandsIn(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  const words = value.filter((one) => typeof one === "string");
  return words.length === value.length ? secretsInCommand(words) : value.flatMap(commandsIn);
}

/** Splits a text roughly as a shell does (POSIX.1-2024, Shell Command Language, §2.3). */
const SHELL_WORDS = /(?:[^\s"';&|()]|"[^"]*"|'[^']*')+/g;

/**
 * The secrets in a command line, such as `--password=…`, `--token …`, `NAME_SECRET=…` and curl's `-u user:password`,
 * also inside a word that is itself a shell command.
 */
function secretsInCommand(words: readonly string[]): string[] {
  const parts = words.flatMap((word) => /\s/.test(word) ? word.match(SHELL_WORDS) ?? [] : [word]);
  return [
    ...words.flatMap(secretsInWord),
    ...parts.flatMap((part, at) => {
      const [, name, value = parts[at + 1] ?? ""] =
        /^(?:--?)?([\w-]+)(?:=["']?(.*?)["']?)?$/.exec(part) ??
          [];
      if (name === undefined) return [];
      const isOption = part.startsWith("-") || part.includes("=");
      if (isOption && isSecretVariable(name, value)) return [value];
      return /^(?:-u|--user)$/.test(part) ? passwordOf(value) : [];
    }),
  ];
}

/** The password in `user:password`. */
function passwordOf(credentials: string): string[] {
  const password = credentials.slice(credentials.indexOf(":") + 1);
  return credentials.includes(":") && !/^\$|\{/.test(password) && password !== "" ? [password] : [];
}

function fieldsIn(headers: unknown): string[] {
  if (typeof headers !== "object" || headers === null) return [];
  return Object.entries(headers).flatMap(([name, value]) =>
    isSecretField(name) && typeof value === "string" ? credentialsIn(name, value) : []
  );
}

/** A header field within a word, as in `-H "authorization: …"`, `--header=…`, or the command line of another tool. */
const FIELD = /(?:^|[\s"'=])(?:-H\s*)?["']?([\w-]+)\s*:\s*([^"'\r\n]*)/g;
/** `user:password` after `-u` or a similar option of curl, hey, oha and ab. */
const USER_OPTION = /\s(?:-u|--user|-a|-A|-P|-U|--proxy-user)[\s=]{0,4}["']?[^\s:"']+:([^\s"']+)/g;
/** Credentials without the name of their header field, as in a field that was written wrongly. */
const CREDENTIALS = /\b(?:Basic|Bearer)\s+([\w+/.~-]{4,}=*)/gi;

/** Secrets in a word of a command line, as written and percent-decoded. */
export function secretsInWord(word: string): string[] {
  const decoded = unescaped(word);
  return [...new Set([word, decoded])].flatMap((text) => [
    ...passwordsIn(text),
    ...[...text.matchAll(FIELD)].flatMap(([, name, value]) =>
      isSecretField(name) ? credentialsIn(name, value) : []
    ),
    ...[...text.matchAll(USER_OPTION)].map(([, password]) => password),
    ...text.split(/[\s"'<>]+/).flatMap(passwordsWithoutScheme),
    ...[...text.matchAll(CREDENTIALS)].flatMap(([whole]) => credentialsIn("authorization", whole)),
  ]);
}

/**
 * Passwords in an address that `passwordsIn` does not recognise: `user:password@host`, `//user:password@host`,
 * `http:/user:password@host`, or a password with a slash. The password ends at the last @ before a host.
 */
function passwordsWithoutScheme(address: string): string[] {
  const [userInfo = ""] = /^.*(?=@[\w.[-])/s.exec(address) ?? [];
  if (!userInfo.includes(":") || passwordsIn(address).length > 0) return [];
  const [, scheme = "", rest] = /^(.*?:\/\/)?(.*)$/s.exec(userInfo) ?? [];
  if (scheme !== "" && !/^[^:/?#]*:(?!\d+(?:[/?#]|$))/.test(rest)) return []; // a colon in the path or before a port
  const [, ...parts] = rest.split(":");
  return [parts.join(":"), parts.slice(1).join(":")].filter((part) => part !== "");
}

/** The forms in which a text may hold a secret value or one of its longer lines: plain and encoded. */
export function writtenForms(value: string): Set<string> {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  const parts = lines.length > 1 ? lines.filter(({ length }) => length >= LEAST_PART) : [];
  return new Set(
    [value, ...parts].flatMap((part) => [...formsOf(part)]).map((form) => form.toWellFormed()),
  );
}

function formsOf(value: string): Set<string> {
  const json = JSON.stringify(value).slice(1, -1);
  const percent = encodeURIComponent(value.toWellFormed());
  return new Set([
    value,
    json,
    JSON.stringify(json).slice(1, -1), // JSON inside a JSON string
    percent,
    percent.replaceAll(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase()),
    percent.replaceAll("%20", "+"),
    encodeURI(value.toWellFormed()),
    ...["&#39;", "&#x27;", "&apos;", "'"].map((apostrophe) => inMarkup(value, apostrophe)),
    ...inBase64(new TextEncoder().encode(value)),
  ]);
}

function inMarkup(value: string, apostrophe: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;").replaceAll("'", apostrophe);
}

/**
 * The forms of a value in base64, alone and as a part of something longer, as in `user:password` (RFC 7617 §2). Base64
 * writes three bytes as four characters, so a part has three forms, one for each offset. Characters that also hold bits
 * of neighbouring bytes are left out.
 */
function inBase64(bytes: Uint8Array<ArrayBuffer>): string[] {
  const alone = bytes.toBase64();
  const within = [0, 1, 2].map((before) => {
    const padded = new Uint8Array(before + bytes.length);
    padded.set(bytes, before);
    const isCut = padded.length % 3 !== 0;
    const text = padded.toBase64().replace(/=+$/, "");
    return text.slice(before === 0 ? 0 : before + 1, isCut ? -1 : undefined);
  });
  const standard = [alone, ...within.filter(({ length }) => length >= LEAST_PART)]
    .filter(({ length }) => length >= LEAST_CODE);
  const forUrls = standard.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
  return [...standard, ...forUrls, ...forUrls.map((text) => text.replace(/=+$/, ""))];
}
