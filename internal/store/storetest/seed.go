package storetest

import (
	"context"
	"crypto/rand"
	"math/big"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// World is a tenant with one row of each kind down to a queued run.
type World struct {
	Tenant       domain.Tenant
	App          store.App
	Installation store.Installation
	Repository   store.Repository
	Pull         store.PullRequest
	Run          store.Run
}

// Seed creates a world that shares nothing with other worlds.
func Seed(t testing.TB, s *store.Store) World {
	t.Helper()
	w := World{Tenant: Tenant(t, s), App: App(t, s)}
	w.Installation = Installation(t, s, w.App, w.Tenant)
	w.Repository = Repository(t, s, w.Tenant, w.Installation)
	w.Pull = PullRequest(t, s, w.Repository, 1)
	w.Run = Run(t, s, w.Pull, "auto")
	return w
}

// Tenant creates a tenant.
func Tenant(t testing.TB, s *store.Store) domain.Tenant {
	t.Helper()
	row, err := s.CreateTenant(context.Background(), "Example")
	must(t, err)
	return domain.Tenant{ID: row.ID}
}

// App creates an app; its secrets are not sealed.
func App(t testing.TB, s *store.Store) store.App {
	t.Helper()
	a := store.App{
		ID: domain.NewID("app"), Kind: "github", WebURL: "https://github.example.test", APIURL: "https://github.example.test/api/v3",
		Slug: "assay", ClientID: "client", ExternalID: number(t), PrivateKey: []byte("key"), WebhookSecret: []byte("webhook"),
	}
	a, err := s.CreateApp(context.Background(), a)
	must(t, err)
	return a
}

// Credential creates a model key under its id; the key is not sealed.
func Credential(t testing.TB, s *store.Store, tenant domain.Tenant, c store.Credential) store.Credential {
	t.Helper()
	made, err := s.CreateCredential(context.Background(), tenant, c)
	must(t, err)
	return made
}

// Installation creates an installation of the app and assigns it to the tenant.
func Installation(t testing.TB, s *store.Store, a store.App, tenant domain.Tenant) store.Installation {
	t.Helper()
	ctx := context.Background()
	i, err := s.UpsertInstallation(ctx, store.Installation{AppID: a.ID, ExternalID: number(t), AccountID: number(t),
		AccountLogin: "octo", AccountType: "Organization"})
	must(t, err)
	placed, err := s.PlaceInstallation(ctx, tenant, i.ID)
	must(t, err)
	if !placed {
		t.Fatal("the new installation was not placed")
	}
	i, err = s.Installation(ctx, i.ID)
	must(t, err)
	return i
}

// Repository creates a repository of the installation.
func Repository(t testing.TB, s *store.Store, tenant domain.Tenant, i store.Installation) store.Repository {
	t.Helper()
	v, err := s.UpsertRepository(context.Background(), tenant, store.Repository{Installation: i.ID, ExternalID: number(t),
		Owner: "octo", Name: "repo", DefaultBranch: "main"})
	must(t, err)
	return v
}

// PullRequest creates an open pull request of the repository.
func PullRequest(t testing.TB, s *store.Store, r store.Repository, n int) store.PullRequest {
	t.Helper()
	p, err := s.UpsertPullRequest(context.Background(), domain.Tenant{ID: r.Tenant}, store.PullRequest{
		Repository: r.ID, Number: n, Title: "Change", Author: "mona", HeadSHA: SHA("head"), BaseRef: "main", State: "open", HostUpdatedUS: 1000,
	})
	must(t, err)
	return p
}

// Run creates a queued run of the pull request's head.
func Run(t testing.TB, s *store.Store, p store.PullRequest, trigger string) store.Run {
	t.Helper()
	v, made, err := s.CreateRun(context.Background(), domain.Tenant{ID: p.Tenant}, store.Run{
		Repository: p.Repository, PullRequest: p.ID, Number: p.Number, HeadSHA: p.HeadSHA, BaseRef: p.BaseRef, TriggerKey: trigger,
		TriggerEvent: "pull_request.opened",
	})
	must(t, err)
	if !made {
		t.Fatalf("there is already a run with the trigger %q", trigger)
	}
	return v
}

// Job adds a job and returns it.
func Job(t testing.TB, s *store.Store, kind domain.JobKind, fairKey, subject string) store.Job {
	t.Helper()
	ctx := context.Background()
	_, err := s.Enqueue(ctx, store.NewJob{Kind: kind, FairKey: fairKey, Subject: subject})
	must(t, err)
	jobs, err := s.JobsOf(ctx, subject)
	must(t, err)
	return jobs[len(jobs)-1]
}

// SHA returns 40 hexadecimal digits that depend only on the name.
func SHA(name string) string {
	const digits = "0123456789abcdef"
	out := make([]byte, 40)
	sum := uint64(14695981039346656037) // FNV-1a
	for i := range out {
		sum = (sum ^ uint64(name[i%len(name)])) * 1099511628211
		out[i] = digits[sum>>33&15]
	}
	return string(out)
}

// number returns a random id of a host.
func number(t testing.TB) domain.HostID {
	t.Helper()
	n, err := rand.Int(rand.Reader, big.NewInt(1<<40))
	must(t, err)
	return domain.NumberID(n.Int64() + 1)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
