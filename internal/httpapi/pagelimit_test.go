package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Pages and API routes share the same rate limits.
func TestPagesObeyTheLimits(t *testing.T) {
	t.Parallel()
	few := httpapi.Rate{PerSecond: 1e-6, Burst: 2}
	for name, change := range map[string]func(*httpapi.Limits){
		"limit per person":  func(l *httpapi.Limits) { l.Person = few },
		"limit per address": func(l *httpapi.Limits) { l.Address = few },
	} {
		for page, path := range map[string]func(w *world) string{
			"the start page": func(*world) string { return "/" },
		} {
			t.Run(page+", "+name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, storetest.SQLite(t), func(o *httpapi.Options) { change(&o.Limits) })
				at := path(w)
				for range 2 {
					testkit.Require(t, "status", w.call(admin, http.MethodGet, at, "").status, http.StatusOK)
				}
				over := w.call(admin, http.MethodGet, at, "")
				testkit.Equal(t, "status of one too many", over.status, http.StatusTooManyRequests)
				if over.header.Get("Retry-After") == "" || !strings.Contains(over.header.Get("Content-Type"), "text/html") {
					t.Errorf("headers %v", over.header)
				}
				if name == "limit per person" {
					testkit.Equal(t, "another person", w.call(member, http.MethodGet, at, "").status, http.StatusOK)
				}
			})
		}
	}
}

// For a bounded number of tenants that are closed to a session, the answer says how to open them. It also
// says that there are more.
func TestFewClosedTenantsAreAskedFor(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.as("mona by host", member, "")
		for i := range 21 {
			provider := w.providerFor(fmt.Sprint("p", i))
			in, err := s.CreateTenant(bg, fmt.Sprint("T", i))
			must(t, err)
			must(t, s.SetMember(bg, domain.Tenant{ID: in.ID}, w.people[member].id, domain.RoleMember, domain.SourceHand))
			must(t, s.PutSetting(bg, domain.Tenant{ID: in.ID}, "", store.SettingTenant, `{"requiredIdentityProviderId":"`+provider+`"}`))
		}
		got := w.call("mona by host", http.MethodGet, "/api/me/closed-tenants", "")
		testkit.Equal(t, "tenants with a way to open them: "+got.body, strings.Count(got.body, "Sign in with"), 20)
		testkit.Equal(t, "more tenants are reported", strings.Contains(got.body, `"more":true`), true)
		testkit.Equal(t, "tenants in the list", w.tenants("mona by host"), 1)
	})
}
