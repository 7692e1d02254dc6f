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

// tokenBody returns the body of a token with a limited life.
func tokenBody(name string, life time.Duration) string {
	return fmt.Sprintf(`{"name":%q,"scopes":["reviews:read"],"expiresAt":%q}`, name, time.Now().Add(life).UTC().Format(time.RFC3339))
}

func (w *world) token(who, name string) tenant.McpTokenMade {
	w.t.Helper()
	var v tenant.McpTokenMade
	w.made(&v, who, w.tenantPath()+"/mcp-tokens", tokenBody(name, time.Hour))
	return v
}

// showing turns the world's tenant on or off at /mcp.
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
		refused("the tenant does not serve /mcp", ask(bearing(made.Secret)), invalid)
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
		refused("an unknown one", ask(bearing(secret.NewToken(secret.MCP).Reveal())), invalid)
		refused("in the query", w.call(anonymous, http.MethodPost, "/mcp?access_token="+made.Secret, "{}"), "Bearer")
		testkit.Equal(t, "from another page", ask(bearing(made.Secret), header("Origin", "https://evil.example")).status, http.StatusForbidden)

		for _, path := range []string{"/api/me", w.tenantPath() + "/access", w.tenantPath() + "/mcp-tokens"} {
			testkit.Equal(t, "a token at "+path, w.call(anonymous, http.MethodGet, path, "", bearing(made.Secret)).status, http.StatusUnauthorized)
		}
		for _, method := range []string{http.MethodGet, http.MethodDelete} {
			for name, got := range map[string]reply{"anonymous": w.call(anonymous, method, "/mcp", ""), "a token": w.call(anonymous, method, "/mcp", "", bearing(made.Secret))} {
				if got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") != http.MethodPost || problemOf(t, got) != "method_not_allowed" {
					t.Errorf("%s /mcp as %s: %d, Allow %q", method, name, got.status, got.header.Get("Allow"))
				}
			}
		}

		if strings.Contains(w.logs.String(), made.Secret) {
			t.Error("the token is in the log")
		}
	})
}

// A member sees and revokes only the member's own tokens, and an admin those of all.
func TestTokensAreOnesOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	path := w.tenantPath() + "/mcp-tokens"
	hers, his := w.token(member, "Editor"), w.token(admin, "Editor")
	for who, want := range map[string][]string{member: {hers.ID}, admin: {his.ID, hers.ID}} {
		var list httpList[tenant.McpToken]
		w.into(&list, w.call(who, http.MethodGet, path, ""))
		got := make([]string, len(list.Items))
		for i, v := range list.Items {
			got[i] = v.ID
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s sees %v, want %v", who, got, want)
		}
	}
	testkit.Equal(t, "another person's", w.call(member, http.MethodDelete, path+"/"+his.ID, "").status, http.StatusNotFound)
	testkit.Equal(t, "an admin revokes it", w.call(admin, http.MethodDelete, path+"/"+hers.ID, "").status, http.StatusNoContent)
}
