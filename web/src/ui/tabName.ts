import { createContext } from "react";

/** The name of the tab above the page that is selected; "" if there is none. */
export const TabName = createContext("");
