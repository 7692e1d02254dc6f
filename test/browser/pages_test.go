package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// These expressions read the routes of the console (web/src/pages/*/route.ts; docs/console.md describes
// how a page is made).
var (
	routeParent = regexp.MustCompile(`getParentRoute: \(\) => (\w+)Route`)
	routePath   = regexp.MustCompile(`(?m)^  path: "([^"]+)"`)
	routeParam  = regexp.MustCompile(`\$(\w+)`)
)

// above are the beginnings of the paths of routes with a parent.
var above = map[string]string{"root": "", "tenant": "/t/$tenantId", "instance": "/instance"}

// consoleRoutes reads the address of every page of the console, with $names in it.
func consoleRoutes(t *testing.T) (out []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "web", "src", "pages", "*", "route*.ts"))
	must(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, ".test.ts") {
			continue
		}
		raw, err := os.ReadFile(file)
		must(t, err)
		parents, paths := routeParent.FindAllSubmatch(raw, -1), routePath.FindAllSubmatch(raw, -1)
		if len(parents) == 0 || len(parents) != len(paths) {
			t.Fatalf("%s: %d parents and %d paths", file, len(parents), len(paths))
		}
		for i := range parents {
			before, known := above[string(parents[i][1])]
			if !known {
				t.Fatalf("%s: the parent %s is not known here", file, parents[i][1])
			}
			route := strings.TrimSuffix(before+string(paths[i][1]), "/") // "": the start page redirects
			if route != "" {
				out = append(out, route)
			}
		}
	}
	slices.Sort(out)
	return out
}

// ids asks the service for the ids in addresses of pages, when there is a review with a finding: those
// of the first pull request. It starts a dry run if there is none yet. The second pull request has the
// run secondRunId, the fix run fixRunId that was delivered, and refusedFixId that was refused. analysisId is the
// analysis of a failed job of the first one.
func (p *page) ids() (out map[string]string) {
	p.t.Helper()
	testkit.Eventually(p.t, patience, func() (bool, string) {
		err := p.run(`(async () => {
			const tenantId = location.pathname.split("/")[2];
			const get = path => fetch("/api/tenants/" + tenantId + path).then(r => r.json());
			const begin = async (path, body) => {
				const me = await fetch("/api/me").then(r => r.json());
				const headers = {"Content-Type": "application/json", "X-CSRF-Token": me.csrfToken};
				return fetch("/api/tenants/" + tenantId + path, {method: "POST", headers, body: JSON.stringify(body)}).then(r => r.json());
			};
			const out = {tenantId, list: "triage-runs", number: "1"};
			for (const r of (await get("/repositories")).items) {
				const of = async number => (await get("/repositories/" + r.id + "/review-runs?number=" + number)).items.find(run => run.state === "completed");
				const run = await of(1), second = await of(2), finding = (await get("/repositories/" + r.id + "/findings?number=1")).items[0];
				if (run && second && finding) Object.assign(out, {repositoryId: r.id, runId: run.id, secondRunId: second.id, findingId: finding.id});
			}
			if (!out.runId) return out;
			const jobs = (await get("/repositories/" + out.repositoryId + "/ci-analyses?state=completed")).items, fixes = (await get("/repositories/" + out.repositoryId + "/fix-runs?state=completed")).items;
			Object.assign(out, {analysisId: jobs.find(j => j.number === 1)?.id ?? "", fixRunId: fixes.find(f => f.passed > 0)?.id ?? "", refusedFixId: fixes.find(f => f.passed === 0)?.id ?? ""});
			const made = (await get("/repositories/" + out.repositoryId + "/dry-runs")).items[0] ?? await begin("/repositories/" + out.repositoryId + "/dry-runs", {last: 1});
			return Object.assign(out, {dryRunId: made.id});
		})()`, &out)
		lacks := slices.ContainsFunc([]string{"runId", "dryRunId", "analysisId", "fixRunId", "refusedFixId"}, func(id string) bool { return out[id] == "" })
		return err == nil && !lacks, fmt.Sprintf("the demo lacks an object: %v, %v", out, err)
	})
	return out
}

