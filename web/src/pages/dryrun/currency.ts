/** What dry runs cost is in US dollars. */
export const currency = "USD";
