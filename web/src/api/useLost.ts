import { useSyncExternalStore } from "react";
import { connection } from "./connection";

/** useLost reports whether the service does not answer at the moment. */
export const useLost = (): boolean => useSyncExternalStore(connection.subscribe, connection.lost);
