import { defineConfig } from "@adonisjs/core/http";
import string from "@adonisjs/core/helpers/string";

/** Nothing is signed or encrypted here that should outlast the process. */
export const appKey = string.random(32);

export const http = defineConfig({});
