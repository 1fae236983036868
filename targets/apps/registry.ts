/** The built-in targets by name. */
import { api } from "./api.ts";
import type { App } from "./app.ts";
import { site } from "./site.ts";
import { work } from "./work.ts";

export const appNames = ["api", "work", "site"] as const;
export type AppName = (typeof appNames)[number];

export const apps = { api, work, site } satisfies Record<AppName, App>;

/** The member by that name, seen through the contract. */
export function appNamed(name: AppName): App {
  return apps[name];
}

export function isAppName(name: string): name is AppName {
  return Object.hasOwn(apps, name);
}
