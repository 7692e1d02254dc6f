import { describe, expect, it } from "vitest";
import { newsOf, withNews } from "./live";
import { argumentsOf } from "./ToolCalls";
import { sampleRun } from "@/test/run";
import { webLink } from "./webLink";

describe("the stream of a run", () => {
  const before = sampleRun({ state: "queued" });
  const usage = { ...before.usageTotal, calls: 3, costMicros: 12345 };
  const progress = { stage: "generate", done: 1, total: 4, files: 2, calls: 3, tokens: 99 };

  it("changes the shown run, and removes the progress when the run no longer works", () => {
    const works = withNews(before, { runId: "run_1", state: "running", reason: "", progress, usage });
    expect(works).toMatchObject({ state: "running", progress, usageTotal: { calls: 3 }, headSha: before.headSha });
    expect(withNews(works, { runId: "run_1", state: "publishing", reason: "", usage })).not.toHaveProperty("progress");
  });

  it.each(["", "no JSON", "null", "[]", '{"state":"running"}'])("takes %j for no event", (data) => expect(newsOf(data)).toBeNull());
  it("reads an event", () => expect(newsOf(JSON.stringify({ runId: "r", state: "running", reason: "", usage }))?.state).toBe("running"));
});

describe("data from outside", () => {
  it.each([
    ["https://host.example/a/b", "https://host.example/a/b"],
    ["javascript:alert(1)", ""],
    ["data:text/html,x", ""],
    ["/relative", ""],
    ["", ""],
    [undefined, ""],
  ])("is a link only to the web: %s", (raw, want) => expect(webLink(raw)).toBe(want));

  it("shows the arguments of a tool by name, and other values unchanged", () => {
    expect(argumentsOf('{"name":"Total","from":null,"at":{"line":3}}')).toEqual([
      { name: "at", value: '{"line":3}' },
      { name: "name", value: "Total" },
    ]);
    expect(argumentsOf("[1]")).toEqual([{ name: "", value: "[1]" }]);
    expect(argumentsOf("cut {")).toEqual([{ name: "", value: "cut {" }]);
    expect(argumentsOf("")).toEqual([]);
  });
});
