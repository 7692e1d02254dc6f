import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { Connection } from "@/api/connection";
import { patiently } from "./lazyPage";

/** A service that is there or not, and code that only then can be loaded. */
function world(there: boolean) {
  const service = { there, code: "page" };
  const line = new Connection(() => Promise.resolve(service.there));
  const load = vi.fn(() => (service.there && service.code !== "" ? Promise.resolve(service.code) : Promise.reject(new TypeError("Failed to fetch dynamically imported module"))));
  return { service, line, load };
}

test("code that cannot be loaded during an outage is loaded after it", async () => {
  const { service, line, load } = world(false);
  const page = patiently(load, line);
  await vi.waitFor(() => expect(line.lost()).toBe(true));
  expect(load).toHaveBeenCalledTimes(1);
  service.there = true;
  await line.check();
  expect(await page).toBe("page");
});

test("code that a service no longer has is asked for twice", async () => {
  const { service, line, load } = world(true);
  service.code = "";
  await expect(patiently(load, line)).rejects.toThrow("Failed to fetch");
  expect(load).toHaveBeenCalledTimes(2);
});

test("a style sheet that failed is left out of the document, so that it is requested again", () => {
  const [failed, loaded] = ["a.css", "b.css"].map((name) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.dataset["name"] = name;
    document.head.append(link);
    return link;
  });
  failed!.dispatchEvent(new Event("error"));
  expect([failed!.isConnected, loaded!.isConnected]).toEqual([false, true]);
  loaded!.remove();
});

test("every part that is loaded later waits through an outage", () => {
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((f) => /\.tsx$/.test(f) && !f.includes(".test."));
  expect(sources.filter((f) => /\blazy\(\(\) => import\(/.test(readFileSync(join("src", f), "utf8")))).toEqual([]);
});
