package intake_test

import (
	"context"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// silent opens the hosts of a fixture. The host of one tenant never answers.
type silent struct {
	*reviewtest.Host
	tenant string
	asked  chan string // requested repositories
}

func (h *silent) Repository(ctx context.Context, r store.Repository) (codehost.Host, codehost.Repo, error) {
	host, repo, err := h.Host.Repository(ctx, r)
	if r.Tenant == h.tenant {
		return unanswering{host, h, r.ID}, repo, err
	}
	return host, repo, err
}

type unanswering struct {
	codehost.Host
	of         *silent
	repository string
}

func (u unanswering) OpenPullRequests(ctx context.Context, _ codehost.Repo) ([]codehost.PullRequest, error) {
	u.of.asked <- u.repository
	<-ctx.Done()
	return nil, ctx.Err()
}

// besideSilent gives the fixture another tenant, with a connection to a host that never answers and two
// repositories there.
func besideSilent(f *reviewtest.Fixture, bound time.Duration) (h *silent, t domain.Tenant, access store.Access) {
	f.T.Helper()
	f.Stop()
	t = storetest.Tenant(f.T, f.Store)
	row, err := f.Store.CreateProviderConnection(bg, t, store.ProviderConnection{ID: domain.NewID("pcn"), Tenant: t.ID, Kind: string(domain.Gitea), Name: "Silent",
		BaseURL: "https://silent.example", Owner: "mallory", Token: []byte("sealed"), AllRepositories: true, Repositories: "[]", Enabled: true})
	testkit.OK(f.T, err)
	access, err = f.Store.UpsertConnectionAccess(bg, t, store.Access{Kind: row.Kind, Connection: row.ID, Host: row.BaseURL, AccountID: "9", AccountLogin: "mallory"})
	testkit.OK(f.T, err)
	_, _, err = f.Store.SyncAccessRepositories(bg, t, access.ID, []store.Repository{{ExternalID: "1", Owner: "mallory", Name: "one"}, {ExternalID: "2", Owner: "mallory", Name: "two"}})
	testkit.OK(f.T, err)
	h = &silent{Host: f.Host, tenant: t.ID, asked: make(chan string, 10)}
	f.Services.Intake.Hosts, f.Services.Intake.SweepTime = h, bound
	return h, t, access
}

// A host that never answers delays the search for lost heads only in its own repositories.
func TestASilentHostDelaysItsOwnRepositoriesOnly(t *testing.T) {
	reviewtest.EachOf(t, storetest.Both, func(t *testing.T, f *reviewtest.Fixture) {
		f.Deliver(f.Event("opened", "a"))
		h, _, _ := besideSilent(f, time.Hour)
		f.Event("synchronize", "b", lately(1)) // not delivered
		f.Start()
		all := store.Unswept{Installation: -time.Hour, Connection: -time.Hour}
		testkit.OK(t, f.Services.Intake.SweepHeads(bg, all, 0, 100))
		reviewtest.Receive(t, h.asked)
		f.Until("the lost head of the other host is reviewed", func() bool { return f.States() == "completed completed" })
		testkit.Equal(t, "requests to the silent host", len(h.asked), 0)
	})
}

// A host that does not answer in time is put aside, its administrators get one notice, and the next sweep
// does not query it at once.
func TestASilentHostIsPutAside(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h, tenant, access := besideSilent(f, time.Millisecond)
		f.Start()
		all := store.Unswept{Installation: -time.Hour, Connection: -time.Hour}
		for range 2 {
			testkit.OK(t, f.Services.Intake.SweepHeads(bg, all, 0, 100))
			f.Settle()
		}
		if n := len(h.asked); n > 1 { // 0 if the time is over before
			t.Errorf("%d questions", n)
		}
		sweeps, err := f.Store.JobsOf(bg, access.ID)
		testkit.OK(t, err)
		testkit.Require(t, "jobs", len(sweeps), 1)
		testkit.Equal(t, "state", sweeps[0].State, domain.JobQueued)
		testkit.Equal(t, "failures", sweeps[0].Attempts, 1)
		testkit.Equal(t, "the administrators got a notice", told(f, tenant, access, "unreachable"), true)
		_, err = f.Store.TakeUnswept(bg, tenant, access.ID)
		testkit.OK(t, err) // the second repository is still due
	})
}

// If a sweep of a host crashes its worker, the next worker does not repeat it at once, and the administrators
// get a notice. A sweep that was given up is followed by one that begins much later.
func TestASweepThatEndsItsWorkerIsNotAskedAgainAtOnce(t *testing.T) {
	for name, crashes := range map[string]int{"put aside": 3, "given up": 1} {
		t.Run(name, func(t *testing.T) {
			reviewtest.EachOf(t, storetest.Both, func(t *testing.T, f *reviewtest.Fixture) {
				h, tenant, access := besideSilent(f, time.Hour)
				all := store.Unswept{Installation: -time.Hour, Connection: -time.Hour}
				testkit.OK(t, f.Services.Intake.SweepHeads(bg, all, 0, 100))
				last := func() store.Job {
					t.Helper()
					sweeps, err := f.Store.JobsOf(bg, access.ID)
					testkit.OK(t, err)
					return sweeps[len(sweeps)-1]
				}
				_, err := f.Store.Claim(bg, last().ID, "wrk_dead", -time.Second) // the worker of the claim is dead
				testkit.OK(t, err)
				f.Settings.Crashes = crashes
				f.Start()
				f.Until("the sweep waits", func() bool { return last().State == domain.JobQueued && last().RunUS > last().NowUS })
				testkit.OK(t, f.Services.Intake.SweepHeads(bg, all, 0, 100))
				f.Settle()
				testkit.Equal(t, "questions", len(h.asked), 0)
				testkit.Equal(t, "the administrators got a notice", told(f, tenant, access, "crashed"), true)
			})
		})
	}
}

// told reports whether the administrators got a notice that a connection does not work, with the reason.
func told(f *reviewtest.Fixture, t domain.Tenant, access store.Access, reason string) bool {
	f.T.Helper()
	changed, err := f.Store.FailConnection(bg, t, domain.ConnectionProvider, access.Connection, reason)
	testkit.OK(f.T, err)
	return !changed
}
