import { useSyncExternalStore } from "react";
import { connection } from "./connection";

/** Whether the service does not answer at the moment. */
export const useLost = (): boolean => useSyncExternalStore(connection.subscribe, connection.lost);
