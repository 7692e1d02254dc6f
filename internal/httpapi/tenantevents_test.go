package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// versions opens the event stream of the world's tenant and returns its versions as they arrive. The channel is
// closed at the end of the stream.
func (w *world) versions(who string) (<-chan string, int) {
	w.t.Helper()
	f, status := w.openStream(who, "/api/tenants/"+w.Tenant.ID+"/events")
	out := make(chan string, 100)
	if status != http.StatusOK {
		close(out)
		return out, status
	}
	go func() {
		defer close(out)
		for e, over := f.next(); !over; e, over = f.next() {
			var got httpapi.TenantEvent
			if e.event == "change" && json.Unmarshal(e.data, &got) == nil {
				out <- got.Version
			}
		}
	}()
	return out, status
}

// next returns the next version, or "" if none arrives in time.
func next(versions <-chan string, within time.Duration) string {
	select {
	case v := <-versions:
		return v
	case <-time.After(within):
		return ""
	}
}

// A member is told that runs and events of the tenant have changed, and hears nothing about another tenant.
func TestFollowingATenant(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, lively)
		other := storetest.Seed(t, s)
		versions, status := w.versions(member)
		testkit.Require(t, "status", status, http.StatusOK)
		last := next(versions, patience)
		changed := func(what string) {
			t.Helper()
			if v := next(versions, patience); v == "" || v == last {
				t.Fatalf("after %s: version %q, before %q", what, v, last)
			} else {
				last = v
			}
		}
		w.move(domain.RunQueued, domain.RunRunning)
		changed("a move of a run")
		must(t, s.AddEvent(bg, w.Tenant, domain.EventFindingDecided, "fnd_1", "{}"))
		changed("an event")
		storetest.Run(t, s, w.Pull, "more")
		changed("a new run")
		w.invite(admin, w.tenantPath(), "member")
		changed("an act of a person")
		storetest.Repository(t, s, w.Tenant, w.Installation)
		changed("a new repository")
		must(t, s.AddEvent(bg, other.Tenant, domain.EventFindingDecided, "fnd_1", "{}"))
		storetest.Run(t, s, other.Pull, "theirs")
		testkit.Equal(t, "version after changes of another tenant", next(versions, 200*time.Millisecond), "")
	})
}

// The stream of a tenant is for its members alone, and ends with the membership.
func TestWhoMayFollowATenant(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), lively, func(o *httpapi.Options) { o.Streams.Check = 10 * time.Millisecond })
	_, status := w.versions(stranger)
	testkit.Equal(t, "another tenant", status, http.StatusNotFound)
	_, status = w.versions(anonymous)
	testkit.Equal(t, "anonymous", status, http.StatusUnauthorized)
	testkit.Equal(t, "unknown parameter", w.call(member, http.MethodGet, "/api/tenants/"+w.Tenant.ID+"/events?since=1", "").status,
		http.StatusUnprocessableEntity)
	versions, _ := w.versions(member)
	testkit.Equal(t, "a first version", next(versions, patience) != "", true)
	must(t, w.store.DismissMember(bg, w.Tenant, w.people[member].id))
	testkit.Equal(t, "a version without the membership", next(versions, patience), "")
}

// The page of the console has the version of the stream, so that the console sees whether something has changed since the page
// was made: at an address of the tenant, and at the start page of a person with one tenant.
func TestTheConsoleHasTheVersionOfTheStream(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, lively, withConsole)
		onPage := func(path string) string {
			t.Helper()
			_, rest, _ := strings.Cut(w.call(member, http.MethodGet, path, "").body, `<meta name="assay-version" content="`)
			version, _, _ := strings.Cut(rest, `"`)
			return version
		}
		inbox, start := onPage("/t/"+w.Tenant.ID+"/inbox"), onPage("/")
		versions, _ := w.versions(member)
		first := next(versions, patience)
		testkit.Equal(t, "version of the page", inbox, first)
		testkit.Equal(t, "version of the start page", start, first)
		must(t, s.AddEvent(bg, w.Tenant, domain.EventFindingDecided, "fnd_1", "{}"))
		second := next(versions, patience)
		testkit.Equal(t, "the next version differs from that of the page", second != "" && second != inbox, true)
		testkit.Equal(t, "version of a page after the change", onPage("/t/"+w.Tenant.ID+"/inbox"), second)
	})
}
