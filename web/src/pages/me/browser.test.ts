import { expect, test } from "vitest";
import { browserOf } from "./browser";

test.each([
  ["Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/148.0.0.0 Safari/537.36", "Chrome, Linux"],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15", "Safari, macOS"],
  ["Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/148.0 Safari/537.36 Edg/148.0", "Edge, Windows"],
  ["Mozilla/5.0 (Windows NT 10.0; rv:150.0) Gecko/20100101 Firefox/150.0", "Firefox, Windows"],
  ["curl/8.5", "curl/8.5"],
  ["x".repeat(500), "x".repeat(80)],
  ["", ""],
])("%s", (agent, want) => expect(browserOf(agent)).toBe(want));
