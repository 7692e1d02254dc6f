package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/onboarding"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The people of an [office]: what each may do is in the name.
const (
	ada  = "Ada Admin"
	vera = "Vera Viewer"
	ina  = "Ina Instance" // belongs to no tenant
)

// office is a service that has people, a tenant with a repository, a new repository
// that wants a decision, and a job that was given up; beside it is a simulated Forgejo.
type office struct {
	base, forge, token string // of the service, of the host, and one that the host gives
	tenant             string // path of its pages
	trial              string // id of the new repository
	dead               string // subject of the job
	links              map[string]string
	command            testkit.Command // that starts the service
	service            *testkit.Process
}

// openOffice starts an office; more puts further things into it before.
func openOffice(t *testing.T, more ...func(context.Context, *store.Store, storetest.World, *office)) office {
	t.Helper()
	program(t)
	needConsole(t)
	dir, port, hostPort := t.TempDir(), testkit.FreePort(t), testkit.FreePort(t)
	o := office{base: fmt.Sprintf("http://127.0.0.1:%d", port), forge: fmt.Sprintf("http://127.0.0.1:%d", hostPort), dead: "run_gone", links: map[string]string{}}
	host := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Name: "sim-forgejo", Args: []string{"sim", "gitea", "--forgejo", "--addr", fmt.Sprintf("127.0.0.1:%d", hostPort), "--seed", "demo", "--token-file", dir + "/token"}})
	host.WaitLine(patience, `"ready"`) // the token is written by then
	token, err := os.ReadFile(dir + "/token")
	must(t, err)
	o.token = strings.TrimSpace(string(token))
	o.furnish(t, filepath.Join(dir, "assay.db"), more)
	o.command = testkit.Command{Path: testkit.Binary(t), Name: "serve", Args: []string{"serve"}, Env: map[string]string{
		"ASSAY_DATA_DIR": dir, "ASSAY_LISTEN": fmt.Sprintf("127.0.0.1:%d", port), "ASSAY_METRICS_LISTEN": "off",
		"ASSAY_OUTBOUND_AIR_GAP_ALLOW_HTTP": "true", "ASSAY_OUTBOUND_AIR_GAP_ALLOWED_HOSTS": fmt.Sprintf("127.0.0.1:%d", hostPort)}}
	o.service = testkit.Start(t, o.command)
	o.service.WaitReady(patience, o.base+"/readyz")
	return o
}

// furnish writes what is there before the service starts.
func (o *office) furnish(t *testing.T, path string, more []func(context.Context, *store.Store, storetest.World, *office)) {
	t.Helper()
	ctx := context.Background()
	s, err := store.Open(ctx, path, store.Options{})
	must(t, err)
	_, err = s.Migrate(ctx)
	must(t, err)
	w := storetest.Seed(t, s)
	o.tenant = o.base + "/t/" + w.Tenant.ID
	for name, role := range map[string]domain.Role{ada: domain.RoleAdmin, vera: domain.RoleMember, ina: ""} {
		o.hire(ctx, t, s, w, name, role, "view")
	}
	_, err = s.Enqueue(ctx, store.NewJob{Kind: domain.KindReview, FairKey: w.Tenant.ID, Subject: o.dead, Tenant: w.Tenant.ID})
	must(t, err)
	jobs, err := s.JobsOf(ctx, o.dead)
	must(t, err)
	claim, err := s.Claim(ctx, jobs[0].ID, "worker", time.Minute)
	must(t, err)
	_, err = s.KillJob(ctx, claim.ID, claim.Gen, "the host was gone")
	must(t, err)
	o.trial = tryOut(ctx, t, s, w)
	for _, f := range more {
		f(ctx, s, w, o)
	}
	must(t, s.Close())
}

