package domain

import "slices"

// RunState is a state of a review run.
type RunState string

// The states of a review run.
const (
	RunQueued           RunState = "queued"
	RunRunning          RunState = "running"
	RunAwaitingApproval RunState = "awaiting_approval"
	RunPublishing       RunState = "publishing"
	RunCompleted        RunState = "completed"
	RunFailed           RunState = "failed"
	RunCancelled        RunState = "cancelled"
	RunSuperseded       RunState = "superseded"
	RunSkipped          RunState = "skipped"
)

// runMoves lists the legal transitions of a review run. A publishing run can still be superseded, but only
// before the review was submitted; the publication's phase decides that in the same transaction.
var runMoves = map[RunState][]RunState{
	RunQueued:           {RunRunning, RunFailed, RunCancelled, RunSuperseded, RunSkipped},
	RunRunning:          {RunAwaitingApproval, RunPublishing, RunFailed, RunCancelled, RunSuperseded, RunSkipped},
	RunAwaitingApproval: {RunPublishing, RunCancelled, RunSuperseded, RunFailed},
	RunPublishing:       {RunCompleted, RunFailed, RunCancelled, RunSuperseded},
}

// RunMayMove reports whether a run can move from one state to the other.
func RunMayMove(from, to RunState) bool { return slices.Contains(runMoves[from], to) }

// Terminal reports whether the state is final.
func (s RunState) Terminal() bool { return len(runMoves[s]) == 0 }

// Unpublished reports whether the run ended without a review, so that a new event for the same head starts
// another run.
func (s RunState) Unpublished() bool {
	return s == RunFailed || s == RunCancelled || s == RunSuperseded || s == RunSkipped
}

// RunStates lists every state of a run.
func RunStates() []RunState {
	return []RunState{RunQueued, RunRunning, RunAwaitingApproval, RunPublishing, RunCompleted, RunFailed, RunCancelled, RunSuperseded,
		RunSkipped}
}

// Phase is a phase of a publication. Package publish implements the steps between the phases.
type Phase string

// The phases of a publication.
const (
	PhasePrepared   Phase = "PREPARED"
	PhaseCreating   Phase = "CREATING"
	PhaseChosen     Phase = "CHOSEN"
	PhaseSubmitting Phase = "SUBMITTING"
	PhasePublished  Phase = "PUBLISHED"
	PhaseAbandoned  Phase = "ABANDONED"
)

var phaseMoves = map[Phase][]Phase{
	PhasePrepared:   {PhaseCreating, PhasePublished, PhaseAbandoned},
	PhaseCreating:   {PhaseChosen, PhaseAbandoned},
	PhaseChosen:     {PhaseSubmitting, PhaseAbandoned},
	PhaseSubmitting: {PhasePublished, PhaseAbandoned},
}

// PhaseMayMove reports whether a publication can move from one phase to the other. PREPARED to PUBLISHED is
// for publications that write nothing (kind none).
func PhaseMayMove(from, to Phase) bool { return slices.Contains(phaseMoves[from], to) }

// Terminal reports whether the phase is final.
func (p Phase) Terminal() bool { return len(phaseMoves[p]) == 0 }

// NotePhase is a phase of one comment of a publication, on hosts where each comment is drafted and made
// visible separately.
type NotePhase string

// The phases of a comment.
const (
	NotePlanned    NotePhase = "PLANNED"
	NoteDrafting   NotePhase = "DRAFTING"   // a draft was requested, or the comment on hosts without drafts
	NoteChosen     NotePhase = "CHOSEN"     // its only draft is known, or its comment
	NotePublishing NotePhase = "PUBLISHING" // publishing of the draft was requested
	NoteVisible    NotePhase = "VISIBLE"
	NoteDropped    NotePhase = "DROPPED" // the host refused it, created no comment from it, or a person deleted its draft
)

var noteMoves = map[NotePhase][]NotePhase{
	NotePlanned:    {NoteDrafting},
	NoteDrafting:   {NoteChosen, NoteDropped},
	NoteChosen:     {NotePublishing, NoteVisible, NoteDropped}, // to VISIBLE on hosts without drafts
	NotePublishing: {NoteVisible, NoteDropped},
	NoteVisible:    {NoteDropped}, // the host reported it visible, but it does not exist
}

// NoteMayMove reports whether a comment of a publication can move from one phase to the other.
func NoteMayMove(from, to NotePhase) bool { return slices.Contains(noteMoves[from], to) }

// Decided reports whether no further request for the comment follows.
func (p NotePhase) Decided() bool { return p == NoteVisible || p == NoteDropped }

// JobState is a state of a job.
type JobState string

// The states of a job.
const (
	JobQueued    JobState = "queued"
	JobRunning   JobState = "running"
	JobDone      JobState = "done"
	JobDead      JobState = "dead"
	JobDiscarded JobState = "discarded"
)

// Lane is a class of jobs with its own concurrency.
type Lane string

// The lanes.
const (
	LaneDelivery   Lane = "delivery"
	LaneReview     Lane = "review"
	LanePublish    Lane = "publish"
	LaneBackground Lane = "background"
	LaneDryRun     Lane = "dry-run" // separate, so that dry runs never take the slot of a review
	LaneSweep      Lane = "sweep"   // questions to hosts that tenants connect, which can answer slowly
)

// Lanes lists every lane.
func Lanes() []Lane {
	return []Lane{LaneDelivery, LaneReview, LanePublish, LaneBackground, LaneDryRun, LaneSweep}
}

// Disposition is the result of processing a delivery.
type Disposition string

// The dispositions of a delivery.
const (
	DispositionRun       Disposition = "run"
	DispositionCoalesced Disposition = "coalesced"
	DispositionApplied   Disposition = "applied"
	DispositionIgnored   Disposition = "ignored"
	DispositionFailed    Disposition = "failed"
)
