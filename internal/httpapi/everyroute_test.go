package httpapi_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
)

const inInstance = "/api/instance"

// withoutEntry lists routes that change something and that [TestEveryMutatingRouteWritesItsEntry] does not
// call, with the reason.
var withoutEntry = map[string]string{
	"POST /auth/break-glass": "TestEntriesBesideTheInterface: the link is redeemed before there is a session",
	"POST " + inTenant + "/repositories/{repositoryId}/approvals/{pendingOutputId}/approve": "TestApprovalsAreListed: something must wait",
	"POST " + inTenant + "/repositories/{repositoryId}/approvals/{pendingOutputId}/reject":  "TestDecisionsInTheInterface: something must wait",
	"POST " + inTenant + "/findings/dismissals":                                             "TestDismissalsOfManyFindings: there must be a finding",
	"POST " + inTenant + "/findings/reopenings":                                             "TestDismissalsOfManyFindings: there must be a finding",
	"PUT " + inTenant + "/repositories/{repositoryId}/findings/{findingId}/dismissal":       "TestDismissals: there must be a finding",
	"DELETE " + inTenant + "/repositories/{repositoryId}/findings/{findingId}/dismissal":    "TestDismissals: there must be a finding",
	"POST " + inTenant + "/repositories/{repositoryId}/review-runs/{runId}/fixes":           "TestFixRunsUnderKills of test/e2e: there must be a finding",
	"POST " + inTenant + "/repositories/{repositoryId}/onboarding/accept":                   "TestDecisionsAreRecorded of package onboarding: something must wait",
	"POST " + inTenant + "/repositories/{repositoryId}/onboarding/decline":                  "TestOnboardingsOfTheInterface: something must wait",
	"POST " + inTenant + "/repositories/{repositoryId}/onboarding/retry":                    "TestRetriesAreRecorded of package onboarding: something must have failed",
	"PUT " + inTenant + "/members/{userId}/host-accounts/{connectionId}":                    "TestHostAccountsInTheInterface: a host must answer",
	"DELETE " + inTenant + "/members/{userId}/host-accounts/{connectionId}":                 "TestHostAccountsInTheInterface: there must be a link",
	"POST /api/me/tenants/{tenantId}/host-accounts/{connectionId}/answer":                   "TestHostAccountsInTheInterface: there must be a link",
	"POST /api/me/invitations/accept":                                                       "TestInvitationsInTheInterface: there must be an invitation",
	"POST /sign-out":                                                                        "TestLogout: the form of a page for POST /auth/logout",
	"POST /setup":                                                                           "the form takes the steps of the routes below it",
	"POST /setup/session":                                                                   "TestFirstRunWritesItsEntries: without a signed-in user",
	"PUT /setup/instance":                                                                   "TestFirstRunWritesItsEntries: without a signed-in user",
	"PUT /setup/connection":                                                                 "TestFirstRunWritesItsEntries: without a signed-in user",
	"POST /setup/finish":                                                                    "TestFirstRunWritesItsEntries: without a signed-in user",
	"POST /setup/codehost/register":                                                         "TestFirstRunWritesItsEntries: without a signed-in user",
	"POST /webhooks/codehost":                                                               "a code host sends it: a delivery is not an act of a person",
	"POST /webhooks/host-b/{connectionId}":                                                  "a code host sends it: a delivery is not an act of a person",
	"POST /webhooks/host-g/{connectionId}":                                                  "a code host sends it: a delivery is not an act of a person",
	"POST " + inTenant + "/tracker-connections/{connectionId}/oauth/start":                  "TestTrackerConsent: only connections that sign in by OAuth",
	"POST /webhooks/tracker-a/{connectionId}":                                               "a tracker sends it: a delivery is not an act of a person",
	"POST /webhooks/tracker-b/{connectionId}":                                               "a tracker sends it: a delivery is not an act of a person",
	"POST /webhooks/tracker-c/{connectionId}":                                               "a tracker sends it: a delivery is not an act of a person",
	"DELETE /mcp":                         "answers 405 and changes nothing",
	"POST " + inTenant + "/installations": "answers with the address of the host's page; the installation that comes of it has an entry",
	"POST " + inTenant + "/repositories/{repositoryId}/sast-runs": "takes a token and no session: TestUploadsAreStoredAndSent",
	"POST /mcp": "has a log of its own; what a tool changes has its entry (TestToolsWriteTheirEntries)",
}

