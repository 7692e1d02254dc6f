import { describe, expect, it } from "vitest";
import { run as texts } from "@/texts/run";
import { stageNames, stopsOf } from "./stages";

const where = (state: "queued" | "running" | "publishing", stage: string) => stopsOf(state, stage).map((s) => `${s.name} ${s.where}`);

describe("the stages of a review that goes on", () => {
  it("are done, now, or to come", () => {
    const all = where("running", "check");
    expect(all.slice(0, 5)).toEqual(["load done", "fetch done", "parse done", "check now", "triage ahead"]);
    expect(all.at(-1)).toBe("publish ahead");
    expect(where("publishing", "rank").at(-1)).toBe("publish now");
    expect(where("queued", "").every((s) => s.endsWith(" ahead"))).toBe(true);
  });

  it.each(["same", "criteria"])("have %s while the review is in it, behind the checks of candidates", (stage) => {
    const all = where("running", stage);
    expect(all.slice(-4)).toEqual(["verify done", `${stage} now`, "rank ahead", "publish ahead"]);
    expect(where("running", "rank")).not.toContain(`${stage} done`); // not every review has it
    expect(texts.live.stage(stage)).not.toBe(stage);
  });

  it("say nothing about the others if a stage is unknown here", () => {
    const all = where("running", "dream");
    expect(all).toEqual([...stageNames.map((s) => `${s} unclear`), "dream now", "publish ahead"]);
  });
});
