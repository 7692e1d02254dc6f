package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracking"
	"github.com/assay-dev/assay/sim/bitbucket"
	bucketapi "github.com/assay-dev/assay/sim/bitbucket/simapi"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// An admin links an account that the host shows, and the person confirms it. Only the person can answer, and every
// step has its entry.
func TestHostAccountsInTheInterface(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		sim, err := bitbucket.New(bitbucket.Options{DataDir: t.TempDir(), DataCenter: true})
		must(t, err)
		at := featuretest.Serve(t, sim, "")
		hosts := featuretest.Hosts(t, s, at)
		w := newWorld(t, s, func(o *httpapi.Options) {
			people := auth.New(auth.Config{Store: s, Keyring: hosts.Keyring, Audit: o.Audit, Outbound: hosts.Factory, Hosts: hosts, BaseURL: o.BaseURL, Logger: o.Logger})
			t.Cleanup(func() { must(t, people.Close()) })
			o.Auth = people
		})
		w.Hosts = hosts
		for _, spec := range []simapi.UserSpec{{Login: "mia"}, {Login: "robot"}, {Login: "acme", Type: "Organization", Members: map[string]string{"robot": "admin"}}} {
			_, err = sim.CreateUser(bg, spec)
			must(t, err)
		}
		_, err = sim.CreateRepo(bg, simapi.RepoSpec{Owner: "acme", Name: "one", Files: map[string]string{"a": "a"}, Collaborators: map[string]string{"mia": "write"}})
		must(t, err)
		token, err := sim.NewToken(bg, "robot", bucketapi.TokenSpec{Name: "assay"})
		must(t, err)
		access, repos := w.Connect(domain.BitbucketDataCenter, at, token.Text)
		connection := w.tenantPath() + "/provider-connections/" + access.Connection
		link := w.tenantPath() + "/members/" + w.people[member].id + "/host-accounts"
		mine := "/api/me/tenants/" + w.Tenant.ID + "/host-accounts"

		var found auth.HostAccounts
		w.into(&found, w.call(admin, http.MethodGet, connection+"/accounts?q=mia", ""))
		testkit.Require(t, "accounts", len(found.Items), 1)
		body := `{"accountId":"` + found.Items[0].ID + `","login":"mia"}`
		for name, c := range map[string]struct {
			who, path, body string
			status          int
		}{
			"an unknown account":        {admin, link + "/" + access.Connection, `{"accountId":"999999"}`, http.StatusUnprocessableEntity},
			"an unknown connection":     {admin, link + "/pcn_none", body, http.StatusNotFound},
			"a person who is no member": {admin, w.tenantPath() + "/members/" + w.people[stranger].id + "/host-accounts/" + access.Connection, body, http.StatusNotFound},
			"by a member":               {member, link + "/" + access.Connection, body, http.StatusForbidden},
			"by a stranger":             {stranger, link + "/" + access.Connection, body, http.StatusNotFound},
		} {
			if got := w.call(c.who, http.MethodPut, c.path, c.body); got.status != c.status {
				t.Errorf("%s: %d %s", name, got.status, got.body)
			}
		}
		var made auth.HostAccountLink
		w.into(&made, w.call(admin, http.MethodPut, link+"/"+access.Connection, body))
		testkit.Equal(t, "the link", made.State+" "+made.Account.Login, "proposed mia")
		answer := `{"accountId":"` + found.Items[0].ID + `","mine":true}`
		testkit.Equal(t, "the admin's answer for the person", w.call(admin, http.MethodPost, mine+"/"+access.Connection+"/answer", answer).status, http.StatusNotFound)
		repository := w.tenantPath() + "/repositories/" + repos[0].ID
		testkit.Equal(t, "before the answer", w.call(member, http.MethodGet, repository, "").status, http.StatusNotFound)
		must(t, w.Features.Auth.KeepMembers(bg, w.Tenant, access, repos[0], nil)) // the host is asked at the next act
		w.into(&made, w.call(member, http.MethodPost, mine+"/"+access.Connection+"/answer", answer))
		testkit.Equal(t, "the answer", made.State, "confirmed")
		testkit.Equal(t, "that it counts", made.Counts, true)
		var list auth.HostAccountLinks
		w.into(&list, w.call(member, http.MethodGet, mine, ""))
		testkit.Equal(t, "the person's own", len(list.Items), 1)
		w.into(&list, w.call(admin, http.MethodGet, link, ""))
		testkit.Equal(t, "the member's", len(list.Items), 1)
		var people tracking.ConnectionPeople
		w.into(&people, w.call(admin, http.MethodGet, connection+"/people", ""))
		testkit.Equal(t, "what members without a role may do", people.WithoutHostRole, "none")
		testkit.Equal(t, "unlinked", w.call(admin, http.MethodDelete, link+"/"+access.Connection, "").status, http.StatusNoContent)
		testkit.Equal(t, "unlinked again", w.call(admin, http.MethodDelete, link+"/"+access.Connection, "").status, http.StatusNotFound)

		var log httpList[audit.LogEntry]
		w.into(&log, w.call(admin, http.MethodGet, w.tenantPath()+"/audit", ""))
		var acts []string
		for _, e := range log.Items {
			if e.Result == "ok" && strings.HasPrefix(e.Action, "member.host-account") {
				acts = append(acts, strings.TrimPrefix(e.Action, "member.host-account-"))
			}
		}
		testkit.Equal(t, "entries", strings.Join(acts, " "), "unlink confirm propose")
	})
}
