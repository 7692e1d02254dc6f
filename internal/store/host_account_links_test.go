package store_test

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// linkWorld is a connection to an Azure DevOps, whose ids are texts, with a repository, and two members of the tenant.
type linkWorld struct {
	*testing.T
	s          *store.Store
	tenant     domain.Tenant
	access     store.Access
	repository store.Repository
	ada, ben   string
}

const azureID = "3f0c5b8e-0a1b-4c2d-8e3f-5a6b7c8d9e0f"

func newLinkWorld(t *testing.T, s *store.Store) *linkWorld {
	t.Helper()
	w := &linkWorld{T: t, s: s, tenant: storetest.Tenant(t, s)}
	row := must2(s.CreateProviderConnection(bg, w.tenant, store.ProviderConnection{ID: domain.NewID("pcn"), Kind: string(domain.AzureDevOps), Name: "Azure",
		BaseURL: "https://azure.example/", Owner: "acme", Token: []byte("sealed"), Repositories: "[]", Enabled: true}))(t)
	w.access = must2(s.UpsertConnectionAccess(bg, w.tenant, store.Access{Kind: row.Kind, Connection: row.ID, Host: row.BaseURL, AccountID: "1", AccountLogin: "acme"}))(t)
	_, _, err := s.SyncAccessRepositories(bg, w.tenant, w.access.ID, []store.Repository{{ExternalID: "{8f0c}", Owner: "acme", Name: "api"}})
	testkit.OK(t, err)
	w.repository = must2(s.AccessRepositories(bg, w.tenant, w.access.ID))(t)[0]
	for name, id := range map[string]*string{"Ada": &w.ada, "Ben": &w.ben} {
		*id = must2(s.CreateUser(bg, name, false))(t).ID
		testkit.OK(t, s.SetMember(bg, w.tenant, *id, domain.RoleMember, domain.SourceHand))
	}
	return w
}

func (w *linkWorld) propose(user string, subject domain.HostID) error {
	return w.s.ProposeHostAccount(bg, w.tenant, w.access, store.HostAccountLink{User: user, Subject: subject, Login: "mia\u202e\x00<b>", ProposedBy: w.ben})
}

// A confirmed link makes a person the author of the account's pull requests, in figures, findings and the inbox. A link
// without an answer waits in the inbox, and keeps the person from approvals of the account's pull requests.
func TestLinkedAuthors(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := newLinkWorld(t, s)
		run := storetest.Run(t, s, storetest.PullRequest(t, s, w.repository, 7), "auto")
		raw(`UPDATE pull_requests SET author_id = -5, author_text = $1 WHERE tenant_id = $2`, azureID, w.tenant.ID)
		must2(s.SaveRunFindings(bg, run, []domain.Finding{{Origin: domain.OriginModel, RuleID: "llm/x", Category: domain.CategoryBug, Severity: domain.High, Confidence: .9,
			Title: "Wrong", Explanation: "It is so.", Verdict: domain.VerdictConfirmed, Route: domain.RouteInline, State: domain.FindingOpen, Fingerprints: domain.Fingerprints{Exact: "a.go"}}}))(t)
		for _, m := range []store.RunMove{{From: domain.RunQueued, To: domain.RunRunning}, {From: domain.RunRunning, To: domain.RunAwaitingApproval}} {
			must2(s.MoveRun(bg, w.tenant, run.ID, m))(t)
		}
		out := must2(s.CreateOutput(bg, w.tenant, run.ID, "", `{}`, "d"))(t)
		must2(s.CreateApproval(bg, w.tenant, store.NewApproval{Output: out.ID, Run: run.ID, Repository: w.repository.ID, Digest: "d", For: time.Hour}))(t)
		check := func(what string, authored int64, approvals, questions int64) {
			t.Helper()
			found := must2(s.CountFindings(bg, w.tenant, store.TenantFindingsFilter{State: domain.FindingOpen, AuthoredBy: w.ada}))(t)
			testkit.Equal(t, what+": own findings", found.High, authored)
			var runs int64
			for _, o := range must2(s.RunOutcomes(bg, w.tenant, store.FigureScope{To: time.Now().Add(time.Hour).UnixMicro(), Author: w.ada}))(t) {
				runs += o.Count
			}
			testkit.Equal(t, what+": own runs", runs, authored)
			waits := must2(s.CountWaiting(bg, w.tenant, store.Viewer{User: w.ada, Least: "review"}))(t)
			testkit.Equal(t, what+": approvals", waits[store.WaitsApproval], approvals)
			testkit.Equal(t, what+": questions", waits[store.WaitsHostAccount], questions)
		}
		check("no link", 0, 1, 0)
		testkit.OK(t, w.propose(w.ada, azureID))
		check("no answer", 0, 0, 1)
		rows := must2(s.Waiting(bg, w.tenant, store.Viewer{User: w.ada, Least: "none"}, store.Cursor{}, 10))(t)
		testkit.Require(t, "entries", len(rows), 1)
		testkit.Equal(t, "the entry", rows[0].ID+" "+rows[0].Title+" "+rows[0].Detail, w.access.Connection+" mia\u202e\uFFFD<b> https://azure.example")
		testkit.OK(t, s.AnswerHostAccount(bg, w.tenant, w.access.Connection, w.ada, azureID, store.LinkRefused))
		check("refused", 0, 1, 0)
		testkit.OK(t, w.propose(w.ada, azureID))
		check("asked again", 0, 0, 1)
		testkit.OK(t, s.AnswerHostAccount(bg, w.tenant, w.access.Connection, w.ada, azureID, store.LinkConfirmed))
		check("confirmed", 1, 0, 0)
		must2(s.CreateIdentity(bg, store.Identity{UserID: w.ben, Issuer: w.access.Host, Subject: azureID, Kind: store.IdentityCodeHost}))(t)
		check("another person proved the account", 0, 0, 0)
		testkit.OK(t, s.DismissMember(bg, w.tenant, w.ada))
		check("no longer a member", 0, 1, 0)
	})
}

