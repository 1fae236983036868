/** The lines of a target that nginx serves. */
import { z } from "zod";
import { plainOriginName } from "../upstream/origin_name.ts";
import { writtenFiles } from "./written_files.ts";

const workers = z.union([z.literal("auto"), z.int().min(1).max(256)], {
  error: "Cannot use this as nginx's workers: write auto or a number from 1 to 256",
}).default("auto").describe("Worker processes of nginx; auto: one for each core");

export const nginxTarget = z.strictObject({
  nginx: z.strictObject({
    root: z.string().min(1).optional()
      .describe("Folder whose files it serves, relative to the experiment file"),
    files: writtenFiles.optional()
      .describe("Texts of files that it serves, by path; types go by the ending of its name"),
    proxy: plainOriginName.optional()
      .describe("What it stands in front of: the name of another target, or http://host:port"),
    workers,
  }).superRefine(({ root, files, proxy }, context) => {
    const given = Object.entries({ root, files, proxy })
      .flatMap(([key, value]) => value === undefined ? [] : [key]);
    if (given.length === 1) return;
    const message = given.length === 0
      ? "Cannot tell what nginx serves: write root: FOLDER, files: { /path: text } or proxy: TARGET"
      : `Cannot serve both ${given.slice(0, 2).join(" and ")}: leave one out`;
    context.addIssue({ code: "custom", message, path: given.slice(1, 2) });
  }).describe("The real nginx, from PATH"),
});

export type NginxTarget = z.output<typeof nginxTarget>;