// appKey is a private key in the form of a code host's download. It is one key for all tests, because making
// one takes a quarter of a second.
var appKey = sync.OnceValue(func() string {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
})

// keeper reads both logs, because the requests may sign out the others.
const keeper = "keeper"

// TestEveryMutatingRouteWritesItsEntry calls every route that changes something with valid input. Each adds
// an entry to the log of the tenant or the instance, and the entry names the caller. A route that takes a
// version refuses a wrong one.
func TestEveryMutatingRouteWritesItsEntry(t *testing.T) {
	t.Parallel()
	s := storetest.SQLite(t)
	w := newWorld(t, s)
	e, _ := newEstates(w)
	e.prepare(s)
	ops := map[string]operation{}
	_, all := operations(t)
	for _, op := range all {
		ops[op.method+" "+op.path] = op
	}
	routes := httpapi.Routes()
	slices.SortStableFunc(routes, func(a, b httpapi.RouteInfo) int { return auditPhase(ops, a) - auditPhase(ops, b) })
	left, called := maps.Clone(withoutEntry), 0
	for _, rt := range routes {
		name := rt.Method + " " + rt.Path
		reason := left[name]
		delete(left, name)
		if !rt.Implemented || rt.Audited == "no" || reason != "" || rt.Method == http.MethodGet || rt.Method == http.MethodHead {
			continue
		}
		called++
		e.audited(t, rt, ops)
	}
	for name := range left {
		t.Errorf("withoutEntry lists %s, which is not a route", name)
	}
	if called < 60 {
		t.Errorf("only %d routes were called", called)
	}
	for _, log := range []string{inInstance, w.tenantPath()} {
		var r audit.LogReport
		w.into(&r, w.call(keeper, http.MethodGet, log+"/audit/verify", ""))
		if !r.OK || r.Size == 0 {
			t.Errorf("the log of %s afterwards: %+v", log, r)
		}
	}
}

// auditPhase orders routes: creates, creates that refer to others, changes, deletes, the end of the session.
func auditPhase(ops map[string]operation, rt httpapi.RouteInfo) int {
	op := ops[rt.Method+" "+rt.Path]
	switch {
	case rt.Path == "/auth/logout":
		return 5
	case rt.Method == http.MethodDelete && strings.HasPrefix(rt.Path, inInstance): // tenants use these objects
		return 4
	case rt.Method == http.MethodDelete:
		return 3
	case op.answers["201"] == nil && !slices.Contains(upserts, rt.Path):
		return 2
	case refers(op.example):
		return 1
	}
	return 0
}

// prepare creates objects that the API cannot create.
func (e *estate) prepare(s *store.Store) {
	t := e.w.t
	t.Helper()
	e.w.person(keeper, true, e.at.Tenant, domain.RoleAdmin)
	e.w.person("spare", false, e.at.Tenant, domain.RoleMember)
	e.made[inTenant+"/members"], e.made[inInstance+"/users"] = e.w.people["spare"].id, e.w.people["spare"].id
	alert, err := s.AddBudgetAlert(bg, e.at.Tenant, store.BudgetAlert{Period: "2026-11", Threshold: 50, BudgetMicros: 100, SpentMicros: 50, Currency: "USD"})
	must(t, err)
	e.made[inTenant+"/budget-alerts"] = alert.ID
	_, err = s.OpenSession(bg, store.NewSession{TokenHash: secret.Hash(secret.NewToken(secret.Session).Reveal()), CSRF: "csrf", User: e.w.people[admin].id, Method: "link", Absolute: time.Hour})
	must(t, err)
	var sessions httpList[struct {
		ID      string
		Current bool
	}]
	e.w.into(&sessions, e.w.call(admin, http.MethodGet, "/api/me/sessions", ""))
	for _, one := range sessions.Items {
		if !one.Current {
			e.made["/api/me/sessions"] = one.ID
		}
	}
	dry, err := s.CreateDryRun(bg, e.at.Tenant, store.DryRun{Record: store.Record{Repository: e.at.Repository.ID}, Overrides: "{}"}, []int{1})
	must(t, err)
	e.made[inTenant+"/repositories/{repositoryId}/dry-runs"] = dry.ID
	in, err := s.UpsertInstallation(bg, store.Installation{AppID: e.at.App.ID, ExternalID: "4242", AccountID: "9", AccountLogin: "zeta", AccountType: "Organization"})
	must(t, err)
	e.made[inInstance+"/installations"] = in.ID
}

