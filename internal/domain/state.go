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

// runMoves lists the legal transitions of a review run. A run that is already
// publishing may still be superseded: only before the review was submitted,
// which the publication's phase decides in the same transaction.
var runMoves = map[RunState][]RunState{
	RunQueued:           {RunRunning, RunFailed, RunCancelled, RunSuperseded, RunSkipped},
	RunRunning:          {RunAwaitingApproval, RunPublishing, RunFailed, RunCancelled, RunSuperseded, RunSkipped},
	RunAwaitingApproval: {RunPublishing, RunCancelled, RunSuperseded, RunFailed},
	RunPublishing:       {RunCompleted, RunFailed, RunCancelled, RunSuperseded},
}

// RunMayMove reports whether a run may go from one state to the other.
func RunMayMove(from, to RunState) bool { return slices.Contains(runMoves[from], to) }

// Terminal reports whether nothing follows the state.
func (s RunState) Terminal() bool { return len(runMoves[s]) == 0 }

// Unpublished reports whether the run ended without a review, so that a new
// event for the same head makes a new run.
func (s RunState) Unpublished() bool {
	return s == RunFailed || s == RunCancelled || s == RunSuperseded || s == RunSkipped
}

// RunStates lists every state of a run.
func RunStates() []RunState {
	return []RunState{RunQueued, RunRunning, RunAwaitingApproval, RunPublishing, RunCompleted, RunFailed, RunCancelled, RunSuperseded, RunSkipped}
}

// Phase is a phase of a publication; package publish has the steps between them.
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

// PhaseMayMove reports whether a publication may go from one phase to the other.
// PREPARED to PUBLISHED is for publications that write nothing (kind none).
func PhaseMayMove(from, to Phase) bool { return slices.Contains(phaseMoves[from], to) }

// Terminal reports whether nothing follows the phase.
func (p Phase) Terminal() bool { return len(phaseMoves[p]) == 0 }

// NotePhase is a phase of one comment of a publication, on hosts where each is prepared
// and made visible by itself.
type NotePhase string

// The phases of a comment.
const (
	NotePlanned    NotePhase = "PLANNED"
	NoteDrafting   NotePhase = "DRAFTING"   // a draft was asked for
	NoteChosen     NotePhase = "CHOSEN"     // its one draft is known
	NotePublishing NotePhase = "PUBLISHING" // the draft was to be made visible
	NoteVisible    NotePhase = "VISIBLE"
	NoteDropped    NotePhase = "DROPPED" // the host refuses it, made none of it, or somebody deleted its draft
)

var noteMoves = map[NotePhase][]NotePhase{
	NotePlanned:    {NoteDrafting},
	NoteDrafting:   {NoteChosen, NoteDropped},
	NoteChosen:     {NotePublishing, NoteDropped},
	NotePublishing: {NoteVisible, NoteDropped},
	NoteVisible:    {NoteDropped}, // the host said so, and there is no comment
}

// NoteMayMove reports whether a comment of a publication may go from one phase to the
// other.
func NoteMayMove(from, to NotePhase) bool { return slices.Contains(noteMoves[from], to) }

// Decided reports whether no request about the comment follows.
func (p NotePhase) Decided() bool { return p == NoteVisible || p == NoteDropped }

// JobState is a state of a job in the ledger.
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
	LaneDryRun     Lane = "dry-run" // of its own, so that dry runs never take the slot of a review
	LaneSweep      Lane = "sweep"   // questions to hosts that tenants connect, which may take long to answer
)

// Lanes lists every lane.
func Lanes() []Lane {
	return []Lane{LaneDelivery, LaneReview, LanePublish, LaneBackground, LaneDryRun, LaneSweep}
}

// Disposition is how a delivery ended.
type Disposition string

// The dispositions of a delivery.
const (
	DispositionRun       Disposition = "run"
	DispositionCoalesced Disposition = "coalesced"
	DispositionApplied   Disposition = "applied"
	DispositionIgnored   Disposition = "ignored"
	DispositionFailed    Disposition = "failed"
)
