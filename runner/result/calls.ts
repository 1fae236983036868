/** How gRPC calls ended, as stored in result files. */
import * as z from "zod";

const count = z.int().min(0);

export const calls = z.strictObject({
  status: z.record(z.string().regex(/^[A-Z_]{1,40}$/), count).describe(
    "Completed calls by the name of their grpc-status: OK, NOT_FOUND …",
  ),
  noStatus: count.describe(
    "Completed calls without a grpc-status: wrong responses, and calls whose virtual user left early",
  ),
});
