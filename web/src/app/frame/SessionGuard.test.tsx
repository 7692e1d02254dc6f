import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { session } from "@/api/session";
import { show } from "@/test/render";
import { SessionGuard } from "./SessionGuard";

afterEach(() => {
  act(() => session.renew());
  vi.unstubAllGlobals();
});

const me = (id: string) => new Response(JSON.stringify({ id, csrfToken: "t", name: "n" }), { status: 200 });

test("requests that wait for the session continue after a sign-in, and not before", async () => {
  const answers = [new Response("{}", { status: 401 }), me("u1")];
  vi.stubGlobal("fetch", () => Promise.resolve(answers.shift()));
  session.take({ id: "u1", csrfToken: "old" });
  show(<SessionGuard />);
  let gone = false;
  act(() => void session.end().then(() => (gone = true)));
  fireEvent.click(await screen.findByText("I have signed in"));
  expect(await screen.findByText("You are not signed in yet in this browser.")).toBeTruthy();
  expect(gone).toBe(false);
  fireEvent.click(screen.getByText("I have signed in"));
  await waitFor(() => expect(gone).toBe(true));
  expect(session.csrf).toBe("t");
});

test("requests of one person do not continue as another", async () => {
  vi.stubGlobal("fetch", () => Promise.resolve(me("somebody else")));
  session.take({ id: "u1", csrfToken: "old" });
  show(<SessionGuard />);
  let gone = false;
  act(() => void session.end().then(() => (gone = true)));
  fireEvent.click(await screen.findByText("I have signed in"));
  expect(await screen.findByText("Load the page again")).toBeTruthy();
  expect(gone).toBe(false);
});