// suppression creates a suppression in a state.
func (e *estate) suppression(state domain.SuppressionState) string {
	e.w.t.Helper()
	v, err := e.w.store.AddSuppression(bg, e.at.Tenant, store.Suppression{Record: store.Record{Repository: e.at.Repository.ID}, Scope: domain.ScopeRule, Matches: "llm/x",
		State: state, Source: domain.SuppressedByDismissal, Paths: "[]", Prints: "[]"})
	must(e.w.t, err)
	return v.ID
}

// proposedRule proposes a rule from the thread of a pull request of its own.
func (e *estate) proposedRule() string {
	e.w.t.Helper()
	pull := storetest.PullRequest(e.w.t, e.w.store, e.at.Repository, 4711)
	v, _, err := e.w.store.ProposeRule(bg, e.at.Tenant, store.RuleProposal{Record: store.Record{Repository: e.at.Repository.ID}, PullRequest: pull.ID,
		Thread: domain.HostID(domain.NewID("t")), Title: "Wrap errors", Instruction: domain.NewID("t"), Languages: "[]"})
	must(e.w.t, err)
	return v.ID
}

// deadJob creates a job that was given up.
func (e *estate) deadJob(subject string) string {
	t := e.w.t
	t.Helper()
	j := storetest.Job(t, e.w.store, domain.KindDelivery, "f", subject)
	c, err := e.w.store.Claim(bg, j.ID, "wrk_1", 1e9)
	must(t, err)
	if dead, err := e.w.store.KillJob(bg, j.ID, c.Gen, "broken"); err != nil || !dead {
		t.Fatal(dead, err)
	}
	return j.ID
}

// newest returns the entries of both logs, newest first.
func (e *estate) newest() map[string][]audit.LogEntry {
	out := map[string][]audit.LogEntry{}
	for _, log := range []string{inInstance, e.w.tenantPath()} {
		var list httpList[audit.LogEntry]
		e.w.into(&list, e.w.call(keeper, http.MethodGet, log+"/audit?limit=20", ""))
		out[log] = list.Items
	}
	return out
}

// audited calls a route and looks for its entry.
func (e *estate) audited(t *testing.T, rt httpapi.RouteInfo, ops map[string]operation) {
	t.Helper()
	name, who, body := rt.Method+" "+rt.Path, e.w.allowed(rt.Permission), ""
	if op, ok := ops[name]; ok {
		body = e.body(op)
	} else if rt.Body != "-" {
		t.Errorf("%s: there is no valid body", name)
		return
	}
	if strings.HasPrefix(rt.Path, inInstance+"/dead-letters/") {
		e.made[inInstance+"/dead-letters"] = e.deadJob(name)
	}
	switch path.Base(rt.Path) {
	case "decision":
		e.made[inTenant+"/repositories/{repositoryId}/suppressions"] = e.suppression(domain.SuppressionProposed)
		e.made[inTenant+"/repositories/{repositoryId}/rules/proposals"] = e.proposedRule()
	case "withdraw":
		e.made[inTenant+"/repositories/{repositoryId}/suppressions"] = e.suppression(domain.SuppressionAccepted)
	}
	before := e.newest()
	if ops[name].versioned {
		if stale := e.w.call(who, rt.Method, e.path(rt.Path), body, header("If-Match", `"v9999"`)); stale.status != http.StatusPreconditionFailed {
			t.Errorf("%s with a version that never existed: %d %s", name, stale.status, stale.body)
		}
	}
	got := e.w.call(who, rt.Method, e.path(rt.Path), body)
	if got.status >= 300 {
		t.Errorf("%s with a good body: %d %s\n%s", name, got.status, got.body, body)
		return
	}
	if got.status == http.StatusCreated || slices.Contains(upserts, rt.Path) {
		var made struct{ ID string }
		must(t, json.Unmarshal([]byte(got.body), &made))
		e.made[rt.Path] = made.ID
	}
	for log, entries := range e.newest() {
		last := int64(-1)
		if old := before[log]; len(old) > 0 {
			last = old[0].Seq
		}
		for _, entry := range entries {
			if entry.Seq > last && entry.Actor != nil && entry.Actor.ID == e.w.people[who].id && entry.Result != audit.Refused && entry.Target != nil && entry.Target.Kind != "" {
				return
			}
		}
	}
	t.Errorf("%s: no entry of the caller in either log: %d %s", name, got.status, got.body)
}
