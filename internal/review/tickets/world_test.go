package tickets_test

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/cache/memcache"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/review/tickets"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracker"
)

func TestMain(m *testing.M) { testkit.Main(m) }

var bg = context.Background()

// fake is an issue tracker in memory that records every request.
type fake struct {
	tracker.Tracker

	mu       sync.Mutex
	issues   map[string]tracker.Issue
	linked   map[string][]string // address of a pull request to keys
	projects []tracker.Project
	down     error            // of every request
	hang     bool             // reading an issue waits until its context ends
	stuck    bool             // and so does every other request
	faulty   bool             // the program fails at every request
	others   map[string]*fake // trackers of other connections, by their ids
	asked    []string         // operation and its subject
	comments []written        // the id of a comment is its index, from 1
	links    map[string]tracker.Link
	lost     int  // answers of writes to lose although the writes are applied
	before   int  // answers of writes to lose without applying the writes
	unsure   bool // a comment that is not found may still exist
}

// written is a comment at an issue.
type written struct{ key, text, marker string }

func (f *fake) ask(what string) error {
	f.asked = append(f.asked, what)
	if f.faulty {
		panic("PRIVATE")
	}
	return f.down
}

// Open implements [tickets.Trackers].
func (f *fake) Open(_ context.Context, _ domain.Tenant, c store.TrackerConnection) (tracker.Tracker, error) {
	if o := f.others[c.ID]; o != nil {
		return o, nil
	}
	return f, nil
}

// wait waits until its context ends if the tracker is stuck.
func (f *fake) wait(ctx context.Context) error {
	if !f.stuck {
		return nil
	}
	<-ctx.Done()
	return &tracker.Error{Class: tracker.ClassUnavailable, Cause: ctx.Err()}
}

func (f *fake) Projects(ctx context.Context) ([]tracker.Project, error) {
	if err := f.wait(ctx); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.projects, f.ask("projects")
}

func (f *fake) Issue(ctx context.Context, key string, w tracker.Want) (tracker.Issue, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.ask("issue " + key); err != nil {
		return tracker.Issue{}, err
	}
	if f.hang {
		f.mu.Unlock()
		<-ctx.Done()
		f.mu.Lock()
		return tracker.Issue{}, &tracker.Error{Class: tracker.ClassUnavailable, Cause: ctx.Err()}
	}
	i, ok := f.issues[key]
	if !ok {
		return i, &tracker.Error{Class: tracker.ClassNotFound}
	}
	i.CriteriaKnown = w.CriteriaField != ""
	return i, nil
}

func (f *fake) LinkedTo(ctx context.Context, pull string) ([]string, error) {
	if err := f.wait(ctx); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.linked[pull], f.ask("linked " + pull)
}

// requests returns the recorded requests, sorted, and clears them.
func (f *fake) requests() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := slices.Clone(f.asked)
	f.asked = nil
	slices.Sort(out)
	return strings.Join(out, ", ")
}

const address = "https://code.example/octo/repo/pull/1"

// world is a pull request of a tenant that has a tracker.
type world struct {
	*testing.T
	*tickets.Service
	tenant     domain.Tenant
	repository store.Repository
	pull       store.PullRequest
	connection store.TrackerConnection
	host       *reviewtest.Host
	now        codehost.PullRequest
	tracker    *fake
}

