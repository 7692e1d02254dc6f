/** The name of a refusal and, if the service's own words say no more than that, the remedy. */
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
  stale: { title: "Another person has changed this in the meantime", says: "Load the newest version and repeat your change." },
  invalid: { title: "Something that was entered is wrong" },
  malformed: { title: "The service did not understand this" },
  too_large: { title: "This is too large" },
  unsupported_media_type: { title: "The service did not understand this" },
  already_exists: { title: "It already exists" },
  limit_reached: { title: "The limit is reached" },
  in_use: { title: "This is still in use" },
  locked: { title: "This is locked" },
  disabled: { title: "This is switched off" },
  rate_limited: { title: "Too many requests", says: "Wait a moment, and try again." },
  unavailable: { title: "A part of the service does not answer" },
  internal: { title: "The service has made a mistake", says: "You did nothing wrong. Try again; if it happens again, send a report to the operator of this service." },
  not_implemented: { title: "This is not built yet" },
  no_answer: { title: "The service does not answer", says: "It may be restarting, or the connection is lost." },

  disconnected: { title: "The repository is not connected" },
  repository_gone: { title: "The repository no longer exists" },
  pull_request_closed: { title: "The pull request is closed" },
  already_reviewed: { title: "This head is already reviewed" },
  review_limit: { title: "The limit of reviews is reached" },
  commit_gone: { title: "The commit no longer exists" },
  no_revision: { title: "The commit does not exist" },
  diff_too_large: { title: "The change is too large" },
  diff_not_kept: { title: "The changes are no longer stored" },
  diff_not_ready: { title: "The changes are not ready yet" },
  approval_decided: { title: "There is already a decision" },
  approval_digest: { title: "Another review is waiting now" },
  stale_digest: { title: "Another review is waiting now" },
  approval_unchangeable: { title: "This review cannot be changed" },
  own_pull_request: { title: "It is your own pull request" },
  onboarding_decided: { title: "There is already a decision" },
  policy_changed: { title: "The policy has changed in the meantime" },
  illegal_transition: { title: "This is no longer possible" },
  already_acknowledged: { title: "Another person has already acknowledged it" },

  budget_exhausted: { title: "The budget of the month is used up" },
  price_unknown: { title: "The price of a model is unknown" },
  region_not_allowed: { title: "The region is not allowed" },
  incomplete_key: { title: "The key is not complete" },

  host_unavailable: { title: "The code host does not answer" },
  host_forbids: { title: "The code host does not allow reading the pull requests" },
  host_answer_too_large: { title: "The code host's answer is too large" },
  listed_too_often: { title: "The code host was asked for its pull requests too often" },
  host_limited: { title: "The code host limits requests" },
  host_linked: { title: "The account is already linked" },
  tracker_unavailable: { title: "The issue tracker does not answer" },
  connection_disabled: { title: "The connection is switched off" },
  app_refused: { title: "The code host refuses the app" },

  last_admin: { title: "The tenant needs an admin" },
  identity_taken: { title: "The identity belongs to another person" },
  sign_in_again: { title: "Sign in again for this" },
  sign_in_with_provider: { title: "Sign in with the identity provider for this" },
  no_consent: { title: "This needs consent" },
  busy: { title: "It is busy" },
  ended: { title: "It is over" },
  gone: { title: "It no longer exists" },
};
