/** Names of settings to which other pages lead. */
export const settingNames = { failOn: "Fail check on" };
