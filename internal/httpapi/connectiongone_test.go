package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/sim/gitea/simapi"
)

// What a connection gave ends with it, with the right to use the identity provider,
// and with the last repository; and what nobody needs is not kept.
func TestMembershipEndsWithTheConnection(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, at string) {
		h := newForgeWorld(t, s, storetest.Beside(t, at))
		h.sync()
		h.signIn("rita")
		h.signIn("olga")
		hostMade := func() int {
			return strings.Count(strings.Join(storetest.Dump(t, at)["memberships"], "\n"), h.access.ID)
		}
		provider := func(body string) {
			t.Helper()
			h.want("the provider with "+body, h.call(instanceAdmin, "PATCH", "/api/instance/identity-providers/"+h.provider, body), http.StatusOK)
		}
		if n := hostMade(); n != 2 {
			t.Fatalf("%d memberships, want 2", n)
		}
		must(t, h.auth.SweepLapsed(bg))
		h.expect("rita", "member view none")

		provider(`{"hostUserId":null}`)
		must(t, h.auth.SweepLapsed(bg))
		h.expect("rita", "404")
		provider(`{"hostUserId":{"host":"` + h.simURL + `"}}`)
		h.sync()
		h.expect("rita", "member view none")

		must(t, h.sim.ChangeRepo(bg, "acme/one", simapi.RepoChange{Delete: true}))
		_, _, err := s.SyncAccessRepositories(bg, h.Tenant, h.access.ID, []store.Repository{{ExternalID: h.two.ExternalID, Owner: h.two.Owner, Name: h.two.Name}})
		must(t, err)
		must(t, h.auth.SweepLapsed(bg))
		h.expect("rita", "404")
		h.expect("olga", "admin manage manage")
		if kept := strings.Join(storetest.Dump(t, at)["host_members"], "\n"); strings.Contains(kept, h.one.ID) || !strings.Contains(kept, h.two.ID) {
			t.Errorf("kept of people: %s", kept)
		}

		must(t, s.DeleteProviderConnection(bg, h.Tenant, h.access.Connection))
		h.expect("olga", "404") // at once
		must(t, h.auth.SweepLapsed(bg))
		if kept := storetest.Dump(t, at)["host_members"]; hostMade() != 0 || len(kept) != 0 {
			t.Errorf("left are %d memberships, and of people %v", hostMade(), kept)
		}
	})
}

// A connection that was disabled is not asked. What it gave counts for a day, and
// is then as if it were not there, until the host confirms it again.
func TestDisabledConnection(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newForgeWorld(t, s, raw)
		h.sync()
		h.signIn("mia")
		run := storetest.Run(t, s, storetest.PullRequest(t, s, h.one, 7), "auto")
		path := h.tenantPath() + "/repositories/" + h.one.ID + "/review-runs"
		raw(`UPDATE provider_connections SET enabled = $1`, false)
		h.want("an act", h.call("mia", "POST", path+"/"+run.ID+"/rerun", ""), http.StatusForbidden, "connection_disabled")
		h.want("a view", h.call("mia", "GET", path, ""), http.StatusOK)
		h.old(2 * time.Hour)
		h.want("a view later", h.call("mia", "GET", path, ""), http.StatusForbidden, "connection_disabled")
		h.old(25 * time.Hour)
		h.expect("mia", "404")
		raw(`UPDATE provider_connections SET enabled = $1`, true)
		h.want("enabled, and not asked yet", h.call("mia", "GET", path, ""), http.StatusServiceUnavailable)
		h.sync()
		h.expect("mia", "member review none")
	})
}

// What a connection gave is no concern of another host that is asked about the person.
func TestConnectionBesideAnInstallation(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newHostWorld(t, s, raw)
		row, err := s.CreateProviderConnection(bg, h.Tenant, store.ProviderConnection{ID: domain.NewID("pcn"), Kind: string(domain.Gitea), Name: "Forge", BaseURL: "https://git.example.com", Owner: "octo", Token: []byte("sealed"), Repositories: "[]", Enabled: true})
		must(t, err)
		a, err := s.UpsertConnectionAccess(bg, h.Tenant, store.Access{Kind: row.Kind, Connection: row.ID, Host: row.BaseURL, AccountID: "1", AccountLogin: "octo"})
		must(t, err)
		h.signIn("nobody")
		must(t, s.GrantMember(bg, h.Tenant, store.Membership{User: h.people["nobody"].id, Role: domain.RoleMember, Source: domain.SourceHost, SourceID: a.ID}))
		h.signIn("nobody") // asks GitHub
		h.expect("nobody", "member none none")
		must(t, s.DeleteProviderConnection(bg, h.Tenant, row.ID))
		h.expect("nobody", "404")
		h.signIn("nobody")
		if mine, err := s.MembershipsOf(bg, h.people["nobody"].id); err != nil || len(mine) != 0 {
			t.Errorf("%+v, %v", mine, err)
		}
	})
}
