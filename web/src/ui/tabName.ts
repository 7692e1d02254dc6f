import { createContext } from "react";

/** The name of the selected tab above the page; "" on a page without tabs. */
export const TabName = createContext("");
