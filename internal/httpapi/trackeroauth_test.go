package httpapi_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracker"
	"github.com/assay-dev/assay/internal/tracking"
)

func (w *world) tracker(body string) tracking.TrackerConnection {
	w.t.Helper()
	var v tracking.TrackerConnection
	w.made(&v, admin, w.tenantPath()+"/tracker-connections", body)
	return v
}

// A consent is completed once, in the session that began it, if the person may still manage the tenant. The
// verifier matches the challenge that was sent.
func TestTrackerConsent(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		fake := w.Features.Tracking.Issues.(*featuretest.Trackers)
		var codes []string
		var failed error
		fake.Trade = func(code, verifier string) (store.TrackerGrant, error) {
			codes = append(codes, code)
			if len(verifier) != 43 {
				t.Errorf("the verifier has %d characters", len(verifier))
			}
			return store.TrackerGrant{Generation: int64(len(codes)), Access: []byte("sealed"), Endless: true}, failed
		}
		made := w.tracker(`{"kind":"linear","name":"Issues","auth":{"kind":"oauth","clientId":"c","clientSecret":"` + strings.Repeat("Vv2", 9) + `"},"projects":[],"mapping":{"doneStates":[],"linkBack":"none"}}`)
		path := w.tenantPath() + "/tracker-connections/"
		begin := func(who string) string {
			t.Helper()
			var v httpapi.TrackerConsent
			w.into(&v, w.call(who, http.MethodPost, path+made.ID+"/oauth/start", ""))
			at, err := url.Parse(v.URL)
			must(t, err)
			if got := at.Query().Get("redirect_uri"); got != "https://assay.example.com"+tracking.TrackerCallback {
				t.Errorf("it returns to %q", got)
			}
			return at.Query().Get("state")
		}
		back := func(who, query string) reply {
			return w.call(who, http.MethodGet, tracking.TrackerCallback+"?"+query, "")
		}
		state := begin(admin)
		testkit.Equal(t, "another person", back(member, "code=x&state="+state).status, http.StatusBadRequest)
		testkit.Equal(t, "without a session", back("", "code=x&state="+state).status, http.StatusUnauthorized)
		testkit.Equal(t, "another state", back(admin, "code=x&state=s").status, http.StatusBadRequest)
		testkit.Equal(t, "two codes", back(admin, "code=x&code=y&state="+state).status, http.StatusBadRequest)
		got := back(admin, "code=x&state="+state)
		if got.status != http.StatusSeeOther || got.header.Get("Location") != "/t/"+w.Tenant.ID+"/connections" || got.header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("it ends with %d %v", got.status, got.header)
		}
		testkit.Equal(t, "again", back(admin, "code=x&state="+state).status, http.StatusBadRequest)
		testkit.Equal(t, "codes", strings.Join(codes, " "), "x")
		row, err := s.TrackerConnection(bg, w.Tenant, made.ID)
		must(t, err)
		testkit.Equal(t, "state", row.State, domain.ConnectionActive)

		testkit.Equal(t, "refused there", back(admin, "error=access_denied&state="+begin(admin)).status, http.StatusBadRequest)
		testkit.Equal(t, "without a code", back(admin, "state="+begin(admin)).status, http.StatusBadRequest)
		testkit.Equal(t, "codes after refusals", len(codes), 1)
		failed = &tracker.Error{Class: tracker.ClassForbidden, Op: "exchange code", Status: 400, Message: "invalid_grant"}
		testkit.Equal(t, "an invalid code", back(admin, "code=y&state="+begin(admin)).status, http.StatusConflict)
		failed = &tracker.Error{Class: tracker.ClassUnavailable, Op: "exchange code"}
		testkit.Equal(t, "a tracker that is down", back(admin, "code=z&state="+begin(admin)).status, http.StatusServiceUnavailable)

		state = begin(admin)
		must(t, s.SetMember(bg, w.Tenant, w.people[admin].id, domain.RoleMember, "hand"))
		testkit.Equal(t, "a person who may no longer manage", back(admin, "code=a&state="+state).status, http.StatusForbidden)
		must(t, s.SetMember(bg, w.Tenant, w.people[admin].id, domain.RoleAdmin, "hand"))

		byToken := w.tracker(`{"kind":"linear","name":"By token","auth":{"kind":"token","token":"` + strings.Repeat("Kk8", 9) + `"},"projects":[],"mapping":{"doneStates":[],"linkBack":"none"}}`)
		testkit.Equal(t, "by a token", wrongFields(t, w.call(admin, http.MethodPost, path+byToken.ID+"/oauth/start", ""))[0], "/auth/kind")
		if _, err := w.Features.Auth.ResumeFor(bg, store.StateTracker, begin(admin), ""); err == nil {
			t.Error("a state is resumed without a session")
		}
	})
}
