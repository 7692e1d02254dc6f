package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// token is the body of a token that ends after a time.
func tokenBody(name string, life time.Duration) string {
	return fmt.Sprintf(`{"name":%q,"scopes":["reviews:read"],"expiresAt":%q}`, name, time.Now().Add(life).UTC().Format(time.RFC3339))
}

func (w *world) token(who, name string) tenant.McpTokenMade {
	w.t.Helper()
	var v tenant.McpTokenMade
	w.made(&v, who, w.tenantPath()+"/mcp-tokens", tokenBody(name, time.Hour))
	return v
}

// showing lets the world's tenant be served at /mcp, or not.
func (w *world) showing(on bool) {
	w.t.Helper()
	var v tenant.McpSettings
	w.into(&v, w.call(admin, http.MethodPut, w.tenantPath()+"/mcp-settings", fmt.Sprintf(`{"enabled":%t,"exposedTools":["list_rules"],"allowWrites":false}`, on)))
	testkit.Equal(w.t, "enabled", v.Enabled, on)
}

func bearing(token string) func(*http.Request) { return header("Authorization", "Bearer "+token) }

func TestMCPEndpointWantsAToken(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		made := w.token(member, "Editor")
		ask := func(with ...func(*http.Request)) reply {
			return w.call(anonymous, http.MethodPost, "/mcp", "{}", with...)
		}
		refused := func(what string, got reply, challenge string) {
			t.Helper()
			if got.status != http.StatusUnauthorized || problemOf(t, got) != "unauthenticated" || got.header.Get("WWW-Authenticate") != challenge {
				t.Errorf("%s: %d, WWW-Authenticate %q: %s", what, got.status, got.header.Get("WWW-Authenticate"), got.body)
			}
		}
		invalid := `Bearer error="invalid_token"`
		refused("the tenant shows nothing", ask(bearing(made.Secret)), invalid)
		w.showing(true)
		accepted := ask(bearing(made.Secret))
		testkit.Equal(t, "accepted", accepted.status, http.StatusBadRequest)
		testkit.Equal(t, "in any letter case", ask(header("Authorization", "bEARER "+made.Secret)).status, http.StatusBadRequest)
		refused("nothing", ask(), "Bearer")
		refused("a cookie", w.call(admin, http.MethodPost, "/mcp", "{}"), "Bearer")
		refused("a token as cookie", ask(func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "assay_session", Value: made.Secret}) }), "Bearer")
		refused("another scheme", ask(header("Authorization", "Basic "+made.Secret)), "Bearer")
		refused("two of them", ask(bearing(made.Secret), func(r *http.Request) { r.Header.Add("Authorization", "Bearer "+made.Secret) }), "Bearer")
		refused("a session's token", ask(bearing(w.people[admin].token)), invalid)
		refused("one that never was", ask(bearing(secret.NewToken(secret.MCP).Reveal())), invalid)
		refused("a wrong checksum", ask(bearing(made.Secret[:len(made.Secret)-1]+"!")), invalid)
		refused("in the query", w.call(anonymous, http.MethodPost, "/mcp?access_token="+made.Secret, "{}"), "Bearer")
		testkit.Equal(t, "from another page", ask(bearing(made.Secret), header("Origin", "https://evil.example")).status, http.StatusForbidden)

		for _, path := range []string{"/api/me", w.tenantPath() + "/access", w.tenantPath() + "/mcp-tokens"} {
			testkit.Equal(t, "a token at "+path, w.call(anonymous, http.MethodGet, path, "", bearing(made.Secret)).status, http.StatusUnauthorized)
		}
		for _, method := range []string{http.MethodGet, http.MethodDelete} {
			for name, got := range map[string]reply{"nobody": w.call(anonymous, method, "/mcp", ""), "a token": w.call(anonymous, method, "/mcp", "", bearing(made.Secret))} {
				if got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") != http.MethodPost || problemOf(t, got) != "method_not_allowed" {
					t.Errorf("%s /mcp as %s: %d, Allow %q", method, name, got.status, got.header.Get("Allow"))
				}
			}
		}

		var list httpList[tenant.McpToken]
		shown := w.call(member, http.MethodGet, w.tenantPath()+"/mcp-tokens", "")
		w.into(&list, shown)
		if len(list.Items) != 1 || list.Items[0].LastUsedAt == nil || list.Items[0].Prefix == "" || !strings.HasPrefix(made.Secret, list.Items[0].Prefix) {
			t.Errorf("listed %+v", list.Items)
		}
		if strings.Contains(shown.body+w.logs.String(), made.Secret) {
			t.Error("the token is in a list or the log")
		}
		w.showing(false)
		refused("the tenant shows nothing any more", ask(bearing(made.Secret)), invalid)
		w.showing(true)
		testkit.Equal(t, "removed", w.call(admin, http.MethodDelete, w.tenantPath()+"/members/"+w.people[member].id, "").status, http.StatusNoContent)
		refused("the owner is no member any more", ask(bearing(made.Secret)), invalid)
		var admins httpList[tenant.McpToken]
		w.into(&admins, w.call(admin, http.MethodGet, w.tenantPath()+"/mcp-tokens", ""))
		testkit.Require(t, "tokens that are left", len(admins.Items), 0)
	})
}

