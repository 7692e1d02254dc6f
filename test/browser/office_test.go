package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/onboarding"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// These are the people of an [office]. Their names say what each may do.
const (
	ada  = "Ada Admin"
	vera = "Vera Viewer"
	ina  = "Ina Instance" // belongs to no tenant
)

// office is a service with people, a tenant with a repository, a new repository that waits for a
// decision, a dead job, and a simulated Forgejo.
type office struct {
	*service
	forge, token string // address of the host, and a token of it
	dead         string // subject of the job
	tenant       string // path of its pages
	world        storetest.World
	trial        string // id of the new repository
	links        map[string]string
}

// ownOffice returns an office that no other test uses, for things without a tenant, and for a service
// that stops.
func ownOffice(t *testing.T) office {
	t.Helper()
	needConsole(t)
	o := newOffice(t)
	o.furnish(t)
	return *o
}

// openOffice returns the office that tests share, with a tenant and people for this test. more adds
// further rows.
func openOffice(t *testing.T, more ...func(context.Context, storetest.World, *office)) office {
	t.Helper()
	needConsole(t)
	o := *theOffice.Get(t, newOffice)
	o.furnish(t, more...)
	return o
}

// newOffice starts an office without people, whose only tenant is that of the job.
func newOffice(t testing.TB) *office {
	t.Helper()
	dir, hostPort := t.TempDir(), testkit.FreePort(t)
	o := &office{forge: fmt.Sprintf("http://127.0.0.1:%d", hostPort), dead: "run_gone"}
	host := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Name: "sim-forgejo", Args: []string{"sim", "gitea", "--forgejo", "--addr", fmt.Sprintf("127.0.0.1:%d", hostPort), "--seed", "demo", "--token-file", dir + "/token"}})
	host.WaitLine(patience, `"ready"`) // the token exists by then
	token, err := os.ReadFile(dir + "/token")
	must(t, err)
	o.token = strings.TrimSpace(string(token))
	giveUp(t, filepath.Join(dir, "assay.db"), o.dead)
	o.service = serve(t, dir, nil, map[string]string{"ASSAY_OUTBOUND_AIR_GAP_ALLOW_HTTP": "true", "ASSAY_OUTBOUND_AIR_GAP_ALLOWED_HOSTS": fmt.Sprintf("127.0.0.1:%d", hostPort)})
	o.process.WaitReady(patience, o.base+"/readyz")
	o.open(t, filepath.Join(dir, "assay.db"))
	return o
}

// giveUp creates a database with a dead job. The service must not run yet, because it would run the
// job.
func giveUp(t testing.TB, path, subject string) {
	t.Helper()
	ctx := context.Background()
	s, err := store.Open(ctx, path, store.Options{})
	must(t, err)
	_, err = s.Migrate(ctx)
	must(t, err)
	tenant := storetest.Tenant(t, s)
	_, err = s.Enqueue(ctx, store.NewJob{Kind: domain.KindReview, FairKey: tenant.ID, Subject: subject, Tenant: tenant.ID})
	must(t, err)
	jobs, err := s.JobsOf(ctx, subject)
	must(t, err)
	claim, err := s.Claim(ctx, jobs[0].ID, "worker", time.Minute)
	must(t, err)
	_, err = s.KillJob(ctx, claim.ID, claim.Gen, "the host was gone")
	must(t, err)
	must(t, s.Close())
}

// furnish creates a tenant and its people.
func (o *office) furnish(t testing.TB, more ...func(context.Context, storetest.World, *office)) {
	t.Helper()
	ctx := context.Background()
	w := storetest.Seed(t, o.store)
	o.world = w
	o.tenant, o.links = o.base+"/t/"+w.Tenant.ID, map[string]string{}
	for name, role := range map[string]domain.Role{ada: domain.RoleAdmin, vera: domain.RoleMember, ina: ""} {
		o.hire(ctx, t, w, name, role, "view")
	}
	o.trial = tryOut(ctx, t, o.store, w)
	for _, f := range more {
		f(ctx, w, o)
	}
}

// hire creates a person who signs in by a link, with a role in the tenant, or none, and one on its
// repository.
func (o *office) hire(ctx context.Context, t testing.TB, w storetest.World, name string, role domain.Role, on string) {
	t.Helper()
	u, err := o.store.CreateUser(ctx, name, name == ina)
	must(t, err)
	if role != "" {
		must(t, o.store.AssignMember(ctx, w.Tenant, u.ID, role))
		must(t, o.store.SetRepositoryRole(ctx, w.Tenant, w.Repository.ID, u.ID, on))
	}
	o.links[name] = o.link(ctx, t, u)
}

// tryOut creates a repository whose trial suggests a setting.
func tryOut(ctx context.Context, t testing.TB, s *store.Store, w storetest.World) string {
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

// as signs in as another person.
func (p *page) as(link string) {
	p.t.Helper()
	p.leave(func() {
		p.do("Network.clearBrowserCookies", nil, nil)
		p.goTo("about:blank")
	})
	p.signIn(link)
}

// button presses the button or menu entry with a text, when no other element covers it.
func (p *page) button(says string) {
	p.t.Helper()
	p.until(atRest + ` && (() => {
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

// dialogs waits until n dialogs are open and at rest.
func (p *page) dialogs(n int) {
	p.t.Helper()
	p.until(fmt.Sprintf("document.querySelectorAll('[role=dialog]').length === %d && [...document.querySelectorAll('[role=dialog]')].every(e => getComputedStyle(e).opacity === '1')", n))
}

// menu returns the pages of the menu and of its sections, each of which it opens.
func (p *page) menu() (pages []string) {
	p.t.Helper()
	sections := 0
	must(p.t, p.run("document.querySelectorAll('nav a.nav-section').length", &sections))
	const shown = "[...document.querySelectorAll('nav a.nav-link')].map(a => a.innerText.trim())"
	must(p.t, p.run(shown, &pages))
	for n := range sections {
		must(p.t, p.run(fmt.Sprintf("document.querySelectorAll('nav a.nav-section')[%d].click()", n), nil))
		p.until(fmt.Sprintf("document.querySelectorAll('nav a.nav-section')[%d].closest('.nav-open') && document.querySelector('.section-menu a')", n))
		var more []string
		must(p.t, p.run(shown, &more))
		pages = append(pages, more...)
	}
	return pages
}

// menuTo presses the link of a page in the menu until ready is there. The link of a page of a section, or of a
// page that shares a line of the menu, is there when that is open.
func (p *page) menuTo(path, ready string) {
	p.t.Helper()
	above, link := "/me", ".menus a[href$='"+path+"']" // the first page of the settings
	switch {
	case slices.Contains([]string{"/inbox", "/runs", "/findings", "/repositories", "/costs"}, path):
		above = path
	case path == "/approvals", path == "/dry-runs":
		above, link = "/runs", ".page-tabs a[href$='"+path+"']"
	case path == "/onboardings":
		above, link = "/repositories", ".page-tabs a[href$='"+path+"']"
	case strings.HasPrefix(path, "/instance/"):
		above = "/instance/health"
	}
	var there bool
	must(p.t, p.run("!!document.querySelector("+quote(link)+")", &there))
	if !there {
		p.press(".menus a[href$='"+above+"']", link)
	}
	p.press(link, ready)
}

// ready waits until the page has loaded everything.
func (p *page) ready() {
	p.t.Helper()
	p.until("document.querySelector('main h1') && !document.querySelector('[aria-busy=true]')")
}
