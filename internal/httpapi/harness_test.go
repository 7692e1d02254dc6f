package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/doctor"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

var bg = context.Background()

// person is a user with a session.
type person struct{ id, token, csrf string }

// world is a service on a real listener, with two tenants of the same shape.
type world struct {
	*featuretest.World
	t       *testing.T
	store   *store.Store
	base    string
	other   storetest.World
	kv      *fakeKV
	rerun   *fakeRerun
	logs    *lockedBuffer
	people  map[string]person
	metrics *telemetry.Metrics
}

// The people of a world.
const (
	anonymous     = "anonymous"
	expired       = "expired session"
	member        = "member"
	admin         = "admin"
	stranger      = "other tenant's admin"
	instanceAdmin = "instance admin"
	mcpToken      = "an admin's MCP token" // without a session
)

// noIssues finds no issues of pull requests.
type noIssues struct{}

func (noIssues) LinkPullRequest(context.Context, domain.Tenant, string, store.Repository, store.PullRequest) (int, error) {
	return 0, nil
}

func newWorld(t *testing.T, s *store.Store, change ...func(*httpapi.Options)) *world {
	t.Helper()
	logs := &lockedBuffer{}
	logger := telemetry.NewLogger(logs, telemetry.LogOptions{Format: "json", Level: slog.LevelDebug})
	made := featuretest.NewWorld(t, s, func(o *featuretest.Options) {
		o.Auth = func(c *auth.Config) { c.Logger = logger }
		o.Trackers, o.Links = &featuretest.Trackers{}, noIssues{}
	})
	w := &world{World: made, t: t, store: s, other: made.Other, kv: &fakeKV{}, logs: logs, people: map[string]person{}}
	w.rerun = &fakeRerun{store: s}
	many := httpapi.Rate{PerSecond: 1e6, Burst: 1e6}
	w.metrics = telemetry.NewMetrics(telemetry.Build{})
	server := httptest.NewUnstartedServer(nil)
	w.base = "http://" + server.Listener.Addr().String()
	takes := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		rw.Header().Set("X-Read", json.Number(string(jsonInt(n))).String())
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(rw, `{"accepted":true,"duplicate":false}`)
	})
	o := httpapi.Options{Store: s, Analysers: []httpapi.ConfiguredAnalyser{{Name: "shellcheck", Program: "shellcheck", Version: "0.9",
		Languages: []string{"Bash"}, Paths: []string{}}}, KV: w.kv, Rerun: w.rerun, Features: features(made.Features), BaseURL: w.base, Edition: "self-hosted", Version: "1.2.3", Commit: "abc", Metrics: w.metrics,
		Webhook: takes, Webhooks: map[string]http.Handler{"host-b": takes, "host-e": takes, "host-f": takes, "tracker-a": takes, "tracker-b": takes, "tracker-c": takes},
		Limits:  httpapi.Limits{Address: many, Person: many, Token: many, Search: many, Start: many, Guess: many, Webhook: many},
		Streams: httpapi.Streams{Longest: 100 * time.Millisecond}, // so that a test which reads every route continues
		Logger:  logger, Examine: func(context.Context) doctor.Report { return doctor.Report{OK: true} }}
	for _, f := range change {
		f(&o)
	}
	if made.Features.OnDemand.Hosts == nil {
		made.Features.OnDemand.Hosts = anyPull{}
	}
	made.Features.MCP.Rerun = w.rerun
	made.Features.Instance.Process.BaseURL = o.BaseURL // as in package app
	h, err := httpapi.New(o)
	must(t, err)
	server.Config.Handler = h
	server.Start()
	t.Cleanup(func() {
		server.Close()
		if t.Failed() {
			t.Log(w.logs.String())
		}
	})
	for name, role := range map[string]domain.Role{member: domain.RoleMember, admin: domain.RoleAdmin, expired: domain.RoleAdmin} {
		w.person(name, false, w.Tenant, role)
	}
	w.role(member, w.Repository, "view")
	w.person(stranger, false, w.other.Tenant, domain.RoleAdmin)
	w.person(instanceAdmin, true, domain.Tenant{}, "")
	return w
}

// anyPull is a host on which every pull request is open, with the known head.
type anyPull struct{ codehost.Host }

func (h anyPull) Reader(context.Context, store.Repository) (codehost.Reader, codehost.Repo, error) {
	return h, codehost.Repo{}, nil
}

func (anyPull) PullRequest(_ context.Context, _ codehost.Repo, n int) (codehost.PullRequest, error) {
	return codehost.PullRequest{Number: n, Title: "Change", Author: "mona", HeadSHA: storetest.SHA("head"), BaseRef: "main", Open: true}, nil
}

func (anyPull) OpenPullRequests(context.Context, codehost.Repo) ([]codehost.PullRequest, error) {
	return nil, nil
}

// features returns the features that the routes use.
func features(f featuretest.Features) httpapi.Features {
	return httpapi.Features{Audit: f.Audit, Auth: f.Auth, Instance: f.Instance, Tenant: f.Tenant, Notify: f.Notify, Tracking: f.Tracking, Assign: f.Assign, Analytics: f.Analytics, DryRun: f.DryRun, Fixes: f.Fixes, Onboarding: f.Onboarding, Approvals: f.Approvals, Suppress: f.Suppress, OnDemand: f.OnDemand, Upload: f.Upload, MCP: f.MCP, Tickets: f.Tickets, CodeIndex: f.CodeIndex}
}

func jsonInt(n int64) []byte { b, _ := json.Marshal(n); return b }

