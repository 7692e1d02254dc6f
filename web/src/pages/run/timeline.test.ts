import { describe, expect, it } from "vitest";
import { bars } from "./stages";
import { duration, steps } from "./timeline";

const at = (s: number) => new Date(Date.UTC(2026, 10, 23, 10, 0, s)).toISOString();
const move = (to: string, s: number, cause = "") => ({ from: "", to, cause, at: at(s) });

describe("the life of a run", () => {
  it("shows how long each state lasted, except the final one", () => {
    const list = steps([move("queued", 0, "made by a push"), move("running", 2), move("completed", 10)], Date.parse(at(99)));
    expect(list.map((s) => [s.state, s.lasted, s.current])).toEqual([["queued", 2000, false], ["running", 8000, false], ["completed", null, false]]);
    expect(list[0]?.cause).toBe("made by a push");
  });

  it("counts the state of a running run until now, and never below zero", () => {
    expect(steps([move("queued", 5)], Date.parse(at(7)))).toMatchObject([{ lasted: 2000, current: true }]);
    expect(steps([move("queued", 5)], Date.parse(at(1)))).toMatchObject([{ lasted: 0 }]);
    expect(steps([], 0)).toEqual([]);
  });

  it.each([
    [0, "0 ms"],
    [420, "420 ms"],
    [3210, "3.2 s"],
    [59_999, "59.9 s"],
    [60_000, "1 min"],
    [245_000, "4 min 5 s"],
    [7_380_000, "2 h 3 min"],
    [7_200_000, "2 h"],
    [273_600_000, "3 d 4 h"],
  ])("writes %d milliseconds as %s", (ms, want) => expect(duration(ms)).toBe(want));
});

describe("the picture of the stages", () => {
  it("lays them out one after the other", () => {
    expect(bars([{ stage: "load", durationMs: 2000 }, { stage: "generate", durationMs: 6000 }, { stage: "verify", durationMs: 2000 }])).toEqual([
      { stage: "load", took: 2000, from: 0, width: 0.2 },
      { stage: "generate", took: 6000, from: 0.2, width: 0.6 },
      { stage: "verify", took: 2000, from: 0.8, width: 0.2 },
    ]);
  });

  it("has no width if no stage took time", () => {
    expect(bars([{ stage: "load", durationMs: 0 }])).toEqual([{ stage: "load", took: 0, from: 0, width: 0 }]);
    expect(bars([])).toEqual([]);
  });
});
