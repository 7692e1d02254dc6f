/** Words of what comes of a test. */
export const checks = {
  tested: "What the test found",
  ok: "in order",
  bad: "to be mended",
};
