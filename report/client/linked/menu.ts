/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** The control in the page's bar that chooses targets, the note of what is hidden, and the address that keeps both. */
import { listed } from "../../writing/words.ts";
import {
  allTargets,
  choiceParts,
  followChoice,
  hiddenTargets,
  readTargets,
  shownTargets,
  showTargets,
  toggleTarget,
} from "./choice.ts";

const opener = document.createElement("button");
const menu = document.createElement("div");

/** Takes over the choice in the address, and shows the control where there is something to choose. */
export function startMenu(): void {
  opener.type = "button";
  opener.className = "targets";
  opener.popoverTargetElement = menu;
  menu.className = "choice";
  menu.popover = "auto";
  document.querySelector("form.depth")?.before(opener, menu);
  menu.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest("button") : null;
    const { of, only } = button?.dataset ?? {};
    if (of !== undefined) toggleTarget(of);
    else if (only !== undefined) showTargets(only === "" ? [] : [only]);
  });
  addEventListener("chosen", () => {
    showCount();
    showNote();
    keepInAddress();
  });
  renewMenu();
  followChoice(location.hash);
  addEventListener("hashchange", () => followChoice(location.hash));
}

/** After newer parts of the page came: more targets may be in. */
export function renewMenu(): void {
  readTargets();
  const names = allTargets();
  opener.hidden = names.length < 2;
  const rows = names.map(({ name, color }) => {
    const row = document.createElement("li");
    const swatch = document.createElement("i");
    swatch.className = `swatch s${color}`;
    const one = buttonOf(name, { of: name });
    one.prepend(swatch);
    const only = buttonOf("only", { only: name });
    only.ariaLabel = `Show only ${name}`;
    row.append(one, only);
    return row;
  });
  const list = document.createElement("ul");
  list.append(...rows);
  const link = document.createElement("a");
  link.textContent = "Link to this choice";
  menu.replaceChildren(list, buttonOf("Show all", { only: "" }), link);
  showCount();
  showNote();
}

function buttonOf(text: string, data: { of?: string; only?: string }): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text;
  Object.assign(button.dataset, data);
  return button;
}

function showCount(): void {
  const [shown, all] = [shownTargets(), allTargets()];
  const word = document.createElement("span");
  word.textContent = "Targets ";
  const count = shown.length === all.length ? "" : `${shown.length} of `;
  opener.replaceChildren(word, `${count}${all.length}`);
  for (const button of menu.querySelectorAll<HTMLElement>("button[data-of]")) {
    button.ariaPressed = String(shown.includes(button.dataset.of ?? ""));
  }
  menu.querySelector("a")?.setAttribute("href", `#${choiceParts().join("&")}`);
}

/** On screen and on paper: nobody is to take a part for the whole. */
function showNote(): void {
  const names = hiddenTargets();
  const known = document.querySelector("main > .filtered");
  if (names.length === 0) return known?.remove();
  const note = known ?? document.createElement("p");
  note.className = "filtered note";
  note.role = "status";
  note.textContent = `Hidden: ${
    listed(names, "and")
  }. Sentences and verdicts are about all targets.`;
  if (known === null) document.querySelector("main")?.prepend(note);
}

/** Beside the view of a timeline, if the address holds one. */
function keepInAddress(): void {
  const kept = new URLSearchParams(location.hash.slice(1)).has("view")
    ? location.hash.slice(1).split("&").filter((part) => !/^(?:hide|base)=/.test(part))
    : [];
  const parts = [...kept, ...choiceParts()];
  const isKept = /[#&](?:hide|base)=/.test(location.hash);
  if (parts.length === 0 && !isKept) return;
  const address = parts.length === 0 ? location.pathname + location.search : `#${parts.join("&")}`;
  history.replaceState(null, "", address);
}
