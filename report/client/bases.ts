/// <reference lib="dom" />
/** Lets the reader choose another base, and replaces the page's comparisons with comparisons to that base. */
import { inflated, nodesOf, parsed, scriptText } from "./charts/page_data.ts";
import { chosenBase, compareWith } from "./linked/choice.ts";

type FiguresOfBases = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The original content of each figure whose content was replaced, by the figure's id. */
const written = new Map<string, readonly Node[]>();
let figures: Promise<readonly FiguresOfBases[]> | null = null;
let shown: string | null = null;

/** Handles the choice of a base. @param onShown Adds behaviour to the nodes that were inserted. */
export function startBases(onShown: () => void): void {
  document.addEventListener("change", ({ target }) => {
    if (target instanceof HTMLSelectElement && target.name === "base") {
      compareWith(target.value === "" ? null : target.value);
    }
  });
  const follow = async (): Promise<void> => {
    if (await showBase()) onShown();
  };
  addEventListener("chosen", follow);
  follow();
}

/** Shows comparisons with the chosen base. @returns Whether the page changed. */
async function showBase(): Promise<boolean> {
  const base = chosenBase;
  if (base !== null) await parsed();
  for (const select of document.querySelectorAll<HTMLSelectElement>("select[name=base]")) {
    select.value = base ?? "";
  }
  if (base === shown) return false;
  shown = base;
  const all = base === null ? [] : await (figures ??= figuresOfBases());
  // The reader may have chosen another base while the figures were loading.
  if (base !== chosenBase) return false;
  const based: FiguresOfBases[string] = Object.assign({}, ...all.map((own) => own[base ?? ""]));
  for (const figure of document.querySelectorAll("figure.forest[id]")) {
    const own = written.get(figure.id) ?? [...figure.childNodes];
    written.set(figure.id, own);
    const other = Object.hasOwn(based, figure.id) ? based[figure.id] : null;
    figure.replaceChildren(...other === null ? own : nodesOf(other));
  }
  return true;
}

/** For each experiment on the page, the HTML of its figures, by the name of the base and the figure's id. */
function figuresOfBases(): Promise<FiguresOfBases[]> {
  const scripts = document.querySelectorAll("script[id^=bases-]");
  return Promise.all(
    [...scripts].map(({ id }) => inflated(JSON.parse(scriptText(id) ?? `""`)).json()),
  );
}
