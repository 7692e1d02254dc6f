/** Texts of test results. */
export const checks = {
  tested: "Result of the test",
  ok: "passed",
  bad: "failed",
};
