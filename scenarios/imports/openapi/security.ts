/** How an operation authenticates. Its secrets come from the environment. Pure. */
import { variableName } from "../format/format.ts";
import { FromEnvironment } from "../format/references.ts";
import type { Description, MapPart } from "./description.ts";

/** The secrets of a request, grouped by what carries them: header fields, the query or cookies. */
interface Credentials {
  readonly headers: Readonly<Record<string, FromEnvironment>>;
  /**
   * Names of the environment variables that hold the secrets, keyed by query parameter; in `cookies`, keyed by cookie.
   */
  readonly query: Readonly<Record<string, string>>;
  readonly cookies: Readonly<Record<string, string>>;
}

const NONE: Credentials = { headers: {}, query: {}, cookies: {} };

export class Security {
  readonly #components: MapPart | null;
  /**
   * Notes for the user that say which environment variables hold secrets, and which security schemes were not
   * converted.
   */
  readonly notes = new Set<string>();
  readonly variables = new Set<string>();

  constructor(private readonly description: Description) {
    this.#components = description.map(description.root, "components");
  }

  /** The credentials for an operation: the first of its alternatives that Plateau supports, or none. */
  of(operation: MapPart): Credentials {
    const own = Object.hasOwn(operation.value, "security") ? operation : this.description.root;
    const ways = this.description.list(own, "security");
    let credentials: Credentials | null = ways.length === 0 ? NONE : null;
    for (const way of ways) {
      const map = this.description.followedMap(way);
      if (map === null) continue;
      const parts = Object.keys(map.value).map((name) => this.#scheme(name, map));
      if (parts.includes(null)) continue;
      credentials = parts.reduce<Credentials>((all, one) => ({
        headers: { ...all.headers, ...one?.headers },
        query: { ...all.query, ...one?.query },
        cookies: { ...all.cookies, ...one?.cookies },
      }), NONE);
      break;
    }
    return credentials ?? NONE;
  }

  /** The credentials that a security scheme needs; null if the scheme is missing or not supported. */
  #scheme(name: string, { path }: MapPart): Credentials | null {
    const schemes = this.#components && this.description.map(this.#components, "securitySchemes");
    const scheme = schemes && this.description.map(schemes, name);
    if (!scheme) {
      const message = `Cannot find this security scheme under components.securitySchemes`;
      this.description.refuse([...path, name], message);
      return null;
    }
    const variable = variableName(name);
    const kind = this.description.text(scheme, "type");
    if (kind === "apiKey") return this.#key(scheme, variable);
    if (kind === "oauth2" || kind === "openIdConnect") {
      this.#need(variable, "an access token");
      return {
        ...NONE,
        headers: { authorization: new FromEnvironment(["Bearer ", { variable }]) },
      };
    }
    if (kind === "http") {
      const scheme_ = (this.description.text(scheme, "scheme") ?? "bearer").toLowerCase();
      return this.#http(scheme_, variable);
    }
    this.notes.add(
      kind === "mutualTLS"
        ? `${name} needs a client certificate: write cert and key into the target`
        : `left out: the security scheme ${name}, whose kind Plateau does not know`,
    );
    return null;
  }

  #key(scheme: MapPart, variable: string): Credentials | null {
    const { description } = this;
    const [name, place] = [description.text(scheme, "name"), description.text(scheme, "in")];
    if (name === null || !["header", "query", "cookie"].includes(place ?? "")) {
      description.refuse(
        scheme.path,
        "Cannot send this key: it needs a name, and in: header, query or cookie",
      );
      return null;
    }
    this.#need(variable, `the key ${name}`);
    const secret = { [name]: variable };
    if (place === "query") return { ...NONE, query: secret };
    if (place === "cookie") return { ...NONE, cookies: secret };
    return { ...NONE, headers: { [name]: new FromEnvironment([{ variable }]) } };
  }

  #http(scheme: string, variable: string): Credentials {
    const isBasic = scheme === "basic";
    this.#need(variable, isBasic ? "user:password in base64" : "a token");
    const name = scheme[0].toUpperCase() + scheme.slice(1);
    return { ...NONE, headers: { authorization: new FromEnvironment([`${name} `, { variable }]) } };
  }

  #need(variable: string, what: string): void {
    this.variables.add(variable);
    this.notes.add(`${what} comes from the environment variable ${variable}`);
  }
}
