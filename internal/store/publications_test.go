package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// publishing is a world with an output and a claimed publish job.
type publishing struct {
	storetest.World
	output store.Output
	job    store.Job
}

func seedPublishing(t testing.TB, s *store.Store) publishing {
	t.Helper()
	p := publishing{World: storetest.Seed(t, s)}
	p.output = must2(s.CreateOutput(bg, p.Tenant, p.Run.ID, "", "{}", "digest"))(t)
	p.job = claimed(t, s, p.Run.ID)
	return p
}

func (p publishing) row(payload string) store.Publication {
	return store.Publication{Run: p.Run.ID, Output: p.output.ID, Kind: "review", Payload: payload, PayloadSHA256: payload + "-sha"}
}

// creating is a publication in the phase CREATING.
func (p publishing) creating(t testing.TB, s *store.Store) store.Publication {
	t.Helper()
	pub := must2(s.Prepare(bg, p.Tenant, p.row("frozen"), p.job.ID, p.job.Gen))(t)
	testkit.Equal(t, "moved", must2(s.MovePublication(bg, p.Tenant, pub.ID, pub.Gen, domain.PhasePrepared, domain.PhaseCreating, "", ""))(t), true)
	return pub
}

func TestPrepare(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		p := seedPublishing(t, s)
		a := must2(s.Prepare(bg, p.Tenant, p.row("frozen"), p.job.ID, p.job.Gen))(t)
		testkit.Equal(t, "phase", a.Phase, domain.PhasePrepared)
		testkit.Equal(t, "generation", a.Gen, 1)
		b := must2(s.Prepare(bg, p.Tenant, p.row("other text"), p.job.ID, p.job.Gen))(t)
		testkit.Equal(t, "publication", b.ID, a.ID)
		testkit.Equal(t, "payload of the second", b.Payload, "frozen")
		testkit.Equal(t, "generation", b.Gen, 2)

		expire(t, s)
		must2(s.SweepJobs(bg, 9))(t)
		_, err := s.Prepare(bg, p.Tenant, p.row("x"), p.job.ID, p.job.Gen)
		wantKind(t, err, errs.Stale)
		testkit.Equal(t, "generation after a lost claim", must2(s.PublicationOf(bg, p.Tenant, p.Run.ID))(t).Gen, 2)
	})
}

// A sweep takes the job away while a transaction has checked the claim and not yet written. The sweep
// waits, so a worker that lost the job cannot get the generation.
func TestPrepareAgainstSweep(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		p := seedPublishing(t, s)
		expire(t, s)
		asked, swept := make(chan struct{}), make(chan int, 1)
		testkit.OK(t, s.InTx(bg, func(ctx context.Context) error {
			if _, err := s.Prepare(ctx, p.Tenant, p.row("frozen"), p.job.ID, p.job.Gen); err != nil {
				return err
			}
			go func() {
				close(asked)
				got, err := s.SweepJobs(bg, 9)
				if err != nil {
					t.Error(err)
				}
				swept <- len(got)
			}()
			<-asked
			waitUntilBlocked(t, s)
			testkit.Equal(t, "state while it waits", must2(s.Job(ctx, p.job.ID))(t).State, domain.JobRunning)
			return nil
		}))
		testkit.Equal(t, "swept", <-swept, 1)
	})
}

func TestChooseReviewOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		p := seedPublishing(t, s)
		pub := p.creating(t, s)
		var chosen domain.HostID
		won := winners(t, 16, func(i int) (bool, error) {
			did, err := s.ChooseReview(bg, p.Tenant, pub.ID, pub.Gen, domain.NumberID(int64(100+i)))
			if did {
				chosen = domain.NumberID(int64(100 + i))
			}
			return did, err
		})
		testkit.Equal(t, "choices", won, 1)
		got := must2(s.PublicationByID(bg, p.Tenant, pub.ID))(t)
		testkit.Equal(t, "review", got.ReviewID, chosen)
		testkit.Equal(t, "phase", got.Phase, domain.PhaseChosen)
		testkit.Equal(t, "payload replaced after the choice", must2(s.ReplacePayload(bg, p.Tenant, pub.ID, pub.Gen, "late", "late"))(t), false)
	})
}

