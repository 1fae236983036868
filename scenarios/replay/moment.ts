/** Reads the time in a log line, in the notations that servers use. Pure. */
import { quotedOpenly } from "../../base/secrets.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/**
 * A time as in the common log format, such as `10/Feb/2012:16:42:07 -0500`. HAProxy adds milliseconds and leaves out
 * the zone.
 */
const COMMON =
  /^(\d\d?)\/(\w{3})\/(\d{4})[: ](\d\d:\d\d:\d\d)(?:[.,](\d+))?(?: ?(Z|[+-]\d\d:?\d\d))?$/;
/** A time in RFC 3339 notation. Slashes in the date are accepted, and the zone may be missing. */
const INTERNET =
  /^(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d+))?\s*(Z|[+-]\d\d:?\d\d)?$/i;
const EPOCH = /^\d{9,19}(?:\.\d+)?$/;

/**
 * The time in microseconds since the epoch. All digits count, whereas Date.parse would drop microseconds. A time
 * without a zone is taken as UTC, because only the gaps between requests matter.
 */
export function momentUs(time: unknown): number {
  if (typeof time === "number" && Number.isFinite(time)) return epochUs(time);
  const text = String(time).trim();
  if (EPOCH.test(text)) return epochUs(Number(text));
  const [, day, name, year, clock, digits, zone] = COMMON.exec(text) ?? [];
  if (day !== undefined) {
    const month = String(MONTHS.indexOf(name) + 1).padStart(2, "0");
    return dateUs(`${year}-${month}-${day.padStart(2, "0")}T${clock}`, digits, zone, time);
  }
  const [, fullYear, month, date, hours, fraction, offset] = INTERNET.exec(text) ?? [];
  return dateUs(`${fullYear}-${month}-${date}T${hours}`, fraction, offset, time);
}

function dateUs(whole: string, digits = "0", zone = "Z", time: unknown): number {
  const ms = Date.parse(`${whole}${zone}`);
  if (Number.isNaN(ms)) throw new Error(`Cannot read ${quotedOpenly(time)} as a moment`);
  return ms * 1_000 + Number(`0.${digits}`) * 1e6;
}

/** The largest number that is taken for seconds; it would be in the year 5138. */
const MOST_SECONDS = 1e11;

/**
 * Reads seconds, milliseconds, microseconds or nanoseconds since the epoch. The size of the number shows its unit,
 * because the next smaller unit makes it 1,000 times as large.
 */
function epochUs(number: number): number {
  for (const perUnit of [1e6, 1e3, 1]) {
    if (Math.abs(number) < MOST_SECONDS * 1e6 / perUnit) return number * perUnit;
  }
  return number / 1e3;
}