// A link at a former address of the connection neither counts nor bars the same id at the present address. A link is not
// stored with an account that was read from the former address.
func TestLinksOfAMovedConnection(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := newLinkWorld(t, s)
		testkit.OK(t, w.propose(w.ada, "101"))
		testkit.OK(t, s.AnswerHostAccount(bg, w.tenant, w.access.Connection, w.ada, "101", store.LinkConfirmed))
		raw(`UPDATE provider_connections SET base_url = 'https://other.example' WHERE id = $1`, w.access.Connection)
		former := w.access
		w.access = must2(s.UpsertConnectionAccess(bg, w.tenant, store.Access{Kind: former.Kind, Connection: former.Connection, Host: "https://other.example", AccountID: "1", AccountLogin: "acme"}))(t)
		links := must2(s.HostAccountLinks(bg, w.tenant, w.ada))(t)
		testkit.Equal(t, "links at the present address", len(links), 0)
		waits := must2(s.CountWaiting(bg, w.tenant, store.Viewer{User: w.ada, Least: "none"}))(t)
		testkit.Equal(t, "questions", waits[store.WaitsHostAccount], int64(0))
		testkit.OK(t, w.propose(w.ben, "101"))
		moved := w.access
		moved.Host = former.Host
		for name, a := range map[string]store.Access{"the former access": former, "an access that moved meanwhile": moved} {
			if err := s.ProposeHostAccount(bg, w.tenant, a, store.HostAccountLink{User: w.ada, Subject: "102", Login: "mia", ProposedBy: w.ben}); !errs.Is(err, errs.NotFound) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// The roles that a link gave end with the membership, so that a person who returns has none before a new link.
func TestRolesOfALinkEndWithTheMembership(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLinkWorld(t, s)
		for _, user := range []string{w.ada, w.ben} {
			testkit.OK(t, s.SetRepositoryRole(bg, w.tenant, w.repository.ID, user, "review"))
		}
		testkit.OK(t, w.propose(w.ada, azureID))
		testkit.OK(t, s.AnswerHostAccount(bg, w.tenant, w.access.Connection, w.ada, azureID, store.LinkConfirmed))
		testkit.OK(t, s.DismissMember(bg, w.tenant, w.ada))
		rows := must2(s.RolesOn(bg, w.tenant, w.repository.ID))(t)
		testkit.Require(t, "roles", len(rows), 1)
		testkit.Equal(t, "the role of another member", rows[0].User, w.ben)
	})
}

// Of two admins who link an account at once, one succeeds.
func TestOneAccountForOneMember(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLinkWorld(t, s)
		both := make(chan error, 2)
		for _, user := range []string{w.ada, w.ben} {
			go func() { both <- w.propose(user, azureID) }()
		}
		failed := 0
		for range 2 {
			if err := <-both; errs.Is(err, errs.Conflict) {
				failed++
			} else {
				testkit.OK(t, err)
			}
		}
		testkit.Equal(t, "conflicts", failed, 1)
	})
}
