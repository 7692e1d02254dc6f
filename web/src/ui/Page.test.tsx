import { useState } from "react";
import { fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { show } from "@/test/render";
import { arrivals } from "./arrival";
import { Page } from "./Page";
import { TabName } from "./tabName";

const goTo = (path: string) => window.history.pushState({}, "", path);

afterEach(() => goTo("/"));

function heading(): HTMLElement {
  const made = document.createElement("h1");
  made.tabIndex = -1;
  document.body.append(made);
  return made;
}

test("focus stays where the browser begins, and moves to the heading of each page after navigation", () => {
  const arrive = arrivals("/a");
  const [first, second, loaded] = [heading(), heading(), heading()];
  arrive(first, "/a");
  expect(document.activeElement).toBe(document.body);
  arrive(second, "/b");
  expect(document.activeElement).toBe(second);
  second.blur();
  arrive(second, "/b"); // a filter is not another page
  expect(document.activeElement).toBe(document.body);
  second.remove();
  arrive(loaded, "/b"); // the page has another heading once it is loaded
  expect(document.activeElement).toBe(loaded);
  for (const h of [first, loaded]) h.remove();
});

test("a dialog that was opened while the page was on its way keeps its focus", () => {
  const dialog = document.createElement("div");
  dialog.setAttribute("role", "dialog");
  const field = document.createElement("input");
  dialog.append(field);
  document.body.append(dialog);
  field.focus();
  const late = heading();
  arrivals("/a")(late, "/b");
  expect(document.activeElement).toBe(field);
  for (const made of [dialog, late]) made.remove();
});

function Stays() {
  const [at, go] = useState("A");
  return (
    <Page title={at}>
      <button
        onClick={() => {
          goTo("/t/ten_1/b");
          go("B");
        }}
      >
        Go
      </button>
    </Page>
  );
}

test("a page that stays for another address takes focus again, and is not a stop of the Tab key", () => {
  goTo("/t/ten_1/a");
  show(<Stays />);
  const go = screen.getByText("Go");
  go.focus();
  fireEvent.click(go);
  const title = screen.getByRole("heading", { level: 1 });
  expect(document.activeElement).toBe(title);
  expect(title.tabIndex).toBe(-1);
  expect(document.title).toBe("B · assay");
});

test("the heading is hidden from sight, and stays for screen readers, if the tab above has the same name", () => {
  const page = (tab: string) => (
    <TabName value={tab}>
      <Page title="Reviews">{tab}</Page>
    </TabName>
  );
  const classes = (tab: string) => {
    const { unmount } = show(page(tab));
    const names = [...screen.getByRole("heading", { name: "Reviews" }).classList];
    unmount();
    return names;
  };
  expect(classes("Reviews")).toContain("doubled");
  expect(classes("Activity")).not.toContain("doubled");
});
