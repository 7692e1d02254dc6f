// Package trackertest checks that every adapter keeps the promises of the port, against a simulated tracker
// over real HTTP.
package trackertest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/tracker"
	sim "github.com/assay-dev/assay/sim/tracker"
	"github.com/assay-dev/assay/sim/tracker/simapi"
	"github.com/assay-dev/assay/sim/tracker/simclient"
)

// World is a simulated tracker with two projects and the account of the service.
type World struct {
	*simclient.Client
	Dialect simapi.Dialect
	URL     string // address of the tracker
	Me      simapi.Account
	Ann     simapi.Account // another account
	// Project and Other are keys of its two projects.
	Project, Other string
}

// myEmail is the address of our account, which Jira Cloud needs with a token.
const myEmail = "bot@example.com"

// NewWorld starts a simulated tracker that ends with the test.
func NewWorld(t testing.TB, dialect simapi.Dialect, doubts ...simapi.Doubt) *World {
	t.Helper()
	srv, err := sim.New(sim.Options{Dialect: dialect, DataDir: t.TempDir(), Doubts: doubts})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(srv.Handler())
	t.Cleanup(func() {
		web.CloseClientConnections()
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
		web.Close()
	})
	w := &World{Client: simclient.New(web.URL, srv.ControlToken()), Dialect: dialect, URL: web.URL, Project: "PAY", Other: "OPS"}
	if dialect == simapi.AzureBoards {
		w.URL, w.Project, w.Other = web.URL+"/acme", "Pay", "Ops Team"
	}
	srv.SetBaseURL(w.URL)
	ctx := t.Context()
	w.Me = Must(w.NewAccount(ctx, simapi.AccountSpec{Name: "Bot", Email: myEmail}))(t)
	w.Ann = Must(w.NewAccount(ctx, simapi.AccountSpec{Name: "Ann", Email: "ann@example.com"}))(t)
	for _, key := range []string{w.Project, w.Other} {
		NoError(t, w.NewProject(ctx, simapi.ProjectSpec{Key: key, Name: "Project " + key}))
	}
	return w
}

// kinds maps a dialect to its kind of connection.
var kinds = map[simapi.Dialect]domain.ConnectionKind{simapi.Linear: domain.Linear, simapi.JiraCloud: domain.Jira,
	simapi.JiraServer: domain.Jira, simapi.AzureBoards: domain.AzureBoards}

// Config returns the configuration of a connection to the world with the service's account.
func (w *World) Config(t testing.TB) tracker.Config {
	transport := &http.Transport{Proxy: nil}
	t.Cleanup(transport.CloseIdleConnections)
	cfg := tracker.Config{Kind: kinds[w.Dialect], BaseURL: w.URL, Client: &http.Client{Transport: transport},
		Token: func(context.Context) (secret.Secret, error) { return secret.New(w.Me.Token), nil }}
	if w.Dialect == simapi.JiraCloud {
		cfg.Email = myEmail
	}
	return cfg
}

// Make creates an issue, by default in the first project.
func (w *World) Make(t testing.TB, in simapi.IssueSpec) simapi.Issue {
	t.Helper()
	if in.Project == "" {
		in.Project = w.Project
	}
	if in.Title == "" {
		in.Title = "Pay out at night"
	}
	return Must(w.NewIssue(t.Context(), in))(t)
}

// PullRequest is the address of a pull request.
const PullRequest = "https://github.com/octo/demo/pull/7"

// Must returns the value of a call, or ends the test.
func Must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		NoError(t, err)
		return v
	}
}

// NoError ends the test if err is not nil.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// IsClass checks the class of an error, and that it contains no credential.
func IsClass(t testing.TB, err error, want tracker.Class) *tracker.Error {
	t.Helper()
	if tracker.ClassOf(err) != want {
		t.Fatalf("error %v has class %q, want %q", err, tracker.ClassOf(err), want)
	}
	e, _ := err.(*tracker.Error)
	if e == nil {
		t.Fatalf("error %v is a %T", err, err)
	}
	return e
}

// Elsewhere returns the configuration with another address.
func Elsewhere(cfg tracker.Config, address string) tracker.Config {
	u, err := url.Parse(cfg.BaseURL)
	if err != nil {
		return cfg
	}
	cfg.BaseURL = address + u.Path
	return cfg
}
