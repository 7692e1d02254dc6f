package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tracking"
)

// connectBody is the connection of a first run.
var connectBody = `{"kind":"gitea","baseUrl":"https://git.example.com","owner":"acme","token":"` + strings.Repeat("Tk7", 6) + `","repositories":"all","registerWebhooks":true}`

// The page offers the built hosts. It shows a refusal of the host beside its field, and reports hosts that
// stop answering after the connection is stored.
func TestSetupPageConnectsAHost(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newFresh(t, s)
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
		has("an address without an owner", post("owner", ""), http.StatusUnprocessableEntity, `id="connection-owner-wrong"`)
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
		has("back", v.send("GET", "/setup?step=app", ""), http.StatusOK, `aria-current="true">Forgejo`, `value="shop till"`, `value="https://git.example.com"`, "Your input here replaces it")
		says(nil)
		has("the owner in the address", post("baseUrl", "https://git.example.com/shops", "owner", " "), http.StatusSeeOther)
		if p := v.progress(); p.Connection == nil || p.Connection.Owner != "shops" || p.Connection.BaseURL != "https://git.example.com" {
			t.Errorf("the connection is %+v, want the owner shops of git.example.com", p.Connection)
		}
		has("once more", post("registerWebhooks", "1"), http.StatusSeeOther)
		has("the last step", v.send("GET", "/setup", ""), http.StatusOK, "Forgejo at <bdi>https://git.example.com</bdi> is connected", "every repository")
		has("the end", v.send("POST", "/setup", url.Values{"step": {"tenant"}, "tenantName": {"Acme"}, "adminName": {"Ada"}}.Encode()), http.StatusSeeOther)
		f.isOver()
	})
}
