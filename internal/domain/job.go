package domain

// JobKind is the task of a job.
type JobKind string

// The kinds of jobs.
const (
	KindDelivery    JobKind = "delivery.process" // subject: a delivery
	KindReview      JobKind = "review.run"       // subject: a run
	KindPublish     JobKind = "review.publish"   // subject: a run
	KindReflect     JobKind = "review.reflect"   // subject: a run; repeatable writes after publishing
	KindCheck       JobKind = "review.check"     // subject: a run; shows on the host that the run is waiting or running
	KindEvent       JobKind = "event.tell"       // subject: an event; creates its notifications
	KindNotify      JobKind = "channel.send"     // subject: a message to a channel; one attempt
	KindPush        JobKind = "push.send"        // subject: a message to a browser; one attempt
	KindAnswer      JobKind = "comment.answer"   // subject: an answer to a command in a comment
	KindReply       JobKind = "comment.reply"    // subject: a reply to a finding; reads, judges and answers it
	KindResolve     JobKind = "comment.resolve"  // subject: a reply that resolved its finding; shows that at the finding's comment
	KindSync        JobKind = "connection.sync"  // subject: a provider connection; reads its repositories and people from the host
	KindDryRun      JobKind = "dryrun.run"       // subject: a dry run; one attempt reviews one pull request
	KindFix         JobKind = "fix.run"          // subject: a fix run; proposes, checks and delivers edits
	KindFixClean    JobKind = "fix.clean"        // subject: a fix run that ended before its commit; deletes its empty branch
	KindOnboard     JobKind = "onboarding.try"   // subject: an onboarding; chooses the pull requests of its trial
	KindTriage      JobKind = "triage.run"       // subject: a triage run; analyses a head
	KindLabel       JobKind = "triage.label"     // subject: a triage run; sets its wanted labels
	KindCIHead      JobKind = "ci.head"          // subject: a pull request; looks for failed jobs of its head
	KindCI          JobKind = "ci.analyse"       // subject: an analysis of a failed job
	KindCIComment   JobKind = "ci.comment"       // subject: a pull request; keeps its comment about failed jobs
	KindTicketWrite JobKind = "ticket.write"     // subject: a link of a pull request to an issue; writes to the issue about it
	KindTicketRead  JobKind = "ticket.read"      // subject: a link of a pull request to an issue; reads the issues of the pull request
	// subject: a link of a pull request to an issue, and an edit of its criteria; judges them again
	KindRecheck JobKind = "ticket.recheck"
	KindUnhook  JobKind = "connection.unhook" // subject: a hook removal; removes the webhooks of a deleted connection

	KindFeedback      JobKind = "feedback.read"  // subject: a pull request; reads what people think of its findings
	KindMergeFeedback JobKind = "feedback.merge" // subject: a merged pull request; the same, for the last time

	KindTrackerCheck JobKind = "tracker.check"    // subject: a tracker connection; checks whether it works
	KindBackfill     JobKind = "tracker.backfill" // subject: a tracker connection; links open pull requests to its issues
	KindHeads        JobKind = "heads.sweep"      // subject: an access; sweeps its repositories for lost heads
	KindIndex        JobKind = "code.index"       // subject: a repository; brings the index of its default branch up to date
)

// Lane returns the lane in which jobs of the kind run.
func (k JobKind) Lane() Lane {
	switch k {
	case KindDelivery:
		return LaneDelivery
	case KindReview, KindFix:
		return LaneReview
	case KindPublish, KindReflect:
		return LanePublish
	case KindDryRun:
		return LaneDryRun
	case KindHeads, KindIndex, KindSync, KindUnhook, KindTrackerCheck, KindBackfill:
		return LaneSweep
	default:
		return LaneBackground
	}
}

// Awaited reports whether people wait for jobs of the kind. The interface names such a job in its answer
// and shows its progress.
func (k JobKind) Awaited() bool {
	return k == KindSync || k == KindDryRun || k == KindBackfill || k == KindFix || k == KindIndex
}

// JobProgress is the progress of an awaited job.
type JobProgress struct {
	Stage string `json:"stage" doc:"What it does now" example:"repositories"`
	Done  int    `json:"done" doc:"How many of them it has done in this stage"`
	Total int    `json:"total" doc:"How many there are in this stage, 0 where that is not known yet"`
}

// JobOutcome is the result of an awaited job.
type JobOutcome struct {
	Counts map[string]int `json:"counts" doc:"Counts of the things that the job handled"`
	Notes  []string       `json:"notes" doc:"Notes for a person to know or act on, one sentence each; at most 50"`
}

// MaxJobNotes is the maximum number of notes of a [JobOutcome] (design choice).
const MaxJobNotes = 50
