package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracking"
)

// connectBody is the connection of a first run.
func connectBody(kind, owner string) string {
	return `{"kind":"` + kind + `","baseUrl":"https://git.example.com","owner":"` + owner + `","token":"` + strings.Repeat("Tk7", 6) + `","repositories":"all","registerWebhooks":true}`
}

// A first run without GitHub: it ends whole with a connection, which belongs to the
// first tenant, and goes on in another browser where it was left.
func TestFirstRunWithAConnection(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		f := newFresh(t, s, raw)
		v := f.visitor()
		v.want("before the token", v.send("PUT", "/setup/connection", connectBody("gitea", "acme")), http.StatusUnauthorized)
		v.open()
		v.want("the name", v.send("PUT", "/setup/instance", `{"name":"Acme reviews"}`), http.StatusOK)
		testkit.Equal(t, "a kind that is not built", strings.Join(wrongFields(t, v.send("PUT", "/setup/connection", connectBody("bitbucket-dc", "acme"))), " "), "/kind")

		p := read[instance.Progress](t, v.want("the connection", v.send("PUT", "/setup/connection", connectBody("forgejo", "acme")), http.StatusOK))
		if p.Next != "tenant" || p.App != nil || p.Connection == nil || p.Connection.Host != "Forgejo" || p.Connection.Owner != "acme" || p.Connection.State != "active" {
			t.Fatalf("after the connection: %+v, %+v", p, p.Connection)
		}
		again := f.visitor().open() // the first browser is left behind
		v.want("the browser that was left", v.send("GET", "/setup/codehost/state", ""), http.StatusUnauthorized)
		if q := again.progress(); q.Next != "tenant" || q.Connection == nil || q.Connection.ID != p.Connection.ID {
			t.Errorf("in another browser: %+v", q)
		}
		changed := read[instance.Progress](t, again.want("another owner", again.send("PUT", "/setup/connection", connectBody("gitea", "acme-labs")), http.StatusOK))
		if c := changed.Connection; c.ID != p.Connection.ID || c.Owner != "acme-labs" || c.Kind != "gitea" {
			t.Errorf("what was changed is %+v", c)
		}
		end := read[instance.Finished](t, again.want("the end", again.send("POST", "/setup/finish", `{"tenantName":"Acme","adminName":"Ada"}`), http.StatusCreated))
		if end.SignInLink == "" {
			t.Error("there is no one-time link")
		}
		tenants, err := s.Tenants(bg)
		must(t, err)
		rows, err := s.ProviderConnections(bg, domain.Tenant{ID: end.TenantID}, store.Cursor{}, 10)
		must(t, err)
		if len(tenants) != 1 || tenants[0].ID != end.TenantID || tenants[0].Name != "Acme" || len(rows) != 1 || rows[0].ID != p.Connection.ID {
			t.Errorf("tenants %+v, connections %+v", tenants, rows)
		}
		jobs, err := s.JobsOf(bg, p.Connection.ID)
		must(t, err)
		if len(jobs) == 0 || jobs[0].Kind != domain.KindSync || jobs[0].Tenant != end.TenantID {
			t.Errorf("jobs: %+v", jobs)
		}
		f.isOver()
		list, err := f.instance.Checklist(bg)
		must(t, err)
		for _, i := range list.Items {
			if i.Name == "app" || i.Name == "installation" || strings.Contains(i.Message, "GitHub") || i.Name == "connection" && i.State != "done" {
				t.Errorf("the checklist has %+v", i)
			}
		}
	})
}

// Programs connect with the setup token; many at once make one tenant and one
// connection.
func TestFirstConnectionsAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Both.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		f := newFresh(t, s, raw)
		token := f.token()
		body := strings.Replace(connectBody("gitea", "acme"), "{", `{"setupToken":"`+token+`",`, 1)
		f.visitor().want("a wrong token", f.visitor().send("PUT", "/setup/connection", strings.Replace(body, token, secret.NewToken(secret.Setup).Reveal(), 1)), http.StatusUnauthorized)
		var all sync.WaitGroup
		for range 5 {
			v := f.visitor()
			all.Go(func() {
				if r := v.send("PUT", "/setup/connection", body); r.status != http.StatusOK && r.status != http.StatusConflict && r.status != http.StatusPreconditionFailed {
					t.Errorf("%d %s", r.status, r.body)
				}
			})
		}
		all.Wait()
		tenants, err := s.Tenants(bg)
		must(t, err)
		testkit.Require(t, "tenants", len(tenants), 1)
		rows, err := s.ProviderConnections(bg, domain.Tenant{ID: tenants[0].ID}, store.Cursor{}, 10)
		must(t, err)
		testkit.Equal(t, "connections", len(rows), 1)
	})
}

