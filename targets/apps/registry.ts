/** Lists the built-in apps, and looks them up by name. */
import type { AppName } from "../../base/target/app_settings.ts";
import { api } from "./api.ts";
import type { App } from "./app.ts";
import { site } from "./site.ts";
import { streams } from "./streams.ts";
import { user } from "./user.ts";
import { wiki } from "./wiki.ts";
import { work } from "./work.ts";

export const apps = { api, work, user, wiki, site, streams } satisfies Record<AppName, App>;

/** Looks up an app; the result has the type that all apps share. */
export function appNamed(name: AppName): App {
  return apps[name];
}

/** @param set Settings that are known to be valid. */
export function appNeedsRedis(name: AppName, set: Readonly<Record<string, unknown>>): boolean {
  const app = appNamed(name);
  return app.needsRedis?.(app.settings.parse(set)) ?? false;
}
