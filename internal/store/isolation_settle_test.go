package store_test

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// unsettled are publications of other pull requests, among them one whose job died after its draft was
// chosen, and one whose draft was chosen and that is worked on.
type unsettled struct {
	run, working store.Run
	deleted      store.Publication // of working; its draft is about to be deleted
	planned      store.Publication // nothing is sent yet
	drafting     store.PublicationNote
	noted        store.Publication     // of drafting
	shown        store.Publication     // being submitted
	visible      store.Publication     // published
	seen         store.PublicationNote // the visible comment of halfway
	halfway      store.Run             // given up when one of its comments was visible
}

var settleIsolation = nounTest{
	seed: func(t testing.TB, s *store.Store, v *victim) {
		v.unsettled.run, _ = chosen(t, s, v, 71)
		v.unsettled.working, v.unsettled.deleted = chosen(t, s, v, 72)
		_, held, err := s.BeginWrite(bg, v.Tenant, store.WriteAttempt{SubjectKind: "publication", SubjectID: v.unsettled.deleted.ID, Verb: "delete", Target: "72", Gen: v.unsettled.deleted.Gen})
		testkit.OK(t, err)
		testkit.Equal(t, "held", held, true)
		v.unsettled.planned = prepared(t, s, v, 73)
		v.unsettled.noted = prepared(t, s, v, 74)
		testkit.Equal(t, "planned", must2(s.PlanNotes(bg, v.Tenant, v.unsettled.noted.ID, v.unsettled.noted.Gen, []string{""}))(t), true)
		v.unsettled.drafting = must2(s.NotesOf(bg, v.Tenant, v.unsettled.noted.ID))(t)[0]
		testkit.Equal(t, "moved", must2(s.MoveNote(bg, v.Tenant, v.unsettled.drafting, v.unsettled.noted.Gen, domain.PhaseCreating, domain.NoteDrafting, ""))(t), true)
		v.unsettled.drafting.Phase = domain.NoteDrafting
		_, v.unsettled.shown = chosen(t, s, v, 75)
		must2(s.MovePublication(bg, v.Tenant, v.unsettled.shown.ID, v.unsettled.shown.Gen, domain.PhaseChosen, domain.PhaseSubmitting, "", ""))(t)
		_, v.unsettled.visible = chosen(t, s, v, 77)
		raw(t, s, `UPDATE publications SET phase = 'PUBLISHED' WHERE id = '`+v.unsettled.visible.ID+`'`)
		given := prepared(t, s, v, 76)
		v.unsettled.halfway = must2(s.RunForWork(bg, given.Run))(t)
		seen := must2(s.SaveRunFindings(bg, v.unsettled.halfway, []domain.Finding{finding("seen", "seen")}))(t)
		testkit.Equal(t, "planned", must2(s.PlanNotes(bg, v.Tenant, given.ID, given.Gen, []string{seen[0].ID, ""}))(t), true)
		raw(t, s, `UPDATE publication_notes SET phase = 'VISIBLE', draft_id = '76' WHERE finding_id = '`+seen[0].ID+`'`)
		raw(t, s, `UPDATE publications SET phase = 'ABANDONED' WHERE id = '`+given.ID+`'`)
		v.unsettled.seen = must2(s.NotesOf(bg, v.Tenant, given.ID))(t)[0]
		must2(s.FailConnection(bg, v.Tenant, "k", "broken", "why"))(t)
		testkit.Equal(t, "left open", must2(s.LeaveUnsettled(bg, v.Tenant, v.unsettled.run.ID, domain.EndError, "died"))(t), true)
	},
	foreign: func(v victim) map[string][]any {
		run, working := v.unsettled.run, v.unsettled.working
		return map[string][]any{
			"LeaveUnsettled":       {working.ID, domain.EndError, "evil"},
			"TakeUnsettled":        {run.ID, time.Duration(0)},
			"PostponeSettling":     {run.ID, time.Hour},
			"GiveUpSettling":       {run.ID, "evil", time.Duration(0)},
			"UnsettledOf":          {run.PullRequest},
			"PullRequestForUpdate": {run.PullRequest},
			"StandingRunOfHead":    {run.PullRequest, run.HeadSHA, run.BaseRef},
			"SetCheckID":           {run.ID, "evil"},
			"BeginCheck":           {store.WriteAttempt{SubjectKind: "reflect", SubjectID: run.ID, Verb: "evil"}, 0},
			"RunsOfHead":           {run.Repository, run.HeadSHA},
			"StartDelay":           {run.ID},
			"EarlierReviews":       {run.ID, time.Hour},
			"RestoreConnection":    {"k", "broken"},
			"PriorWrites":          {"publication", v.pub.ID, "create"},
			"ReplaceReview":        {v.unsettled.visible.ID, domain.HostID("77"), domain.HostID("1"), "evil"},
			"UnansweredCreates":    {v.Pull.ID, v.pub.ID, time.Hour},
			"PublicationsOfPull":   {v.Pull.ID, 9},
			"PlanNotes":            {v.unsettled.planned.ID, v.unsettled.planned.Gen, []string{""}},
			"NotesOf":              {v.unsettled.noted.ID},
			"MoveNote":             {v.unsettled.drafting, v.unsettled.noted.Gen, domain.PhaseCreating, domain.NoteDropped, "evil"},
			"ChooseNote":           {v.unsettled.drafting, v.unsettled.noted.Gen, domain.PhaseCreating, domain.HostID("73")},
			"ReplaceNote":          {v.unsettled.seen, domain.HostID("evil")},
			"MarkNotesPosted":      {v.unsettled.halfway},
			"NameReview":           {v.unsettled.shown.ID, v.unsettled.shown.Gen, domain.HostID("evil")},
			"LatestWrite":          {store.WriteAttempt{SubjectKind: "publication", SubjectID: v.unsettled.deleted.ID, Verb: "delete", Target: "72"}},
		}
	},
	ownRows: map[string]string{"FailConnection": "the row is the caller's; the connection is a name that is never followed"},
	instance: map[string]string{
		"UncheckedHeads": "a check of the installation; ids for operators",
		"Violations":     "measures of the instance; ids for operators",
		"UnsettledRuns":  "the sweeper of publications; each row carries its tenant",
		"TakeUnclean":    "the janitor of drafts; a run names its tenant",
	},
}

