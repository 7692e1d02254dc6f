package browser

import (
	"context"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
)

// viewer creates a person who only reads the repository, and returns a link that signs the person in.
func (s *service) viewer(t testing.TB, repository string) string {
	t.Helper()
	ctx := context.Background()
	tenants, err := s.store.Tenants(ctx)
	must(t, err)
	tenant := domain.Tenant{ID: tenants[0].ID}
	u, err := s.store.CreateUser(ctx, vera, false)
	must(t, err)
	must(t, s.store.AssignMember(ctx, tenant, u.ID, domain.RoleMember))
	must(t, s.store.SetRepositoryRole(ctx, tenant, repository, u.ID, "view"))
	return s.link(ctx, t, u)
}

// A person asks for a fix at a finding and follows the fix run to its delivery. The list has it beside the refused one, whose page says
// why. A viewer reads the same pages, and the finding says why there is no button.
func TestFixesInABrowser(t *testing.T) {
	t.Parallel()
	d := sharedDemo(t)
	p := newTab(t)
	p.signIn(d.manager(t))
	ids := d.ids(p)
	repository := d.base + "/t/" + ids["tenantId"] + "/repositories/" + ids["repositoryId"]
	var finding string
	must(t, p.run(`fetch("/api/tenants/`+ids["tenantId"]+`/repositories/`+ids["repositoryId"]+`/findings?number=1").then(r => r.json()).then(l => l.items.find(f => f.title.startsWith("The last order")).id)`, &finding))

	p.goTo(repository + "/findings/" + finding)
	p.tap("Fix")
	const delivery = "[role=dialog] select"
	p.until("document.querySelector('" + delivery + "')")
	p.has("the deliveries of the policy", "[...document.querySelector('"+delivery+"').options].map(o => o.value).join() === ',suggestions'")
	p.axe("a request for a fix")
	p.clickOn(named("[role=dialog] button", "Start"))
	p.until("location.pathname.includes('/fix-runs/') && document.querySelector('main [role=status]')?.innerText.includes('completed')")
	p.says("1 of 1 finding")
	p.has("the edit as a diff", "[...document.querySelectorAll('main pre')].some(e => e.innerText.includes('-\t\tend = len(orders) - 1') || e.innerText.includes('- \t\tend = len(orders) - 1'))")
	p.has("the delivery on the host", "[...document.querySelectorAll('main a')].some(a => a.href.startsWith("+quote(d.host)+") && a.href.includes('/pull/1'))")
	p.audit("a fix run")

	p.goTo(repository + "/records/fix-runs")
	p.until("document.querySelectorAll('main tbody tr').length >= 3")
	p.says("The last 30 days.")
	p.has("the reason of a refusal among the figures", "document.querySelector('main dl').innerText.includes('The change alters only comments or white space.')")
	p.axe("fix runs")
	must(t, p.run(`(e => { Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, "value").set.call(e, "failed"); e.dispatchEvent(new Event("change", {bubbles: true})); })(document.querySelector("main select"))`, nil))
	p.until("document.querySelectorAll('main tbody tr').length === 0 && document.querySelector('main .empty, main').innerText.includes('fix')")
	p.goTo(repository + "/fix-runs/" + ids["refusedFixId"])
	p.says("The change alters only comments or white space.")
	p.says("No fix passed the checks")
	p.inspect("a refused fix run")
	p.axe("a refused fix run")
	p.clean(d.base, d.base)

	v := newTab(t)
	v.signIn(d.viewer(t, ids["repositoryId"]))
	v.goTo(repository + "/findings/" + ids["findingId"])
	v.says("A person who manages the repository can ask for a fix.")
	v.has("no button", "!("+named("button", "Fix")+")")
	v.axe("a finding that a viewer reads")
	v.goTo(repository + "/fix-runs/" + ids["fixRunId"])
	v.says("1 of 1 finding")
	v.clean(d.base, d.base)
}

// Failed jobs of the demo: the list has the flaky one, and the page of the other has its cause, evidence and log.
func TestFailedJobsInABrowser(t *testing.T) {
	t.Parallel()
	d := sharedDemo(t)
	p := newTab(t)
	p.signIn(d.manager(t))
	ids := d.ids(p)
	repository := d.base + "/t/" + ids["tenantId"] + "/repositories/" + ids["repositoryId"]
	p.goTo(repository + "/records/ci-analyses")
	p.until("document.querySelectorAll('main tbody tr').length === 2")
	p.until("[...document.querySelectorAll('main tbody tr')].some(r => r.innerText.includes('ci / web') && r.innerText.includes('also passed on this commit'))")
	p.axe("failed jobs")
	p.tap("ci / lint")
	p.until("document.querySelector('main h1').innerText.includes('ci / lint')")
	p.says("golangci-lint refuses the handler of orders")
	p.has("a marked line of the log", "document.querySelector('.job-log-marked')?.innerText.includes('errcheck')")
	p.has("a quotation of the change", "[...document.querySelectorAll('main li')].some(e => e.innerText.includes('internal/order/handler.go'))")
	p.audit("a failed job")
	p.clean(d.base, d.base)
}
