package httpapi_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
)

// The page shows an error beside its field, on the step where it was entered, with all entered values except
// secrets.
func TestSetupPageSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newFresh(t, s)
		v := f.visitor()
		post := func(step string, fields ...string) string {
			form := url.Values{"step": {step}}
			for i := 0; i+1 < len(fields); i += 2 {
				form.Set(fields[i], fields[i+1])
			}
			return form.Encode()
		}
		check := func(what string, r reply, status int, want ...string) {
			t.Helper()
			if v.want(what, r, status); status != http.StatusOK {
				want = append(want, "<title>Error: Setup", `role="alert"`)
			}
			for _, text := range want {
				if !strings.Contains(r.body, text) {
					t.Errorf("%s lacks %s: %s", what, text, r.body)
				}
			}
			for _, text := range []string{"canary", "query/", "as the description says"} {
				if strings.Contains(r.body, text) {
					t.Errorf("%s holds %q: %s", what, text, r.body)
				}
			}
		}
		if r := v.send("GET", "/", ""); r.status != http.StatusSeeOther || r.header.Get("Location") != "/setup" {
			t.Errorf("the start page before setup: %d %s", r.status, r.header.Get("Location"))
		}
		check("a wrong token", v.send("POST", "/setup", post("token", "token", "canary")), http.StatusUnauthorized, "This token does not work", `id="token-token-wrong"`, `aria-describedby="token-token-hint token-token-wrong"`)
		check("a step without a session", v.send("POST", "/setup", post("instance", "name", "x")), http.StatusUnauthorized, "setup in this browser is over")
		v.want("the token", v.send("POST", "/setup", post("token", "token", f.token())), http.StatusSeeOther)

		check("a wrong address", v.send("POST", "/setup", post("instance", "name", "Reviews & more", "publicBaseUrl", "https://x.example/path")), http.StatusUnprocessableEntity,
			`value="Reviews &amp; more"`, `value="https://x.example/path"`, `id="instance-publicBaseUrl-wrong"`, `href="#instance-publicBaseUrl"`, `aria-invalid="true" autofocus`, "step 1 of 3")
		check("no name", v.send("POST", "/setup", post("instance", "name", " ", "publicBaseUrl", f.base)), http.StatusUnprocessableEntity, `id="instance-name-wrong"`, "Is needed.")
		check("a long name", v.send("POST", "/setup", post("instance", "name", strings.Repeat("é", 101), "publicBaseUrl", f.base)), http.StatusUnprocessableEntity, "Must have at most 100 characters.")
		long := "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
		v.want("the name", v.send("POST", "/setup", post("instance", "name", long, "publicBaseUrl", f.base)), http.StatusSeeOther)

		check("the next step", v.send("GET", "/setup", ""), http.StatusOK, "step 2 of 3", `value="Donaudampfschifffahrtselektrizität"`)
		check("a wrong organisation", v.send("GET", "/setup?step=app&choose=1&name=Mine&public=1&organization=no+good&baseUrl=ftp://x", ""), http.StatusUnprocessableEntity,
			`value="no good"`, `value="ftp://x"`, `value="Mine"`, `id="app-organization-wrong"`, `id="app-baseUrl-wrong"`, `value="1" checked`)
		check("a long name of an app", v.send("GET", "/setup?step=app&choose=1&name="+strings.Repeat("x", 35), ""), http.StatusUnprocessableEntity, "Must have at most 34 characters.")
		check("an invalid app", v.send("POST", "/setup", post("register", "baseUrl", f.sim.URL, "appId", "12x", "privateKey", "canary", "webhookSecret", "canary", "clientId", "Iv1", "clientSecret", "canary")),
			http.StatusUnprocessableEntity, "<details class=\"fields\" open>", `value="12x"`, `value="Iv1"`, `id="register-appId-wrong"`, "Must be a number", "enter key and secrets again")
		check("a wrong key", v.send("POST", "/setup", post("register", "baseUrl", f.sim.URL, "appId", "12", "privateKey", "canary", "webhookSecret", "canary", "clientId", "Iv1", "clientSecret", "canary")),
			http.StatusUnprocessableEntity, `id="register-privateKey-wrong"`)

		// Without an app the last step can be opened, also after an error.
		check("the last step", v.send("GET", "/setup?step=tenant", ""), http.StatusOK, "step 3 of 3", `href="/setup?step=app"`)
		check("no admin", v.send("POST", "/setup", post("tenant", "tenantName", "Acme", "adminName", "")), http.StatusUnprocessableEntity, "step 3 of 3", `value="Acme"`, `id="tenant-adminName-wrong"`)
		check("the first step again", v.send("GET", "/setup?step=instance", ""), http.StatusOK, "step 1 of 3", `value="Donau`)
		check("no step", v.send("POST", "/setup", post("nothing")), http.StatusBadRequest, "names no step")
		v.want("the end", v.send("POST", "/setup", post("tenant", "tenantName", "Acme", "adminName", "Ada")), http.StatusSeeOther)
		f.isOver()
	})
}

// A browser gets a page where a program gets a problem. The pages for all missing objects have the same
// bytes.
func TestRefusalsForPeopleArePages(t *testing.T) {
	t.Parallel()
	f := newFresh(t, storetest.SQLite(t))
	v := f.visitor()
	asBrowser := header("Accept", "text/html,application/xhtml+xml")
	if r := v.send("GET", "/setup/codehost/callback?state=x&code=y", "", asBrowser); r.status != http.StatusUnauthorized || !strings.Contains(r.body, `<a href="/setup">Back to setup</a>`) {
		t.Errorf("a callback without a session: %d %s", r.status, r.body)
	}
	_, err := f.store.CreateUser(bg, "Olga", true)
	must(t, err)
	first := v.want("an unknown path", v.send("GET", "/setup/nothing", "", asBrowser), http.StatusNotFound)
	if !strings.Contains(first.body, "<title>Not found") || !strings.Contains(first.body, `<a href="/">`) {
		t.Errorf("the page: %s", first.body)
	}
	for _, path := range []string{"/setup", "/setup?step=app", "/setup/codehost/callback?state=x&code=y", "/setup/codehost/manifest", "/auth/nothing", "/nothing"} {
		if r := v.send("GET", path, "", asBrowser); r.status != http.StatusNotFound || r.body != first.body {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	if r := v.send("POST", "/setup", "step=token", asBrowser); r.status != http.StatusNotFound || r.body != first.body {
		t.Errorf("the form: %d %s", r.status, r.body)
	}
	for _, path := range []string{"/api/nothing", "/api/me", "/mcp"} {
		if r := v.send("GET", path, "", asBrowser); !strings.HasPrefix(r.header.Get("Content-Type"), "application/problem+json") {
			t.Errorf("%s: %s", path, r.body)
		}
	}
}
