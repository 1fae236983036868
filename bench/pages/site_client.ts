/// <reference lib="dom" />
/** The search on the site, which runs in the browser. It finds sections by words, prefixes of words and near misses. */
import MiniSearch from "minisearch";

/** The part of a page from one heading to the next. */
export interface Section {
  /** The section's address relative to the root of the site, including the anchor. */
  readonly id: string;
  /** The title of the page to which the section belongs. */
  readonly title: string;
  readonly heading: string;
  readonly text: string;
}

declare const SECTIONS: readonly Section[];

const MOST_FOUND = 12;

function makeIndex(): MiniSearch<Section> {
  const index = new MiniSearch<Section>({
    fields: ["heading", "title", "text"],
    storeFields: ["heading", "title"],
    searchOptions: {
      boost: { heading: 6, title: 3 },
      prefix: true,
      fuzzy: (word) => word.length > 4 ? 0.2 : false,
      combineWith: "AND",
    },
  });
  index.addAll(SECTIONS);
  return index;
}

function start(): void {
  const input = document.querySelector<HTMLInputElement>("#search");
  const list = document.querySelector<HTMLOListElement>("#found");
  if (input === null || list === null) return;
  const root = document.documentElement.dataset.root ?? ".";
  let index: MiniSearch<Section> | null = null;
  input.addEventListener("input", () => {
    index ??= makeIndex(); // built only when a reader searches
    const found = index.search(input.value).slice(0, MOST_FOUND);
    list.replaceChildren(...found.map(({ id, heading, title }) => {
      const link = document.createElement("a");
      link.href = `${root}/${id}`;
      link.textContent = heading === title ? title : `${title}: ${heading}`;
      const item = document.createElement("li");
      item.append(link);
      return item;
    }));
    list.hidden = found.length === 0;
  });
  input.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") list.querySelector("a")?.click();
    if (key === "Escape") list.hidden = true;
  });
}

start();
