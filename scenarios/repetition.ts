/** How often each cell is measured, and the seed of every random choice. */
import { z } from "zod";

export const repeat = z.int().min(1).max(1_000);
export const seed = z.int().min(0).max(0xffff_ffff);
