import { useEffect } from "react";
import { Outlet } from "@tanstack/react-router";
import { SessionGuard, tellSignedIn } from "./frame/SessionGuard";

/** What is around every page. */
export function Root() {
  useEffect(tellSignedIn, []);
  return (
    <>
      <Outlet />
      <SessionGuard />
    </>
  );
}
