import { defineConfig } from "@adonisjs/core/http";
import string from "@adonisjs/core/helpers/string";

/** A random key is enough, because nothing that it signs or encrypts needs to outlast the process. */
export const appKey = string.random(32);

export const http = defineConfig({});
