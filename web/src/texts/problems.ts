/** What a refusal is called, and where the service's own words say no more than that, what one can do. */
interface Said {
  title: string;
  /** In place of the words of the service. */
  says?: string;
}

/** Refusals that people meet, by their code. The words of the service stand below the title, or alone where a code is not here. */
export const problems: Readonly<Record<string, Said>> = {
  unauthenticated: { title: "You are not signed in", says: "Sign in again, and repeat it." },
  csrf: { title: "This page is too old", says: "Load the page again, and repeat it." },
  forbidden: { title: "This is not allowed" },
  not_found: { title: "Not found" },
  stale: { title: "Another person has changed this meanwhile", says: "Load the newest, and repeat the change on what is there now." },
  invalid: { title: "Something that was entered is wrong" },
  malformed: { title: "The service did not understand this" },
  too_large: { title: "This is too large" },
  unsupported_media_type: { title: "The service did not understand this" },
  already_exists: { title: "There is one already" },
  limit_reached: { title: "There are as many as there may be" },
  in_use: { title: "This is still used" },
  locked: { title: "This is locked" },
  disabled: { title: "This is switched off" },
  rate_limited: { title: "Too many requests", says: "Wait a moment, and try again." },
  unavailable: { title: "A part of the service does not answer" },
  internal: { title: "The service has made a mistake", says: "It was not your doing. Try again; if it stays so, send a report to the operator of this service." },
  not_implemented: { title: "This is not built yet" },
  no_answer: { title: "The service does not answer", says: "It may be restarting, or the connection is gone." },

  disconnected: { title: "The repository is not connected" },
  repository_gone: { title: "The repository is not there any more" },
  pull_request_closed: { title: "The pull request is closed" },
  already_reviewed: { title: "This head is reviewed already" },
  review_limit: { title: "There are as many reviews as there may be" },
  commit_gone: { title: "The commit is not there any more" },
  no_revision: { title: "The commit is not there" },
  diff_too_large: { title: "The change is too large" },
  diff_not_kept: { title: "The changes are not kept any more" },
  diff_not_ready: { title: "The changes are not there yet" },
  approval_decided: { title: "There is already a decision" },
  approval_digest: { title: "Another review waits by now" },
  stale_digest: { title: "Another review waits by now" },
  approval_unchangeable: { title: "This review cannot be changed" },
  own_pull_request: { title: "It is your own pull request" },
  onboarding_decided: { title: "There is already a decision" },
  policy_changed: { title: "The policy has changed meanwhile" },
  illegal_transition: { title: "This is not possible any more" },
  already_acknowledged: { title: "Another person has seen it already" },

  budget_exhausted: { title: "The budget of the month is used up" },
  price_unknown: { title: "The price of a model is not known" },
  region_not_allowed: { title: "The region is not allowed" },
  incomplete_key: { title: "The key is not complete" },

  host_unavailable: { title: "The code host does not answer" },
  host_limited: { title: "The code host wants fewer requests" },
  host_linked: { title: "The account is linked already" },
  tracker_unavailable: { title: "The issue tracker does not answer" },
  connection_disabled: { title: "The connection is switched off" },
  app_refused: { title: "The code host refuses the app" },

  last_admin: { title: "The tenant needs an admin" },
  identity_taken: { title: "The identity belongs to another person" },
  sign_in_again: { title: "Sign in again for this" },
  sign_in_with_provider: { title: "Sign in by the identity provider for this" },
  no_consent: { title: "This needs consent first" },
  busy: { title: "It is busy" },
  ended: { title: "It is over" },
  gone: { title: "It is not there any more" },
};
