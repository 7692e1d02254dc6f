package store_test

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// A choice is taken back only under the generation that holds it, for the draft that
// is chosen, after the intent to delete that draft.
func TestClearReview(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		p := seedPublishing(t, s)
		pub := p.creating(t, s)
		testkit.Equal(t, "chosen", must2(s.ChooseReview(bg, p.Tenant, pub.ID, pub.Gen, "7"))(t), true)
		clears := func(gen int64, review domain.HostID, verb, target string) bool {
			t.Helper()
			return must2(s.ClearReview(bg, p.Tenant, pub.ID, gen, review, verb, target))(t)
		}
		testkit.Equal(t, "without a deletion", clears(pub.Gen, "7", "delete", "o/r#1 7"), false)
		begin := func(target, outcome string) {
			t.Helper()
			id, held, err := s.BeginWrite(bg, p.Tenant, store.WriteAttempt{SubjectKind: "publication", SubjectID: pub.ID, Verb: "delete", Target: target, Gen: pub.Gen})
			testkit.OK(t, err)
			testkit.Equal(t, "held", held, true)
			testkit.OK(t, s.EndWrite(bg, id, store.WriteEnd{Outcome: outcome}))
		}
		begin("o/r#1 6", "ok")
		begin("o/r#1 7", "invalid")
		testkit.Equal(t, "after another one's deletion, and one that was refused", clears(pub.Gen, "7", "delete", "o/r#1 7"), false)
		begin("o/r#1 7", "ok")
		testkit.Equal(t, "of another verb", clears(pub.Gen, "7", "submit", "o/r#1 7"), false)
		testkit.Equal(t, "another draft", clears(pub.Gen, "6", "delete", "o/r#1 6"), false)
		testkit.Equal(t, "an older generation", clears(pub.Gen-1, "7", "delete", "o/r#1 7"), false)
		if _, err := s.MovePublication(bg, p.Tenant, pub.ID, pub.Gen, domain.PhaseChosen, domain.PhaseCreating, "", ""); err == nil {
			t.Error("a publication went back to its create and kept its choice")
		}
		testkit.Equal(t, "cleared", clears(pub.Gen, "7", "delete", "o/r#1 7"), true)
		got := must2(s.PublicationByID(bg, p.Tenant, pub.ID))(t)
		testkit.Equal(t, "phase", got.Phase, domain.PhaseCreating)
		testkit.Equal(t, "chosen again", must2(s.ChooseReview(bg, p.Tenant, pub.ID, pub.Gen, "8"))(t), true)
		testkit.Equal(t, "submitting", must2(s.MovePublication(bg, p.Tenant, pub.ID, pub.Gen, domain.PhaseChosen, domain.PhaseSubmitting, "", ""))(t), true)
		begin("o/r#1 8", "ok")
		testkit.Equal(t, "after the intent to submit", clears(pub.Gen, "8", "delete", "o/r#1 8"), false)
	})
}

func TestUnansweredCreates(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		p := seedPublishing(t, s)
		pub := p.creating(t, s)
		left := func() time.Duration {
			t.Helper()
			return must2(s.UnansweredCreates(bg, p.Tenant, p.Pull.ID, time.Hour))(t)
		}
		begin := func(verb string) string {
			t.Helper()
			id, _, err := s.BeginWrite(bg, p.Tenant, store.WriteAttempt{SubjectKind: "publication", SubjectID: pub.ID, Verb: verb, Gen: pub.Gen})
			testkit.OK(t, err)
			return id
		}
		begin("submit")
		testkit.Equal(t, "none", left(), time.Duration(0))
		for outcome, open := range map[string]bool{"ok": false, "invalid": false, "unavailable": false, "ambiguous": true, "error": true} {
			id := begin("create")
			if left() == 0 {
				t.Errorf("a create that is under way does not count")
			}
			testkit.OK(t, s.EndWrite(bg, id, store.WriteEnd{Outcome: outcome}))
			testkit.Equal(t, outcome, left() > 0, open)
			raw(t, s, `UPDATE write_attempts SET started_us = started_us - 3600000001 WHERE id = $1`, id)
			testkit.Equal(t, outcome+", an hour later", left(), time.Duration(0))
		}
	})
}

func TestPublicationsOfPull(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		p := seedPublishing(t, s)
		pub := p.creating(t, s)
		all := must2(s.PublicationsOfPull(bg, p.Tenant, p.Pull.ID, 5))(t)
		testkit.Require(t, "publications", len(all), 1)
		testkit.Equal(t, "id", all[0].ID, pub.ID)
		testkit.Equal(t, "phase", all[0].Phase, domain.PhaseCreating)
		testkit.Require(t, "at most none", len(must2(s.PublicationsOfPull(bg, p.Tenant, p.Pull.ID, 0))(t)), 0)
	})
}
