/** The processes of this machine by ps(1), as macOS' are read. Linux' own ps has no word for user time. */
import { parsePs, PS_COLUMNS, runPs, type TableRow } from "../../base/system/process_table.ts";

export function psHere(): TableRow[] {
  const columns = PS_COLUMNS.map((column) => column === "utime" ? "time" : column);
  return parsePs(runPs(columns)).filter(({ name, parent }) => name !== "ps" || parent !== Deno.pid);
}