func (w *world) person(name string, instance bool, in domain.Tenant, role domain.Role) {
	w.t.Helper()
	user, err := w.store.CreateUser(bg, name, instance)
	must(w.t, err)
	if role != "" {
		must(w.t, w.store.SetMember(bg, in, user.ID, role, "hand"))
	}
	p := person{id: user.ID, token: secret.NewToken(secret.Session).Reveal(), csrf: rand.Text()}
	life := time.Hour
	if name == expired {
		life = -time.Second
	}
	_, err = w.store.OpenSession(bg, store.NewSession{TokenHash: secret.Hash(p.token), CSRF: p.csrf, User: user.ID, Method: "link", Absolute: life})
	must(w.t, err)
	w.people[name] = p
}

// role sets a person's role on a repository as the code host reports it.
func (w *world) role(who string, r store.Repository, role string) {
	w.t.Helper()
	must(w.t, w.store.SetRepositoryRole(bg, domain.Tenant{ID: r.Tenant}, r.ID, w.people[who].id, role))
}

// reply is the answer to a request.
type reply struct {
	status int
	header http.Header
	body   string
}

// call sends a request as a person's browser. with changes the request.
func (w *world) call(who, method, path, body string, with ...func(*http.Request)) reply {
	w.t.Helper()
	r, err := http.NewRequest(method, w.base+path, strings.NewReader(body))
	must(w.t, err)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if p, ok := w.people[who]; ok {
		r.AddCookie(&http.Cookie{Name: "assay_session", Value: p.token})
		r.Header.Set("X-CSRF-Token", p.csrf)
	}
	r.Header.Set("Origin", w.base)
	for _, f := range with {
		f(r)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(r)
	must(w.t, err)
	defer resp.Body.Close()
	unpacked := io.Reader(resp.Body)
	if resp.Header.Get("Content-Encoding") == "gzip" { // a test that asks for it itself
		unpacked, err = gzip.NewReader(resp.Body)
		must(w.t, err)
	}
	got, err := io.ReadAll(unpacked)
	must(w.t, err)
	out := reply{resp.StatusCode, resp.Header, string(got)}
	described(w.t, method, path, body, out)
	return out
}

// header sets a header of a request; an empty value removes it.
func header(name, value string) func(*http.Request) {
	return func(r *http.Request) {
		if value == "" {
			r.Header.Del(name)
			return
		}
		r.Header.Set(name, value)
	}
}

// problemOf checks that an answer is a problem, and returns its code.
func problemOf(t *testing.T, r reply) (code string) {
	t.Helper()
	var p struct {
		Status              int
		Code, Title, Detail string
	}
	if got := r.header.Get("Content-Type"); got != "application/problem+json" {
		t.Fatalf("Content-Type %q of %d %s", got, r.status, r.body)
	}
	must(t, json.Unmarshal([]byte(r.body), &p))
	if p.Status != r.status || p.Code == "" || p.Title == "" || p.Detail == "" {
		t.Fatalf("problem %s of status %d", r.body, r.status)
	}
	return p.Code
}

func (w *world) into(v any, r reply) {
	w.t.Helper()
	if r.status != http.StatusOK {
		w.t.Fatalf("%d %s", r.status, r.body)
	}
	must(w.t, json.Unmarshal([]byte(r.body), v))
}

// tenantPath returns the path of the world's tenant.
func (w *world) tenantPath() string { return "/api/tenants/" + w.Tenant.ID }

// made posts a body as a person, expects 201, and decodes the answer.
func (w *world) made(v any, who, path, body string) reply {
	w.t.Helper()
	r := w.call(who, http.MethodPost, path, body)
	if r.status != http.StatusCreated || r.header.Get("Location") == "" {
		w.t.Fatalf("POST %s: %d %s, Location %q", path, r.status, r.body, r.header.Get("Location"))
	}
	must(w.t, json.Unmarshal([]byte(r.body), v))
	return r
}

// wrongFields returns the pointers of a 422, in the order of the answer.
func wrongFields(t *testing.T, r reply) (out []string) {
	t.Helper()
	var p struct {
		Errors []struct{ Pointer, Message string }
	}
	if r.status != http.StatusUnprocessableEntity {
		t.Fatalf("%d %s, want 422", r.status, r.body)
	}
	must(t, json.Unmarshal([]byte(r.body), &p))
	for _, e := range p.Errors {
		out = append(out, e.Pointer)
	}
	return out
}

// repo returns the path of the world's repository.
func (w *world) repo() string {
	return "/api/tenants/" + w.Tenant.ID + "/repositories/" + w.Repository.ID
}

// secondRepository creates another repository of the world's tenant.
func (w *world) secondRepository(private bool) store.Repository {
	w.t.Helper()
	r := storetest.Repository(w.t, w.store, w.Tenant, w.Installation)
	r.Private = private
	r, err := w.store.UpsertRepository(bg, w.Tenant, r)
	must(w.t, err)
	return r
}

type fakeKV struct{ down bool }

func (f *fakeKV) Ping(context.Context) error {
	if f.down {
		return errors.New("dial tcp 10.1.2.3:6379: connection refused")
	}
	return nil
}

// fakeRerun creates runs as the review service does, without its jobs.
type fakeRerun struct {
	store *store.Store
	err   error
}

func (f *fakeRerun) Rerun(ctx context.Context, run store.Run, request string, by domain.Asker) (store.Run, error) {
	if f.err != nil {
		return store.Run{}, f.err
	}
	made, _, err := f.store.CreateRun(ctx, domain.Tenant{ID: run.Tenant}, store.Run{Repository: run.Repository, PullRequest: run.PullRequest, Number: run.Number,
		HeadSHA: run.HeadSHA, TriggerKey: "rerun:" + request, TriggerEvent: "rerun", Asker: by})
	return made, err
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