// fillIn puts ids into the address of a page.
func fillIn(t *testing.T, route string, ids map[string]string) string {
	t.Helper()
	return routeParam.ReplaceAllStringFunc(route, func(name string) string {
		id := ids[name[1:]]
		if id == "" {
			t.Fatalf("%s: the test does not know how to find a %s", route, name)
		}
		return id
	})
}

// loaded is true if a page has loaded everything that it shows.
const loaded = "document.querySelector('main h1') && !document.querySelector('main [aria-busy=true]')"

// pagesOfAPart is how many pages one person inspects. The parts are inspected side by side.
const pagesOfAPart = 12

// each opens pages by a function, and inspects them one by one when they have loaded. A different
// person opens each part.
func (s *service) each(t *testing.T, routes []string, open func(p *page, address string), address func(route string) string, look func(p *page, route string)) {
	t.Helper()
	at := map[string]string{}
	for _, route := range routes {
		at[route] = s.base + address(route)
	}
	n := 0
	for part := range slices.Chunk(routes, pagesOfAPart) {
		n++
		t.Run(fmt.Sprint("part ", n), func(t *testing.T) {
			t.Parallel()
			p := newTab(t)
			p.signIn(s.manager(t))
			for _, route := range part {
				t.Log(route)
				open(p, at[route])
				p.until(loaded)
				look(p, route)
			}
			p.clean(s.base, s.base)
		})
	}
}

// Every page of the console, as the person sees it who manages everything: the accessibility checker
// finds nothing, and the browser has no complaints. Some pages are loaded by their address, and all of
// them if [everyLook].
func TestEveryPageOfTheConsole(t *testing.T) {
	t.Parallel()
	d := sharedDemo(t)
	p := newTab(t)
	p.signIn(d.manager(t))
	ids := d.ids(p)
	routes := slices.DeleteFunc(consoleRoutes(t), func(route string) bool {
		return strings.HasSuffix(route, "/onboarding") // the repositories of the demo had no trial: see TestAuditAndNewRepositoriesInABrowser
	})
	open := func(p *page, address string) {
		if p.inspected == 0 || everyLook() {
			p.goTo(address)
			return
		}
		p.move(address)
	}
	d.each(t, routes, open, func(route string) string {
		return fillIn(t, route, ids) + "?repository=" + ids["repositoryId"] // lists of a repository show that one
	}, func(p *page, route string) {
		p.has(route+" is a page", "!document.title.startsWith('Not found') && !document.querySelector('main [role=alert]')")
		p.inspect(route)
		p.axe(route)
	})
}

// tenant returns the id of the tenant whose page is shown.
func (p *page) tenant() (id string) {
	p.t.Helper()
	must(p.t, p.run("location.pathname.split('/')[2]", &id))
	return id
}

// In a new tenant, every list says that it is empty, and no page is blank or fails. The pages are
// opened one from the other, as by links. The accessibility checker inspects every fourth page, because
// they share the component for empty lists, and each if [everyLook].
func TestEveryPageOfAnEmptyTenant(t *testing.T) {
	t.Parallel()
	s := empty(t)
	p := newTab(t)
	p.signIn(s.manager(t))
	ids := map[string]string{"tenantId": p.tenant()}
	routes := slices.DeleteFunc(consoleRoutes(t), func(route string) bool { // except pages of things that do not exist
		return strings.Contains(strings.ReplaceAll(route, "$tenantId", ""), "$")
	})
	s.each(t, routes, (*page).move, func(route string) string { return fillIn(t, route, ids) }, func(p *page, route string) {
		p.has(route+" says that it is empty", "!document.querySelector('main [role=alert]') && document.querySelector('main').innerText.trim().split('\\n').length > 1")
		if slices.Index(routes, route)%4 == 0 || everyLook() {
			p.axe(route)
		}
	})
}
