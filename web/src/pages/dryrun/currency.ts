/** The costs of dry runs are in US dollars. */
export const currency = "USD";
