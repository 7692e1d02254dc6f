import { lazy, Suspense, useEffect } from "react";
import { Outlet } from "@tanstack/react-router";
import { Aside } from "@/ui/Aside";
import { ConnectionNote } from "./ConnectionNote";
import { PartMissing } from "./PartMissing";
import { tellSignedIn } from "./frame/signedIn";
import { whenIdle } from "./whenIdle";

// Its dialog is loaded after the page, and is there before a session ends.
const SessionGuard = lazy(() => whenIdle(() => import("./frame/SessionGuard").then((m) => ({ default: m.SessionGuard }))));

/** What is around every page. */
export function Root() {
  useEffect(tellSignedIn, []);
  return (
    <>
      <Outlet />
      <ConnectionNote />
      <Aside instead={<PartMissing />}>
        <Suspense>
          <SessionGuard />
        </Suspense>
      </Aside>
    </>
  );
}
