/** Words of what comes of a test. */
export const checks = {
  tested: "Result of the test",
  ok: "passed",
  bad: "failed",
};