// chosen makes a run of a new pull request whose draft was chosen.
func chosen(t testing.TB, s *store.Store, v *victim, number int) (store.Run, store.Publication) {
	t.Helper()
	pub := prepared(t, s, v, number)
	must2(s.MovePublication(bg, v.Tenant, pub.ID, pub.Gen, domain.PhasePrepared, domain.PhaseCreating, "", ""))(t)
	testkit.Equal(t, "chosen", must2(s.ChooseReview(bg, v.Tenant, pub.ID, pub.Gen, domain.NumberID(int64(number))))(t), true)
	return must2(s.RunForWork(bg, pub.Run))(t), pub
}

// prepared makes a run of a new pull request that is about to be published.
func prepared(t testing.TB, s *store.Store, v *victim, number int) store.Publication {
	t.Helper()
	run := storetest.Run(t, s, storetest.PullRequest(t, s, v.Repository, number), "auto")
	for _, m := range []store.RunMove{{From: domain.RunQueued, To: domain.RunRunning}, {From: domain.RunRunning, To: domain.RunPublishing}} {
		must2(s.MoveRun(bg, v.Tenant, run.ID, m))(t)
	}
	out := must2(s.CreateOutput(bg, v.Tenant, run.ID, "", "{}", "digest"))(t)
	job := claimed(t, s, run.ID)
	return must2(s.Prepare(bg, v.Tenant, store.Publication{Run: run.ID, Output: out.ID, Kind: "review", Payload: "{}", PayloadSHA256: "sha"}, job.ID, job.Gen))(t)
}
