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
