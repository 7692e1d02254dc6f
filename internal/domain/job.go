package domain

// JobKind names what a job does.
type JobKind string

// The kinds of jobs.
const (
	KindDelivery    JobKind = "delivery.process"  // subject: a delivery
	KindReview      JobKind = "review.run"        // subject: a run
	KindPublish     JobKind = "review.publish"    // subject: a run
	KindReflect     JobKind = "review.reflect"    // subject: a run; repeatable writes after publishing
	KindCheck       JobKind = "review.check"      // subject: a run; shows on the host that it is under way
	KindEvent       JobKind = "event.tell"        // subject: an event; makes what tells of it
	KindNotify      JobKind = "channel.send"      // subject: a message to a channel; one attempt
	KindPush        JobKind = "push.send"         // subject: a message to a browser; one attempt
	KindAnswer      JobKind = "comment.answer"    // subject: an answer to a command in a comment
	KindSync        JobKind = "connection.sync"   // subject: a provider connection; asks its host what it reaches
	KindDryRun      JobKind = "dryrun.run"        // subject: a dry run; one attempt looks at one pull request
	KindOnboard     JobKind = "onboarding.try"    // subject: an onboarding; finds what it is tried out with
	KindTriage      JobKind = "triage.run"        // subject: a triage run; looks at a head
	KindLabel       JobKind = "triage.label"      // subject: a triage run; sets the labels that it wants
	KindTicketWrite JobKind = "ticket.write"      // subject: a link of a pull request to an issue; tells the issue of it
	KindTicketRead  JobKind = "ticket.read"       // subject: a link of a pull request to an issue; reads the issues of the pull request
	KindRecheck     JobKind = "ticket.recheck"    // subject: a link of a pull request to an issue, and an edit of its criteria; judges them again
	KindUnhook      JobKind = "connection.unhook" // subject: what is left of a deleted connection; removes our webhooks

	KindTrackerCheck JobKind = "tracker.check"    // subject: a tracker connection; asks whether it works
	KindBackfill     JobKind = "tracker.backfill" // subject: a tracker connection; links open pull requests to its issues
	KindHeads        JobKind = "heads.sweep"      // subject: an access; looks through its repositories for lost heads
)

// Lane returns the lane in which jobs of the kind run.
func (k JobKind) Lane() Lane {
	switch k {
	case KindDelivery:
		return LaneDelivery
	case KindReview:
		return LaneReview
	case KindPublish, KindReflect:
		return LanePublish
	case KindDryRun:
		return LaneDryRun
	case KindHeads, KindSync, KindUnhook, KindTrackerCheck, KindBackfill:
		return LaneSweep
	default:
		return LaneBackground
	}
}

// Awaited reports whether people wait for jobs of the kind: an answer of the
// interface names such a job, and shows what it tells of itself.
func (k JobKind) Awaited() bool { return k == KindSync || k == KindDryRun || k == KindBackfill }

// JobProgress is where an awaited job stands.
type JobProgress struct {
	Stage string `json:"stage" doc:"What it does now" example:"repositories"`
	Done  int    `json:"done" doc:"How many of them it has done in this stage"`
	Total int    `json:"total" doc:"How many there are in this stage, 0 where that is not known yet"`
}

// JobOutcome is what came of an awaited job.
type JobOutcome struct {
	Counts map[string]int `json:"counts" doc:"Counts of the things that the job handled"`
	Notes  []string       `json:"notes" doc:"Notes for a person to know or act on, one sentence each; at most 50"`
}

// MaxJobNotes bounds the notes of a [JobOutcome] (design choice).
const MaxJobNotes = 50