func TestTokensAreOnesOwn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.showing(true)
		path := w.tenantPath() + "/mcp-tokens"
		hers, his := w.token(member, "Editor"), w.token(admin, "Editor") // names are a person's own
		testkit.Equal(t, "the name is taken", problemOf(t, w.call(member, http.MethodPost, path, tokenBody("Editor", time.Hour))), "already_exists")
		ids := func(who string) (out []string) {
			var list httpList[tenant.McpToken]
			w.into(&list, w.call(who, http.MethodGet, path, ""))
			for _, v := range list.Items {
				out = append(out, v.ID)
			}
			return out
		}
		if got := ids(member); !slices.Equal(got, []string{hers.ID}) {
			t.Errorf("a member sees %v", got)
		}
		if got := ids(admin); !slices.Equal(got, []string{his.ID, hers.ID}) {
			t.Errorf("an admin sees %v", got)
		}
		testkit.Equal(t, "somebody else's", w.call(member, http.MethodDelete, path+"/"+his.ID, "").status, http.StatusNotFound)
		testkit.Equal(t, "an admin revokes it", w.call(admin, http.MethodDelete, path+"/"+hers.ID, "").status, http.StatusNoContent)
		testkit.Equal(t, "it is revoked", w.call(anonymous, http.MethodPost, "/mcp", "{}", bearing(hers.Secret)).status, http.StatusUnauthorized)
		testkit.Equal(t, "one's own", w.call(admin, http.MethodDelete, path+"/"+his.ID, "").status, http.StatusNoContent)
		testkit.Equal(t, "again", w.call(admin, http.MethodDelete, path+"/"+his.ID, "").status, http.StatusNotFound)
	})
}

func TestTokensRefuseWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	path := w.tenantPath() + "/mcp-tokens"
	good := func(scopes string) string {
		return fmt.Sprintf(`{"name":"t","scopes":%s,"expiresAt":%q}`, scopes, time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
	}
	for name, tc := range map[string]struct {
		body   string
		fields []string
	}{
		"past":             {tokenBody("t", -time.Minute), []string{"/expiresAt"}},
		"in two years":     {tokenBody("t", 2*365*24*time.Hour), []string{"/expiresAt"}},
		"after a year":     {tokenBody("t", 367*24*time.Hour), []string{"/expiresAt"}},
		"no scope":         {good(`[]`), []string{"/scopes"}},
		"no such scope":    {good(`["reviews:read","reviews:write"]`), []string{"/scopes/1"}},
		"scope twice":      {good(`["write","write"]`), []string{"/scopes/1"}},
		"end that is none": {`{"name":"t","scopes":["write"],"expiresAt":"tomorrow"}`, []string{"/expiresAt"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := wrongFields(t, w.call(member, http.MethodPost, path, tc.body)); !slices.Equal(got, tc.fields) {
				t.Errorf("%v, want %v", got, tc.fields)
			}
		})
	}
	var year tenant.McpTokenMade
	w.made(&year, member, path, tokenBody("year", 365*24*time.Hour))
	for i := 1; i < tenant.MaxMCPTokens; i++ {
		w.token(member, fmt.Sprint("t", i))
	}
	testkit.Equal(t, "too many", problemOf(t, w.call(member, http.MethodPost, path, tokenBody("more", time.Hour))), "limit_reached")
	w.token(admin, "somebody else's")
}

func TestMCPSettings(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	path := w.tenantPath() + "/mcp-settings"
	var v tenant.McpSettings
	w.into(&v, w.call(member, http.MethodGet, path, ""))
	if v.Enabled || v.AllowWrites || v.Version != 0 || slices.Contains(v.ExposedTools, "review_diff") {
		t.Errorf("defaults %+v", v)
	}
	testkit.Equal(t, "a member changes it", w.call(member, http.MethodPut, path, `{"enabled":true,"exposedTools":[],"allowWrites":false}`).status, http.StatusForbidden)
	w.into(&v, w.call(admin, http.MethodPut, path, `{"enabled":true,"exposedTools":["review_diff"],"allowWrites":true}`, header("If-Match", `"v0"`)))
	if !v.Enabled || !v.AllowWrites || !slices.Equal(v.ExposedTools, []string{"review_diff"}) || v.Version != 1 {
		t.Errorf("stored %+v", v)
	}
	testkit.Equal(t, "stale", w.call(admin, http.MethodPut, path, `{"enabled":false,"exposedTools":[],"allowWrites":false}`, header("If-Match", `"v0"`)).status, http.StatusPreconditionFailed)
	for body, field := range map[string]string{`["list_rules","run_shell"]`: "/exposedTools/1", `["list_rules","list_rules"]`: "/exposedTools/1"} {
		if got := wrongFields(t, w.call(admin, http.MethodPut, path, `{"enabled":true,"exposedTools":`+body+`,"allowWrites":false}`)); !slices.Equal(got, []string{field}) {
			t.Errorf("%s: %v", body, got)
		}
	}
}
