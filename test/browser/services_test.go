package browser

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// Tests share these services. A test must not depend on changes of another test.
var (
	theDemo   testkit.Common[*demonstration]
	theOffice testkit.Common[*office]
	theEmpty  testkit.Common[*service]
)

// service is a running service and its database.
type service struct {
	base    string // address
	store   *store.Store
	command testkit.Command
	process *testkit.Process
}

// serve starts a service with a folder for its data. The service trusts this machine as a proxy, so
// that the request limits per address and person count for each profile separately.
func serve(t testing.TB, data string, args []string, env map[string]string) *service {
	t.Helper()
	needConsole(t)
	at := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
	s := &service{base: "http://" + at, command: testkit.Command{Path: testkit.Binary(t), Name: "serve", Args: append([]string{"serve"}, args...), Env: map[string]string{
		"ASSAY_DATA_DIR": data, "ASSAY_LISTEN": at, "ASSAY_METRICS_LISTEN": "off", "ASSAY_TRUSTED_PROXIES": "127.0.0.1/32"}}}
	for k, v := range env {
		s.command.Env[k] = v
	}
	s.process = testkit.Start(t, s.command)
	return s
}

// open opens the database of a service while the service runs.
func (s *service) open(t testing.TB, path string) {
	t.Helper()
	var err error
	s.store, err = store.Open(context.Background(), path, store.Options{Beside: true})
	must(t, err)
	t.Cleanup(func() { _ = s.store.Close() })
}

// manager creates a person who administers the oldest tenant and manages the instance, and returns a
// link that signs the person in.
func (s *service) manager(t testing.TB) string {
	t.Helper()
	ctx := context.Background()
	tenants, err := s.store.Tenants(ctx)
	must(t, err)
	u, err := s.store.CreateUser(ctx, "Demo admin", true)
	must(t, err)
	must(t, s.store.AssignMember(ctx, domain.Tenant{ID: tenants[0].ID}, u.ID, domain.RoleAdmin))
	return s.link(ctx, t, u)
}

// link creates a link that signs a person in once.
func (s *service) link(ctx context.Context, t testing.TB, u store.User) string {
	t.Helper()
	token := secret.NewToken(secret.Link)
	must(t, s.store.CreateSignInLink(ctx, store.NewSignInLink{TokenHash: secret.Hash(token.Reveal()), User: u.ID, Purpose: store.LinkBreakGlass, Life: time.Hour}))
	return s.base + "/auth/break-glass#token=" + token.Reveal()
}

// demonstration is a demo with completed reviews, and one that waits for approval.
type demonstration struct {
	*service
	printed string // one-time link that the demo prints
	host    string // address of the simulated host
	pull    string // page of the pull request whose review waits, at the host
	waits   string // page of that review
	things  testkit.Common[map[string]string]
}

// sharedDemo returns the demo that tests share.
func sharedDemo(t testing.TB) *demonstration {
	t.Helper()
	needConsole(t)
	return theDemo.Get(t, func(t testing.TB) *demonstration { return newDemo(t, t.TempDir()) })
}

// newDemo starts a demo with a folder for its data. Its database is demo/assay.db.
func newDemo(t testing.TB, data string) *demonstration {
	t.Helper()
	d := &demonstration{service: serve(t, data, []string{"--demo"}, nil)}
	d.printed = strings.TrimSpace(d.process.WaitLine(patience, d.base+"/auth/break-glass#token="))
	d.host, _, _ = strings.Cut(strings.TrimSpace(d.process.WaitLine(patience, "/acme/storefront/pull/1 ")), "/acme/")
	d.pull, _, _ = strings.Cut(strings.TrimSpace(d.process.WaitLine(patience, "/acme/payouts/pull/1 ")), " ")
	for _, review := range []string{"reviewed: #1", "reviewed: #2", "reviewed: #3"} {
		d.process.WaitLine(2*patience, review)
	}
	_, d.waits, _ = strings.Cut(d.process.WaitLine(2*patience, "decide at "), "decide at ")
	d.waits = strings.TrimSpace(d.waits)
	d.open(t, filepath.Join(data, "demo", "assay.db"))
	return d
}

// ids returns the ids in addresses of pages, as a page of the demo finds them first.
func (d *demonstration) ids(p *page) map[string]string {
	p.t.Helper()
	return d.things.Get(p.t, func(testing.TB) map[string]string { return p.ids() })
}

// empty returns the shared service with an empty tenant.
func empty(t testing.TB) *service {
	t.Helper()
	needConsole(t)
	return theEmpty.Get(t, newEmpty)
}

// newEmpty starts a service with an empty tenant.
func newEmpty(t testing.TB) *service {
	t.Helper()
	data := t.TempDir()
	s := serve(t, data, nil, map[string]string{"ASSAY_BOOTSTRAP_TENANT": "acme", "ASSAY_BOOTSTRAP_TENANT_NAME": "Acme"})
	s.process.WaitReady(patience, s.base+"/readyz")
	s.open(t, filepath.Join(data, "assay.db"))
	return s
}
