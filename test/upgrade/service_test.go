package upgrade

import (
	"bufio"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/app"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/dialect"
	"github.com/assay-dev/assay/internal/telemetry"
)

// instanceKey wraps the data keys of every dump. It protects nothing else.
func instanceKey() secret.Secret { return secret.New(strings.Repeat("upgrade+", 5) + "key" + "=") }

// service is the product on a database: the wiring of a process, with the interface on loopback,
// without rate limits and without workers.
type service struct {
	*app.App
	t    testing.TB
	base string
	db   *dialect.DB // beside the product's own connections
}

// serve opens the product on a database with the newest schema.
func serve(t testing.TB, url string) *service {
	t.Helper()
	c := config.Default()
	c.DataDir, c.DatabaseURL, c.InstanceKey = t.TempDir(), secret.New(url), instanceKey()
	a, err := app.Open(bg, app.Options{Config: c, Version: "dev", Logger: telemetry.NewLogger(t.Output(), telemetry.LogOptions{Format: "text", Level: slog.LevelWarn})}, false)
	must(t, err)
	s := &service{App: a, t: t}
	s.db, err = dialect.OpenBeside(bg, url)
	must(t, err)
	many := httpapi.Rate{PerSecond: 1e6, Burst: 1e6}
	server := httptest.NewUnstartedServer(nil)
	s.base = "http://" + server.Listener.Addr().String()
	server.Config.Handler, err = httpapi.New(httpapi.Options{Store: a.Store, KV: a.Queue, Features: a.Feature, Metrics: a.Metrics, Logger: a.Logger, Webhook: http.NotFoundHandler(),
		BaseURL: s.base, Edition: c.Edition, Version: "dev", Idle: c.Session.Idle, Absolute: c.Session.Absolute,
		Limits: httpapi.Limits{Address: many, Person: many, Start: many, Guess: many, Webhook: many}})
	must(t, err)
	server.Start()
	t.Cleanup(func() {
		server.Close()
		if err := errors.Join(s.db.Close(), a.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// person is a person with a session.
type person struct {
	id, name    string
	token, csrf string
}

// signIn gives a person a session.
func (s *service) signIn(u store.User) person {
	s.t.Helper()
	p := person{id: u.ID, name: u.Name, token: secret.NewToken(secret.Session).Reveal(), csrf: rand.Text()}
	_, err := s.Store.OpenSession(bg, store.NewSession{TokenHash: secret.Hash(p.token), CSRF: p.csrf, User: u.ID, Method: "link", Absolute: time.Hour})
	must(s.t, err)
	return p
}

// instanceAdmin signs an admin of the instance in.
func (s *service) instanceAdmin() person {
	s.t.Helper()
	all, err := s.Store.InstanceAdmins(bg)
	must(s.t, err)
	if len(all) == 0 {
		s.t.Fatal("the instance has no admin")
	}
	return s.signIn(all[0])
}

// admins signs in one admin of each tenant, by tenant: the one of its setup, who created its contents.
func (s *service) admins() map[string]person {
	s.t.Helper()
	tenants, err := s.Store.Tenants(bg)
	must(s.t, err)
	out := map[string]person{}
	for _, tenant := range tenants {
		members, err := s.Store.MembersPage(bg, domain.Tenant{ID: tenant.ID}, "", 200)
		must(s.t, err)
		for _, m := range members {
			why, err := s.Store.Memberships(bg, domain.Tenant{ID: tenant.ID}, m.User.ID)
			must(s.t, err)
			if slices.ContainsFunc(why, func(m store.Membership) bool { return m.Role == domain.RoleAdmin && m.Source == "setup" }) {
				out[tenant.ID] = s.signIn(m.User)
			}
		}
	}
	if len(out) != len(tenants) {
		s.t.Fatalf("%d of %d tenants have an admin", len(out), len(tenants))
	}
	return out
}

// call sends a request to the interface as a person. It sends the cookie under both names, because the
// name depends on the public address.
func (s *service) call(who person, method, path, body string) (status int, answer string) {
	s.t.Helper()
	r, err := http.NewRequest(method, s.base+path, strings.NewReader(body))
	must(s.t, err)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, name := range []string{"assay_session", "__Host-assay_session"} {
		r.AddCookie(&http.Cookie{Name: name, Value: who.token})
	}
	r.Header.Set("X-CSRF-Token", who.csrf)
	resp, err := http.DefaultClient.Do(r)
	must(s.t, err)
	defer resp.Body.Close()
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return resp.StatusCode, firstEvent(s.t, resp.Body)
	}
	got, err := io.ReadAll(resp.Body)
	must(s.t, err)
	return resp.StatusCode, string(got)
}

// firstEvent returns the data of the first event of a stream, which may continue for long.
func firstEvent(t testing.TB, stream io.Reader) string {
	t.Helper()
	lines := bufio.NewScanner(stream)
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			return data
		}
	}
	t.Fatalf("a stream without an event: %v", lines.Err())
	return ""
}
