import type { Schemas } from "@/api/queries";

/** Events for which channels and browsers are notified, by kind. */
export const eventNames = {
  "review.completed": "a review is done",
  "review.failed": "a review could not be finished",
  "approval.requested": "a review waits for a person",
  "approval.decided": "a person decided on a review",
  "finding.decided": "a person dismissed a finding, or withdrew the dismissal",
  "onboarding.proposed": "a new repository waits for a decision",
  "budget.threshold": "a share of the budget is spent",
  "connection.error": "a connection has stopped working",
  "suppression.proposed": "a suppression waits for a decision",
  "fix.completed": "a fix is done",
  "ci.analysis.completed": "a failed job is explained",
  "security.secret_found": "a secret was found in a change",
  "security.break_glass": "a person signed in by an emergency link",
  "instance-admin.joined": "an administrator of the instance became a member",
} satisfies Record<Schemas["NotificationChannelCreate"]["events"][number], string>;
