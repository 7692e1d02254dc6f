/** Texts of a field for a secret. */
export const secretField = {
  once: "It is stored encrypted and never shown again.",
  isSet: "One is stored, and never shown. Leave this empty to keep it.",
  since: "Set",
  unchanged: "unchanged",
};
