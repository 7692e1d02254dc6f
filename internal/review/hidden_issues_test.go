package review_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/review/tickets"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// A review waits for an approval while its repository becomes public. Its statements about the issue
// are neither published nor shown to the approver.
func TestApprovedAfterTheRepositoryBecamePublic(t *testing.T) {
	eachTicketed(t, func(t *testing.T, f *ticketed) {
		f.Policy(`{"publishMode":"approval"}`)
		run := f.opened("a")
		a, err := f.Store.ApprovalOfRun(bg, f.World.Tenant, run.ID)
		testkit.OK(t, err)
		contains(t, payloadOf(f.Fixture, a.Output).Body.String(), "question is written down")
		f.public(run, true)
		fit, err := f.Service.Tickets.Fit(bg, f.World.Tenant, run.ID, payloadOf(f.Fixture, a.Output))
		testkit.OK(t, err)
		lacks(t, fit.Body.String()+fit.Check.Summary.String(), "PAY-1")
		_, err = decide(f.Fixture, a, approval.Decision{To: domain.ApprovalApproved})
		testkit.OK(t, err)
		f.Settle()
		testkit.Equal(t, "runs", f.States(), "completed")
		for _, text := range []string{f.body(), f.Host.Check(run.ID).Summary.String()} {
			lacks(t, text, "PAY-1")
			lacks(t, text, "question is written down")
		}
		testkit.Equal(t, "edits", f.Host.Wrote("edit review"), 0)
	})
}

// The draft is made, its submit fails, and the repository becomes public before the next attempt. The
// published review does not mention the issue's text.
func TestPublishedAgainAfterTheRepositoryBecamePublic(t *testing.T) {
	eachTicketed(t, func(t *testing.T, f *ticketed) {
		f.Stop()
		f.Settings.BackoffFirst, f.Settings.BackoffMax = time.Hour, time.Hour
		f.Start()
		f.Host.Fail("submit", &codehost.Error{Class: codehost.ClassUnavailable})
		f.Send(f.Event("opened", "a", nameFiles))
		f.Until("the submit has failed", func() bool {
			runs := f.Runs()
			return len(runs) == 1 && f.Job(runs[0].ID, domain.KindPublish).Attempts == 1
		})
		run := f.Runs()[0]
		pub, err := f.Store.PublicationOf(bg, f.World.Tenant, run.ID)
		testkit.OK(t, err)
		contains(t, pub.Payload, "question is written down")
		f.public(run, true)
		f.Host.Fail("submit", nil)
		f.Stop()
		testkit.OK(t, publishAgain(f, run))
		f.Start()
		f.Settle()
		lacks(t, f.body(), "PAY-1")
		lacks(t, f.Host.Check(run.ID).Summary.String(), "PAY-1")
	})
}

// publishAgain makes the job that publishes a run due now.
func publishAgain(f *ticketed, run store.Run) error {
	_, err := f.Store.Enqueue(bg, store.NewJob{Kind: domain.KindPublish, FairKey: run.Tenant, Subject: run.ID, Tenant: run.Tenant})
	return err
}

// A published summary is edited once when its repository becomes public, or when an administrator
// withdraws a permission. The stored texts and verdicts are deleted.
func TestIssueTextIsRemovedFromPublishedSummaries(t *testing.T) {
	mapping := func(f *ticketed, allow string) {
		f.connection.Mapping = `{"acceptanceCriteria":{"heading":"Acceptance criteria"}` + allow + `}`
		row, err := f.Store.UpdateTrackerConnection(bg, f.World.Tenant, f.connection)
		testkit.OK(f.T, err)
		f.connection = row
	}
	for name, set := range map[string]func(f *ticketed, publish func() store.Run) store.Run{
		"it becomes public": func(f *ticketed, publish func() store.Run) store.Run {
			run := publish()
			f.public(run, true)
			return run
		},
		"the allowance is taken back": func(f *ticketed, publish func() store.Run) store.Run {
			mapping(f, `,`+tickets.AllowsOnPublic)
			run := publish()
			f.public(run, true)
			testkit.OK(f.T, f.Service.HideIssues(bg, 10))
			f.Settle()
			contains(f.T, f.body(), "question is written down")
			mapping(f, "")
			return run
		},
		"the allowance for a fork is taken back": func(f *ticketed, publish func() store.Run) store.Run {
			mapping(f, `,`+tickets.AllowsOnPublic)
			run := publish()
			mapping(f, "")
			return run
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachTicketed(t, func(t *testing.T, f *ticketed) {
				fork := strings.Contains(name, "fork")
				run := set(f, func() store.Run {
					if fork {
						f.Policy(`{"outsideContributors":"full"}`)
						d := f.Deliver(f.Event("opened", "a", nameFiles, reviewtest.Fork))
						run, err := f.Store.RunForWork(bg, d.RunID)
						testkit.OK(t, err)
						return run
					}
					return f.opened("a")
				})
				contains(t, f.body(), "question is written down")
				for range 2 {
					testkit.OK(t, f.Service.HideIssues(bg, 10))
					f.Settle()
				}
				lacks(t, f.body(), "PAY-1")
				lacks(t, f.body(), "question is written down")
				lacks(t, f.Host.Check(run.ID).Summary.String(), "PAY-1")
				testkit.Equal(t, "edits", f.Host.Wrote("edit review"), 1)
				testkit.Equal(t, "verdicts", f.verdicts(run), "")
				if l := f.link(); !l.KeyOnly || l.Title+l.URL+l.State+l.Type != "" {
					t.Errorf("the link keeps %+v", l)
				}
				pub, err := f.Store.PublicationOf(bg, f.World.Tenant, run.ID)
				testkit.OK(t, err)
				var p publish.Payload
				testkit.OK(t, json.Unmarshal([]byte(pub.Payload), &p))
				p, err = f.Service.Tickets.Fit(bg, f.World.Tenant, run.ID, p)
				testkit.OK(t, err)
				lacks(t, p.Body.String(), "PAY-1")
			})
		})
	}
}
