const scheme = "data-mantine-color-scheme";

/** Prints every page in the light theme and with its folded parts open, and then sets both back. */
export function preparePrinting(): void {
  let back: (() => void)[] = [];
  window.addEventListener("beforeprint", () => {
    const root = document.documentElement;
    const was = root.getAttribute(scheme);
    root.setAttribute(scheme, "light");
    const folded = [...document.querySelectorAll<HTMLDetailsElement>("main details:not([open])")];
    for (const part of folded) part.open = true;
    back.push(() => {
      if (was !== null) root.setAttribute(scheme, was);
      for (const part of folded) part.open = false;
    });
  });
  window.addEventListener("afterprint", () => {
    for (const undo of back.reverse()) undo();
    back = [];
  });
}
