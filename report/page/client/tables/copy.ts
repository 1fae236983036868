/// <reference lib="dom" />
/** Buttons that copy a table; where the clipboard is out of reach, its text stands selected in a box. */
import { markdownOf, tsvOf } from "./text.ts";

const FORMS = { "Copy for a sheet": tsvOf, "Copy as markdown": markdownOf } as const;
const TOLD_MS = 2_000;

/** Takes no room: the buttons lie over the end of the table while it is looked at. */
export function copyTools(table: HTMLTableElement): HTMLElement {
  const tools = document.createElement("div");
  tools.className = "tools";
  const status = document.createElement("span");
  status.role = "status";
  const buttons = Object.entries(FORMS).map(([label, textOf]) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.addEventListener("click", () => copy(textOf(table), tools, status));
    return button;
  });
  tools.append(...buttons, status);
  return tools;
}

async function copy(text: string, tools: HTMLElement, status: HTMLElement): Promise<void> {
  if (await reachesClipboard(text)) {
    status.textContent = "Copied";
    setTimeout(() => status.textContent = "", TOLD_MS);
  } else tools.append(selectedText(text));
  tools.querySelector("textarea")?.select();
}

async function reachesClipboard(text: string): Promise<boolean> {
  try {
    // Not there, or refused, where a page is opened as a file.
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function selectedText(text: string): HTMLElement {
  const box = document.createElement("textarea");
  box.readOnly = true;
  box.rows = 6;
  box.value = text;
  box.ariaLabel = "The table as text: copy it from here";
  box.addEventListener("blur", () => box.remove());
  box.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") box.blur();
  });
  return box;
}
