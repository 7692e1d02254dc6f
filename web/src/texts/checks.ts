/** Words of what comes of a test. */
export const checks = {
  tested: "Result of the test",
  ok: "in order",
  bad: "to be mended",
};
