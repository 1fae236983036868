/** The lines of a target that nginx serves. */
import { z } from "zod";
import { originName } from "../upstream/origin_name.ts";

const workers = z.union([z.literal("auto"), z.int().min(1).max(256)], {
  error: "Cannot use this as nginx's workers: write auto or a number from 1 to 256",
}).default("auto").describe("Worker processes of nginx; auto: one for each core");

export const nginxTarget = z.strictObject({
  nginx: z.strictObject({
    root: z.string().min(1).optional()
      .describe("Folder whose files it serves, relative to the experiment file"),
    proxy: originName.optional()
      .describe("What it stands in front of: the name of another target, or http://host:port"),
    workers,
  }).superRefine(({ root, proxy }, context) => {
    if ((root === undefined) !== (proxy === undefined)) return;
    const message = root === undefined
      ? "Cannot tell what nginx serves: write root: FOLDER or proxy: TARGET"
      : "Cannot serve both root and proxy: leave one out";
    context.addIssue({ code: "custom", message, path: root === undefined ? [] : ["proxy"] });
  }).describe("The real nginx, from PATH"),
});

export type NginxTarget = z.output<typeof nginxTarget>;