// A worker of an older generation changes nothing, in no phase.
func TestStaleGenerationChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		p := seedPublishing(t, s)
		old := p.creating(t, s)
		fresh := must2(s.Prepare(bg, p.Tenant, p.row("x"), p.job.ID, p.job.Gen))(t)
		before := dump(t, s)
		testkit.Equal(t, "chosen", must2(s.ChooseReview(bg, p.Tenant, old.ID, old.Gen, "7"))(t), false)
		testkit.Equal(t, "payload replaced", must2(s.ReplacePayload(bg, p.Tenant, old.ID, old.Gen, "y", "y"))(t), false)
		testkit.Equal(t, "moved", must2(s.MovePublication(bg, p.Tenant, old.ID, old.Gen, domain.PhaseCreating, domain.PhaseAbandoned, "", ""))(t), false)
		id, held, err := s.BeginWrite(bg, p.Tenant, store.WriteAttempt{SubjectKind: "publication", SubjectID: old.ID, Verb: "submit", Gen: old.Gen})
		testkit.OK(t, err)
		testkit.Equal(t, "write begun", held, false)
		testkit.Equal(t, "id", id, "")
		testkit.Equal(t, "rows", dump(t, s), before)

		testkit.Equal(t, "payload replaced by the holder", must2(s.ReplacePayload(bg, p.Tenant, fresh.ID, fresh.Gen, "y", "y-sha"))(t), true)
		testkit.Equal(t, "chosen by the holder", must2(s.ChooseReview(bg, p.Tenant, fresh.ID, fresh.Gen, "7"))(t), true)
	})
}

func TestMovePublication(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		p := seedPublishing(t, s)
		pub := p.creating(t, s)
		move := func(from, to domain.Phase, url string) bool {
			t.Helper()
			return must2(s.MovePublication(bg, p.Tenant, pub.ID, pub.Gen, from, to, url, ""))(t)
		}
		for _, m := range [][2]domain.Phase{
			{domain.PhaseCreating, domain.PhaseSubmitting}, {domain.PhaseCreating, domain.PhasePublished}, {domain.PhasePublished, domain.PhaseCreating}, {domain.PhaseAbandoned, domain.PhasePrepared},
		} {
			if _, err := s.MovePublication(bg, p.Tenant, pub.ID, pub.Gen, m[0], m[1], "", ""); err == nil {
				t.Errorf("%s to %s was allowed", m[0], m[1])
			}
		}
		testkit.Equal(t, "from a phase it is not in", move(domain.PhaseChosen, domain.PhaseSubmitting, ""), false)
		testkit.Equal(t, "chosen", must2(s.ChooseReview(bg, p.Tenant, pub.ID, pub.Gen, "7"))(t), true)
		testkit.Equal(t, "submitting", move(domain.PhaseChosen, domain.PhaseSubmitting, ""), true)
		testkit.Equal(t, "published", move(domain.PhaseSubmitting, domain.PhasePublished, "https://example.test/1"), true)
		testkit.Equal(t, "published twice", move(domain.PhaseSubmitting, domain.PhasePublished, ""), false)
		testkit.Equal(t, "url", must2(s.PublicationOf(bg, p.Tenant, p.Run.ID))(t).URL, "https://example.test/1")
	})
}

// If the intent of a write and a take-over race, the row is locked from the check to the commit, so an
// intent never carries an old generation.
func TestBeginWriteAgainstTakeOver(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		p := seedPublishing(t, s)
		pub := p.creating(t, s)
		p.holdsOff(t, s, pub, func(ctx context.Context) (bool, error) {
			_, held, err := s.BeginWrite(ctx, p.Tenant, store.WriteAttempt{SubjectKind: "publication", SubjectID: pub.ID, Verb: "submit", Gen: pub.Gen})
			return held, err
		})
	})
}

// holdsOff fails unless a take-over of the publication waits for the end of a transaction with a
// change.
func (p publishing) holdsOff(t *testing.T, s *store.Store, pub store.Publication, change func(ctx context.Context) (held bool, err error)) {
	t.Helper()
	asked, taken := make(chan struct{}), make(chan error, 1)
	testkit.OK(t, s.InTx(bg, func(ctx context.Context) error {
		if held, err := change(ctx); err != nil || !held {
			return errors.Join(err, errors.New("not held"))
		}
		go func() {
			close(asked)
			_, err := s.Prepare(bg, p.Tenant, p.row("x"), p.job.ID, p.job.Gen)
			taken <- err
		}()
		<-asked
		waitUntilBlocked(t, s)
		testkit.Equal(t, "generation while it waits", must2(s.PublicationByID(ctx, p.Tenant, pub.ID))(t).Gen, pub.Gen)
		return nil
	}))
	testkit.OK(t, <-taken)
	testkit.Equal(t, "generation", must2(s.PublicationByID(bg, p.Tenant, pub.ID))(t).Gen, pub.Gen+1)
}

