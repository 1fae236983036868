/// <reference lib="dom" />
/**
 * The control in the page's bar for choosing targets, the note about hidden targets, and the choice in the page's
 * address.
 */
import { buttonOf, element } from "../elements.ts";
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

const menu = element("div", { className: "choice", popover: "auto" });
const opener = buttonOf([], {}, { className: "targets", popoverTargetElement: menu });

/** Adopts the choice in the page's address, and shows the control if there is anything to choose from. */
export function startMenu(): void {
  readTargets();
  opener.hidden = allTargets.length < 2;
  const rows = allTargets.map(({ name, color }) =>
    element(
      "li",
      {},
      buttonOf([element("i", { className: `swatch s${color}` }), name], { of: name }),
      buttonOf(["only"], { only: name }, { ariaLabel: `Show only ${name}` }),
    )
  );
  menu.append(
    element("ul", {}, ...rows),
    buttonOf(["Show all"], { only: "" }),
    element("a", {}, "Link to this choice"),
  );
  document.querySelector("form.depth")?.before(opener, menu);
  menu.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest("button") : null;
    const { of, only } = button?.dataset ?? {};
    if (of !== undefined) toggleTarget(of);
    else if (only !== undefined) showTargets(only === "" ? [] : [only]);
  });
  addEventListener("chosen", () => {
    showChoice();
    keepInAddress();
  });
  showChoice();
  followChoice(location.hash);
  addEventListener("hashchange", () => followChoice(location.hash));
}

function showChoice(): void {
  const shown = shownTargets();
  const count = shown.length === allTargets.length ? "" : `${shown.length} of `;
  opener.replaceChildren(element("span", {}, "Shown "), `${count}${allTargets.length}`);
  for (const button of menu.querySelectorAll<HTMLElement>("button[data-of]")) {
    button.ariaPressed = String(shown.includes(button.dataset.of ?? ""));
  }
  menu.querySelector("a")?.setAttribute("href", `#${choiceParts().join("&")}`);
  showNote();
}

/** Says, on screen and on paper, which targets are hidden. Removes that note if none are. */
function showNote(): void {
  const names = hiddenTargets();
  const known = document.querySelector("main > .filtered");
  if (names.length === 0) return known?.remove();
  const note = known ?? element("p", { className: "filtered note", role: "status" });
  note.textContent = `Hidden: ${
    listed(names, "and")
  }. Sentences and verdicts still cover all of them.`;
  if (known === null) document.querySelector("main")?.prepend(note);
}

/** Writes the choice into the page's address, and keeps the view of a timeline that is already there. */
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