// hire makes a person who signs in by a link, with a role in the tenant, or none, and one
// on its repository.
func (o *office) hire(ctx context.Context, t *testing.T, s *store.Store, w storetest.World, name string, role domain.Role, on string) {
	t.Helper()
	u, err := s.CreateUser(ctx, name, name == ina)
	must(t, err)
	if role != "" {
		must(t, s.AssignMember(ctx, w.Tenant, u.ID, role))
		must(t, s.SetRepositoryRole(ctx, w.Tenant, w.Repository.ID, u.ID, on))
	}
	token := secret.NewToken(secret.Link)
	must(t, s.CreateSignInLink(ctx, store.NewSignInLink{TokenHash: secret.Hash(token.Reveal()), User: u.ID, Purpose: store.LinkBreakGlass, Life: time.Hour}))
	o.links[name] = o.base + "/auth/break-glass#token=" + token.Reveal()
}

// tryOut makes a repository whose trial suggests a setting.
func tryOut(ctx context.Context, t *testing.T, s *store.Store, w storetest.World) string {
	t.Helper()
	r := storetest.Repository(t, s, w.Tenant, w.Installation)
	must(t, s.SetIntake(ctx, w.Tenant, r.ID, domain.IntakeOnboarding))
	_, err := s.CreateOnboarding(ctx, w.Tenant, r.ID)
	must(t, err)
	made, err := s.Onboarding(ctx, w.Tenant, r.ID)
	must(t, err)
	found := onboarding.OnboardingProposal{Merged: 12, LookedAt: 10, Inline: 9, BySeverity: map[string]int{"low": 7, "high": 2}, CostMicros: new(int64(2_500_000)), CostPerPullMicros: new(int64(250_000)),
		PullsPerWeek: new(8.0), CostPerWeekMicros: new(int64(2_000_000)), MedianLatencyMS: new(int64(41_000)), SlowestLatencyMS: new(int64(97_000)),
		Suggestions: []onboarding.SuggestedSetting{{Setting: "minSeverity", Policy: policy.RepositoryPolicyUpdate{MinSeverity: new("medium")}, Reason: "Seven of nine comments are low."}}}
	for _, m := range []store.OnboardingMove{{From: domain.OnboardingWaiting, To: domain.OnboardingTrying}, {From: domain.OnboardingTrying, To: domain.OnboardingProposed, Proposal: store.JSON(found)}} {
		moved, err := s.MoveOnboarding(ctx, w.Tenant, made.ID, m)
		must(t, err)
		testkit.Equal(t, "moved", moved, true)
	}
	return r.ID
}

// as signs somebody in, in place of who was signed in before.
func (p *page) as(link string) {
	p.t.Helper()
	p.do("Network.clearBrowserCookies", nil, nil)
	p.signIn(link)
}

// button presses the button or entry of a menu that says something, and that nothing covers.
func (p *page) button(says string) {
	p.t.Helper()
	p.until(`(() => {
		document.querySelectorAll("[data-pressed]").forEach(b => b.removeAttribute("data-pressed"));
		const free = b => {
			b.scrollIntoView({block: "center"});
			const r = b.getBoundingClientRect(), top = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2);
			return top && b.contains(top);
		};
		const found = [...document.querySelectorAll("button, [role=menuitem]")].filter(b => (b.getAttribute("aria-label") ?? b.innerText) === ` + quote(says) + ` && !b.disabled).find(free);
		found?.setAttribute("data-pressed", "");
		return found;
	})()`)
	p.click("[data-pressed]")
}

// dialogs waits until so many are open, and have come to rest.
func (p *page) dialogs(n int) {
	p.t.Helper()
	p.until(fmt.Sprintf("document.querySelectorAll('[role=dialog]').length === %d && [...document.querySelectorAll('[role=dialog]')].every(e => getComputedStyle(e).opacity === '1')", n))
}

// menu is what the navigation offers.
func (p *page) menu() (pages []string) {
	p.t.Helper()
	must(p.t, p.run("[...document.querySelectorAll('nav a.nav-link')].map(a => a.innerText.trim())", &pages))
	return pages
}

// ready waits until nothing of the page is on its way.
func (p *page) ready() {
	p.t.Helper()
	p.until("document.querySelector('main h1') && !document.querySelector('[aria-busy=true]')")
}