func newWorld(t *testing.T, s *store.Store) *world {
	t.Helper()
	seeded := storetest.Seed(t, s)
	w := &world{T: t, tenant: seeded.Tenant, host: reviewtest.NewHost(), tracker: &fake{issues: map[string]tracker.Issue{}, linked: map[string][]string{}, links: map[string]tracker.Link{}}}
	var err error
	w.repository, err = s.UpsertRepository(bg, w.tenant, store.Repository{Installation: seeded.Installation.ID, ExternalID: "4077", Owner: "octo", Name: "repo", DefaultBranch: "main", Private: true})
	testkit.OK(t, err)
	w.pull = storetest.PullRequest(t, s, w.repository, 1)
	w.connection, err = s.CreateTrackerConnection(bg, w.tenant, store.TrackerConnection{ID: domain.NewID("tcn"), Kind: "jira", Name: "Jira", BaseURL: "https://acme.atlassian.net", AuthKind: "token",
		Projects: `["PAY"]`, Mapping: `{"acceptanceCriteria":{"heading":"Acceptance criteria"},"doneStates":["Shipped"],"linkBack":"comment"}`, Enabled: true})
	testkit.OK(t, err)
	kept, err := memcache.New(memcache.Options{})
	testkit.OK(t, err)
	log := slog.New(slog.DiscardHandler)
	w.Service = tickets.New(tickets.Config{Store: s, Hosts: w.host, Trackers: w.tracker, Authors: &policy.Authors{Cache: kept}, Cache: kept, Audit: audit.New(s, storetest.Keyring(t, s), log),
		Scan: func(text string) string { return strings.ReplaceAll(text, "hunter2", "[secret]") }, Logger: log})
	w.now = codehost.PullRequest{Number: 1, Title: "PAY-1: add the sum", URL: address, Author: "mona", AuthorID: "5", Open: true, HeadRef: "topic", HeadSHA: storetest.SHA("head")}
	w.issue("PAY-1")
	return w
}

// issue creates an issue with criteria.
func (w *world) issue(key string, criteria ...string) tracker.Issue {
	if len(criteria) == 0 {
		criteria = []string{"The sum is shown."}
	}
	i := tracker.Issue{Key: key, ID: "id-" + key, Project: key[:strings.LastIndexByte(key, '-')], URL: "https://acme.atlassian.net/browse/" + key, Type: "Story", State: "Open", Title: "The sum of " + key,
		Description: "We need it.\n\n## Acceptance criteria\n\n- " + strings.Join(criteria, "\n- "), UpdatedAt: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}
	w.tracker.mu.Lock()
	defer w.tracker.mu.Unlock()
	w.tracker.issues = maps.Clone(w.tracker.issues)
	w.tracker.issues[key] = i
	return i
}

// mapping changes the mapping of the connection.
func (w *world) mapping(body string) {
	w.Helper()
	w.connection.Mapping = body
	w.update()
}

func (w *world) update() {
	w.Helper()
	row, err := w.Store.UpdateTrackerConnection(bg, w.tenant, w.connection)
	testkit.OK(w, err)
	w.connection = row
}

func (w *world) change() tickets.Change {
	return tickets.Change{Tenant: w.tenant, Repository: w.repository, PullRequest: w.pull.ID, Host: w.host, Repo: codehost.Repo{Owner: "octo", Name: "repo"}, Now: w.now}
}

func (w *world) read() []domain.Ticket {
	w.Helper()
	got, _ := w.heard()
	return got
}

// heard returns the tickets that were read, and how many trackers were silent.
func (w *world) heard() ([]domain.Ticket, int) {
	w.Helper()
	got, err := w.Read(bg, w.change())
	testkit.OK(w, err)
	return got.Tickets, got.Silent
}

// rows returns the links that apply: key, where it was found, and which data is stored.
func (w *world) rows() string {
	w.Helper()
	rows, err := w.Store.TrackerLinksOf(bg, w.tenant, w.pull.ID)
	testkit.OK(w, err)
	var out []string
	for _, r := range rows {
		s := r.IssueKey + "/" + r.FoundIn
		if r.KeyOnly {
			s += " key"
		}
		if r.Unread != "" {
			s += " unread"
		}
		if r.Title+r.URL+r.State+r.Type != "" {
			s += " read"
		}
		if r.Done {
			s += " done"
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

func keys(list []domain.Ticket) string {
	var out []string
	for _, k := range list {
		out = append(out, k.Key)
	}
	return strings.Join(out, " ")
}
