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

// Pages take from the same buckets as the routes of programs.
func TestPagesObeyTheLimits(t *testing.T) {
	t.Parallel()
	few := httpapi.Rate{PerSecond: 1e-6, Burst: 2}
	for name, change := range map[string]func(*httpapi.Limits){
		"of the person":  func(l *httpapi.Limits) { l.Person = few },
		"of the address": func(l *httpapi.Limits) { l.Address = few },
	} {
		for page, path := range map[string]func(w *world) string{
			"the start page": func(*world) string { return "/" },
			"the run page": func(w *world) string {
				return "/t/" + w.Tenant.ID + "/repositories/" + w.Repository.ID + "/runs/" + w.Run.ID
			},
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
				if name == "of the person" {
					testkit.Equal(t, "somebody else", w.call(member, http.MethodGet, at, "").status, http.StatusOK)
				}
			})
		}
	}
}

// The start page looks at a bounded number of repositories, and says where there
// are more; for who sees all of a tenant it asks once.
func TestStartPageIsBounded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		const more = "more tenants or repositories than this page"
		for i := range 101 {
			r := w.Repository
			r.ExternalID, r.Name = domain.NumberID(1_000_000+int64(i)), fmt.Sprintf("zz-%03d", i)
			r, err := s.SeeRepository(bg, w.Tenant, r)
			must(t, err)
			w.role(member, r, "view")
			if i == 100 {
				storetest.Run(t, s, storetest.PullRequest(t, s, r, 77), "auto")
			}
		}
		if got := w.call(admin, http.MethodGet, "/", ""); !strings.Contains(got.body, "zz-100") || strings.Contains(got.body, more) {
			t.Errorf("the admin's page lacks the newest run, or says that something is left out: %s", got.body)
		}
		if got := w.call(member, http.MethodGet, "/", ""); strings.Contains(got.body, "zz-100") || !strings.Contains(got.body, more) {
			t.Errorf("the member's page does not say that there is more: %s", got.body)
		}
	})
}

// Of the tenants that are closed to a session the start page says of a bounded
// number what opens them, and that there are more.
func TestStartPageAsksForFewClosedTenants(t *testing.T) {
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
		got := w.call("mona by host", http.MethodGet, "/", "")
		testkit.Equal(t, "tenants of which the page says what opens them", strings.Count(got.body, "There is more for you"), 20)
		testkit.Equal(t, "the page says that there are more", strings.Contains(got.body, "more tenants or repositories than this page"), true)
		testkit.Equal(t, "tenants in the list", w.tenants("mona by host"), 1)
	})
}
