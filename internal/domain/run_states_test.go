package domain

import (
	"slices"
	"testing"
	"time"
)

func TestTerminalRunStatesHaveNoWayOut(t *testing.T) {
	t.Parallel()
	terminal := []RunState{RunCompleted, RunFailed, RunCancelled, RunSuperseded, RunSkipped}
	for _, s := range RunStates() {
		if got, want := s.Terminal(), slices.Contains(terminal, s); got != want {
			t.Errorf("%s: Terminal() = %v, want %v", s, got, want)
		}
		for _, to := range RunStates() {
			if s.Terminal() && RunMayMove(s, to) {
				t.Errorf("%s is terminal but may move to %s", s, to)
			}
		}
	}
}

func TestIDsSortByTime(t *testing.T) {
	t.Parallel()
	a := NewID("run")
	made := time.Now().UnixMicro()
	for time.Now().UnixMicro() == made { // identifiers have a resolution of one microsecond
	}
	b := NewID("run")
	if a >= b || len(a) != len("run_")+26 {
		t.Fatalf("ids do not sort: %s, %s", a, b)
	}
}

func TestPublishedOnlyAfterSubmitting(t *testing.T) {
	t.Parallel()
	for _, from := range []Phase{PhaseCreating, PhaseChosen, PhaseAbandoned, PhasePublished} {
		if PhaseMayMove(from, PhasePublished) {
			t.Errorf("%s must not move to PUBLISHED", from)
		}
	}
}

func TestNoteMoves(t *testing.T) {
	t.Parallel()
	all := []NotePhase{NotePlanned, NoteDrafting, NoteChosen, NotePublishing, NoteVisible, NoteDropped}
	var legal []string
	for _, from := range all {
		for _, to := range all {
			if NoteMayMove(from, to) {
				legal = append(legal, string(from+" "+to))
			}
		}
	}
	want := []string{"PLANNED DRAFTING", "DRAFTING CHOSEN", "DRAFTING DROPPED", "CHOSEN PUBLISHING", "CHOSEN VISIBLE", "CHOSEN DROPPED", "PUBLISHING VISIBLE", "PUBLISHING DROPPED", "VISIBLE DROPPED"}
	if !slices.Equal(legal, want) || !NoteVisible.Decided() || !NoteDropped.Decided() || NoteChosen.Decided() {
		t.Errorf("legal moves %q, want %q", legal, want)
	}
}

func TestTriageMoves(t *testing.T) {
	t.Parallel()
	legal := 0
	for _, from := range TriageStates() {
		for _, to := range TriageStates() {
			if TriageMayMove(from, to) {
				legal++
			}
			if TriageMayMove(from, to) && (from.Terminal() || to == TriageQueued || to == from) {
				t.Errorf("%s must not move to %s", from, to)
			}
		}
	}
	if legal != 6 || TriageMayMove(TriageQueued, TriageCompleted) {
		t.Errorf("%d legal moves", legal)
	}
	for _, from := range labelStates() {
		for _, to := range labelStates() {
			if LabelMayMove(from, to) != (from == LabelWaiting && to != LabelWaiting) {
				t.Errorf("a label from %s to %s", from, to)
			}
		}
	}
}

// labelStates lists every state of a wanted label.
func labelStates() []LabelState {
	return []LabelState{LabelWaiting, LabelSet, LabelThere, LabelDropped}
}
