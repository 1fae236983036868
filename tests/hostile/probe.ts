/** What a hostile client, or a hostile page of an origin, tries on a caching proxy. */

export interface Probe {
  readonly what: string;
  /** As it goes over the wire; AT is a path of its own. */
  readonly send: string;
  /** Status of the first answer; null where the connection is closed without one. */
  readonly status: number | null;
  /** Requests of it that the origin may see, as method and target; none when absent. */
  readonly passed?: readonly string[];
  /** What neither the origin nor the next visitor of the page may see. */
  readonly never?: RegExp;
  /** What the origin must see of it. */
  readonly seen?: RegExp;
  /** Whether the next visitor finds its page kept; fresh from the origin when absent. */
  readonly next?: "kept";
  /** What the origin answers at AT, in place of an echo. */
  readonly answer?: string;
}

/** The host that a client names. */
export const H = "host: shop.example\r\n";
/** What never gets through, unless the origin itself said it. */
export const EVIL = /evil/;
export const HELLO = "5\r\nhello\r\n0\r\n\r\n";

export function post(fields: string, body: string): string {
  return `POST AT HTTP/1.1\r\n${H}${fields}\r\n${body}`;
}

export function get(fields: string, path = "AT"): string {
  return `GET ${path} HTTP/1.1\r\n${H}${fields}\r\n`;
}

/** Probes of which the same becomes. @param sends What each sends, by what it is. */
export function alike(
  fate: Omit<Probe, "what" | "send">,
  sends: Readonly<Record<string, string>>,
): Probe[] {
  return Object.entries(sends).map(([what, send]) => ({ what, send, ...fate }));
}
