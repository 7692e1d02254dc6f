import { expect, test } from "vitest";
import { read, within } from "./message";

const origin = "https://assay.example.com";

test("a message is shown as it was sent, once for each event", () => {
  expect(read(JSON.stringify({ kind: "review.failed", eventId: "evt_1", title: "A review failed", body: "octo/repo#7", url: `${origin}/t/ten_1/runs` }), origin)).toEqual({
    title: "A review failed",
    body: "octo/repo#7",
    tag: "evt_1",
    url: `${origin}/t/ten_1/runs`,
  });
  expect(read('{"kind":"test","title":"assay"}', origin)).toEqual({ title: "assay", body: "", tag: "test", url: `${origin}/` });
});

test.each([undefined, "", "no JSON", "null", "[]", '"text"', '{"title":7,"body":{},"eventId":null,"url":[]}'])("%s says no more than that something happened", (raw) => {
  expect(read(raw, origin)).toEqual({ title: "assay", body: "", tag: "", url: `${origin}/` });
});

test("long texts are cut", () => {
  const shown = read(JSON.stringify({ title: "x".repeat(5000), body: "y".repeat(5000), eventId: "z".repeat(5000) }), origin);
  expect([shown.title.length, shown.body.length, shown.tag.length]).toEqual([200, 1000, 100]);
});

test.each(["https://evil.example/t/1", "//evil.example", "javascript:alert(1)", "data:text/html,x", "http://assay.example.com/", 5, undefined])("a click leads to no other origin: %s", (url) => {
  expect(within(url, origin)).toBe(`${origin}/`);
});
test("an address without an origin belongs to this origin", () => expect(within("/t/ten_1", origin)).toBe(`${origin}/t/ten_1`));
