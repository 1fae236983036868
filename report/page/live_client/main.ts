/// <reference lib="dom" />
/**
 * What the page of a running experiment does besides: it listens to Plateau, puts in newer parts as runs
 * come in, and tells how far the experiment is.
 */
import type { EndEvent, LiveStatus, PageEvent } from "../live_status.ts";
import { Bar } from "./bar.ts";
import { atLeisure, renew } from "./renewal.ts";
import { Sorting } from "./sorting.ts";

const bar = new Bar();
const sorting = new Sorting(document.querySelector("main") ?? document.body);
let shown = bar.page;
let wanted = shown;
let renewing: Promise<void> | null = null;

/** Until the newest page is shown; several may have come by then. */
async function catchUp(): Promise<void> {
  while (shown < wanted) {
    const text = await answered("/", { cache: "no-store" });
    if (text === null) return;
    await atLeisure();
    sorting.note();
    shown = await renew(text);
  }
}

/** Null when nobody is there any more, which the reader is told. */
async function answered(path: string, request: RequestInit): Promise<string | null> {
  try {
    const response = await fetch(path, request);
    return await response.text();
  } catch {
    lose();
    return null;
  }
}

async function show({ page, receipt }: PageEvent): Promise<void> {
  wanted = page;
  await (renewing ??= catchUp().finally(() => renewing = null));
  await answered("/shown", { method: "POST", body: receipt });
}

const source = new EventSource("/events");

function listen<Data>(name: string, onData: (data: Data) => unknown): void {
  source.addEventListener(name, ({ data }) => onData(JSON.parse(data)));
}

function lose(): void {
  source.close();
  if (!isOver) bar.showLost();
}

let isOver = false;
listen<LiveStatus>("status", (status) => bar.show(status));
listen<PageEvent>("page", show);
listen<EndEvent>("end", async ({ status, ...last }) => {
  isOver = true;
  source.close(); // or it would ask again for ever
  bar.show(status);
  await show(last);
});
source.addEventListener("error", lose);