// The page offers the hosts that are built, says what a host refuses beside its
// field, and what does not answer after it was stored.
func TestSetupPageConnectsAHost(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		f := newFresh(t, s, raw)
		v := f.visitor().open()
		v.want("the name", v.send("PUT", "/setup/instance", `{"name":"Acme reviews"}`), http.StatusOK)
		has := func(what string, r reply, status int, texts ...string) {
			t.Helper()
			v.want(what, r, status)
			for _, text := range texts {
				if !strings.Contains(r.body, text) {
					t.Errorf("%s lacks %s: %s", what, text, r.body)
				}
			}
			if strings.Contains(r.body, "canary") {
				t.Errorf("%s shows the token", what)
			}
		}
		page := v.send("GET", "/setup", "")
		has("the code hosts", page, http.StatusOK, "step 2 of 3", `href="/setup?step=app&amp;host=github" aria-current="true">GitHub`, `host=gitlab">GitLab`, `href="/setup?step=app&amp;host=gitea">Gitea`, `host=forgejo">Forgejo`, "Prepare the app")
		for _, tc := range tracking.Offered() {
			has(tc.Name, v.send("GET", "/setup?step=app&host="+string(tc.Kind), ""), http.StatusOK, `aria-current="true">`+tc.Name, "Connect "+tc.Name, `id="connection-token"`, `name="registerWebhooks" value="1" checked`)
		}
		if strings.Contains(page.body, "bitbucket") {
			t.Error("a host that is not built is offered")
		}
		post := func(fields ...string) reply {
			form := url.Values{"step": {"connection"}, "kind": {"forgejo"}, "baseUrl": {"https://git.example.com/"}, "owner": {"acme"}, "token": {"canary-canary"}}
			for i := 0; i+1 < len(fields); i += 2 {
				form.Set(fields[i], fields[i+1])
			}
			return v.send("POST", "/setup", form.Encode())
		}
		says := func(err error) {
			f.code.Probe = func(context.Context, store.ProviderConnection, secret.Secret) (codehost.Probed, error) {
				return codehost.Probed{Login: "bot"}, err
			}
		}
		has("nothing is entered", post("owner", "", "token", ""), http.StatusUnprocessableEntity, `id="connection-owner-wrong"`, `id="connection-token-wrong"`, `value="https://git.example.com/"`, `aria-current="true">Forgejo`)
		has("bad names", post("repositories", "shop, ../till"), http.StatusUnprocessableEntity, `id="connection-repositories-wrong"`, `value="shop, ../till"`)
		has("a private address", post("baseUrl", "https://10.1.2.3"), http.StatusUnprocessableEntity, `id="connection-baseUrl-wrong"`)
		says(&codehost.Error{Class: codehost.ClassForbidden, Op: "probe", Status: 401, Message: "no <b>canary-canary</b>"})
		has("a refused token", post(), http.StatusUnprocessableEntity, `id="connection-token-wrong"`, "Is refused by the host", "enter the token again", "&lt;b&gt;", `name="registerWebhooks" value="1">`)
		if p := v.progress(); p.Connection != nil {
			t.Errorf("something was stored: %+v", p.Connection)
		}
		says(errors.New("no route to 10.9.9.9"))
		has("a host that is down", post("repositories", "shop till"), http.StatusSeeOther)
		has("the next step", v.send("GET", "/setup", ""), http.StatusOK, "step 3 of 3", "does not work yet", "2 repositories", "does not answer", `href="/setup?step=app">change it`)
		has("back", v.send("GET", "/setup?step=app", ""), http.StatusOK, `aria-current="true">Forgejo`, `value="shop till"`, `value="https://git.example.com"`, "takes its place")
		says(nil)
		has("once more", post("registerWebhooks", "1"), http.StatusSeeOther)
		has("the last step", v.send("GET", "/setup", ""), http.StatusOK, "Forgejo at <bdi>https://git.example.com</bdi> is connected", "every repository")
		has("the end", v.send("POST", "/setup", url.Values{"step": {"tenant"}, "tenantName": {"Acme"}, "adminName": {"Ada"}}.Encode()), http.StatusSeeOther)
		f.isOver()
	})
}
