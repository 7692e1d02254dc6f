import { app, common, form, trouble, unsaved } from "./common";
import { ended, frame, shortcuts, synonyms } from "./frame";
import { dryRuns, inbox, me, overview } from "./insight";
import { crumbs, home, repositories, runs } from "./pages";

/** Everything that the console says, in one place: one object for each part or page. */
export const text = { app, common, form, trouble, unsaved, ended, frame, shortcuts, synonyms, home, overview, inbox, me, dryRuns, repositories, runs, crumbs };
