package store_test

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// ReplaceReview replaces exactly the given published review, and its summary.
func TestReplaceReview(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		p := seedPublishing(t, s)
		pub := p.creating(t, s)
		testkit.Equal(t, "chosen", must2(s.ChooseReview(bg, p.Tenant, pub.ID, pub.Gen, "8"))(t), true)
		wantKind(t, s.ReplaceReview(bg, p.Tenant, pub.ID, "8", "7", "https://host.example/7"), errs.NotFound)
		testkit.Equal(t, "submitting", must2(s.MovePublication(bg, p.Tenant, pub.ID, pub.Gen, domain.PhaseChosen, domain.PhaseSubmitting, "", ""))(t), true)
		testkit.Equal(t, "published", must2(s.MovePublication(bg, p.Tenant, pub.ID, pub.Gen, domain.PhaseSubmitting, domain.PhasePublished, "", ""))(t), true)
		testkit.OK(t, s.FinishPullRequest(bg, p.Tenant, p.Run, "8"))
		wantKind(t, s.ReplaceReview(bg, p.Tenant, pub.ID, "9", "7", "https://host.example/7"), errs.NotFound)
		testkit.OK(t, s.ReplaceReview(bg, p.Tenant, pub.ID, "8", "7", "https://host.example/7"))
		got := must2(s.PublicationByID(bg, p.Tenant, pub.ID))(t)
		testkit.Equal(t, "review", got.ReviewID, domain.HostID("7"))
		testkit.Equal(t, "url", got.URL, "https://host.example/7")
		testkit.Equal(t, "summary", must2(s.PullRequest(bg, p.Tenant, p.Pull.ID))(t).SummaryReview, domain.HostID("7"))
		raw(t, s, `UPDATE pull_requests SET summary_review = 5, summary_text = ''`) // the summary of an earlier review
		testkit.OK(t, s.ReplaceReview(bg, p.Tenant, pub.ID, "7", "6", ""))
		testkit.Equal(t, "summary", must2(s.PullRequest(bg, p.Tenant, p.Pull.ID))(t).SummaryReview, domain.HostID("5"))
	})
}

func TestUnansweredCreates(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		p := seedPublishing(t, s)
		pub := p.creating(t, s)
		of := func(own string) time.Duration {
			t.Helper()
			return must2(s.UnansweredCreates(bg, p.Tenant, p.Pull.ID, own, time.Hour))(t)
		}
		left := func() time.Duration { return of("") }
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
			testkit.Equal(t, outcome+", of the publication", of(pub.ID) > 0, open || outcome == "ok")
			testkit.Equal(t, outcome+", of another one", of("pub_other") > 0, open)
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
		testkit.Equal(t, "digest", all[0].PayloadSHA256, pub.PayloadSHA256)
		testkit.Require(t, "at most none", len(must2(s.PublicationsOfPull(bg, p.Tenant, p.Pull.ID, 0))(t)), 0)
	})
}