func TestWrites(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		p := seedPublishing(t, s)
		pub := p.creating(t, s)
		id, held, err := s.BeginWrite(bg, p.Tenant, store.WriteAttempt{SubjectKind: "publication", SubjectID: pub.ID, Verb: "create", Target: "octo/repo#1", Gen: pub.Gen})
		testkit.OK(t, err)
		testkit.Equal(t, "held", held, true)
		testkit.OK(t, s.EndWrite(bg, id, store.WriteEnd{Outcome: "ok"}))
		testkit.OK(t, s.EndWrite(bg, id, store.WriteEnd{Outcome: "later"}))
		w := must2(s.Writes(bg, p.Tenant, "publication", pub.ID))(t)
		testkit.Require(t, "writes", len(w), 1)
		testkit.Equal(t, "outcome", w[0].Outcome, "ok")
		_, held, err = s.BeginWrite(bg, p.Tenant, store.WriteAttempt{SubjectKind: "reflect", SubjectID: p.Run.ID, Verb: "check"})
		testkit.OK(t, err)
		testkit.Equal(t, "a write without a publication", held, true)
	})
}

func TestOutputsAndPublishedBefore(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		p := seedPublishing(t, s)
		child := must2(s.CreateOutput(bg, p.Tenant, p.Run.ID, p.output.ID, "{2}", "digest2"))(t)
		raw(t, s, `UPDATE outputs SET created_us = created_us + 1000 WHERE id = $1`, child.ID)
		got := must2(s.LatestOutput(bg, p.Tenant, p.Run.ID))(t)
		testkit.Equal(t, "latest", got.ID, child.ID)
		testkit.Equal(t, "parent", got.Parent, p.output.ID)
		_, err := s.PublishedBefore(bg, p.Tenant, p.Pull.ID, p.Run.ID)
		wantKind(t, err, errs.NotFound)
		later := storetest.Run(t, s, p.Pull, "rerun:1")
		for _, m := range [][2]domain.RunState{{domain.RunQueued, domain.RunRunning}, {domain.RunRunning, domain.RunPublishing}, {domain.RunPublishing, domain.RunCompleted}} {
			must2(s.MoveRun(bg, p.Tenant, p.Run.ID, store.RunMove{From: m[0], To: m[1]}))(t)
		}
		testkit.Equal(t, "published before", must2(s.PublishedBefore(bg, p.Tenant, p.Pull.ID, later.ID))(t).ID, p.Run.ID)

		testkit.OK(t, s.FinishPullRequest(bg, p.Tenant, p.Run, "77"))
		testkit.OK(t, s.FinishPullRequest(bg, p.Tenant, later, "78"))
		pull := must2(s.PullRequest(bg, p.Tenant, p.Pull.ID))(t)
		testkit.Equal(t, "the first review carries the summary", pull.SummaryReview, "77")
		testkit.Equal(t, "reviewed head", pull.ReviewedHead, later.HeadSHA)
	})
}

// A round is a completed review in which a model took part and which people could see.
func TestReviewRounds(t *testing.T) {
	for name, c := range map[string]struct {
		model, kind string
		rounds      int
	}{
		"complete":          {"complete", "review", 1},
		"partial":           {"partial", "edit", 1},
		"no model":          {"none", "review", 0},
		"no model answered": {"unavailable", "review", 0},
		"silent":            {"complete", "none", 0},
		"never published":   {"complete", "", 0},
		"not completed":     {"", "review", 0},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				p := seedPublishing(t, s)
				if c.kind != "" {
					row := p.row("frozen")
					row.Kind = c.kind
					must2(s.Prepare(bg, p.Tenant, row, p.job.ID, p.job.Gen))(t)
				}
				if c.model != "" {
					testkit.OK(t, s.SetRunResult(bg, p.Tenant, p.Run.ID, "T2", c.model, "{}"))
					for _, m := range [][2]domain.RunState{{domain.RunQueued, domain.RunRunning}, {domain.RunRunning, domain.RunPublishing}, {domain.RunPublishing, domain.RunCompleted}} {
						must2(s.MoveRun(bg, p.Tenant, p.Run.ID, store.RunMove{From: m[0], To: m[1]}))(t)
					}
				}
				later := storetest.Run(t, s, p.Pull, "rerun:1")
				testkit.Equal(t, "rounds", must2(s.ReviewRounds(bg, p.Tenant, p.Pull.ID, later.ID))(t), c.rounds)
				testkit.Equal(t, "but its own", must2(s.ReviewRounds(bg, p.Tenant, p.Pull.ID, p.Run.ID))(t), 0)
				last, err := s.LastRound(bg, p.Tenant, p.Pull.ID, later.ID)
				if c.rounds == 0 {
					wantKind(t, err, errs.NotFound)
					return
				}
				testkit.OK(t, err)
				testkit.Equal(t, "last round", last.ID, p.Run.ID)
			})
		})
	}
}
