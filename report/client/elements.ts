/// <reference lib="dom" />

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** A button. @param data Its `data-` attributes, which are read by listeners on the elements around it. */
export function buttonOf(
  children: readonly (Node | string)[],
  data: Readonly<Record<string, string>> = {},
  properties: Partial<HTMLButtonElement> = {},
): HTMLButtonElement {
  const button = element("button", { type: "button", ...properties }, ...children);
  Object.assign(button.dataset, data);
  return button;
}
