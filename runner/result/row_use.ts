/** How often the rows of a table of values were used. */
import * as z from "zod";

const count = z.int().min(0);

export const rowUse = z.strictObject({
  values: z.array(z.string()).min(1).describe("Names of the values that are the table's columns"),
  file: z.string(),
  rows: count.describe("Rows of the table"),
  used: count.describe(
    "Number of distinct rows that requests used or, in flows and for unique rows, sessions: a session may end before it sends its row",
  ),
  mostUsed: count.describe("Number of requests or sessions that used the most frequent row"),
});
