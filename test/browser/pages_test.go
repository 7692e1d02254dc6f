package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// Where a route says what it is (web/src/pages/*/route.ts; docs/console.md says how a page is made).
var (
	routeParent = regexp.MustCompile(`getParentRoute: \(\) => (\w+)Route`)
	routePath   = regexp.MustCompile(`(?m)^  path: "([^"]+)"`)
	routeParam  = regexp.MustCompile(`\$(\w+)`)
)

// above is what stands before the paths of routes with a parent.
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
			if route := strings.TrimSuffix(before+string(paths[i][1]), "/"); route != "" { // the start page leads on
				out = append(out, route)
			}
		}
	}
	slices.Sort(out)
	return out
}

// ids asks the service for one of each thing that addresses of pages name, once there is a
// review with a finding. Where there is no dry run, it begins one.
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
			const out = {tenantId, list: "triage-runs"};
			for (const r of (await get("/repositories")).items) {
				const run = (await get("/repositories/" + r.id + "/review-runs")).items.find(run => run.state === "completed");
				const finding = (await get("/repositories/" + r.id + "/findings")).items[0];
				if (run && finding) Object.assign(out, {repositoryId: r.id, runId: run.id, findingId: finding.id});
			}
			if (!out.runId) return out;
			const made = (await get("/repositories/" + out.repositoryId + "/dry-runs")).items[0] ?? await begin("/repositories/" + out.repositoryId + "/dry-runs", {last: 1});
			return Object.assign(out, {dryRunId: made.id});
		})()`, &out)
		return err == nil && out["runId"] != "" && out["dryRunId"] != "", fmt.Sprintf("no review with a finding, or no dry run: %v", err)
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

// loaded is true of a page that has asked for everything that it shows.
const loaded = "document.querySelector('main h1') && !document.querySelector('main [aria-busy=true]')"

// pagesOfABrowser is how many pages one browser looks at: its life is bounded.
const pagesOfABrowser = 6

// each opens pages in browsers in which the person of this page is signed in, and looks at
// them one by one when they have loaded.
func (p *page) each(base string, routes []string, address func(route string) string, look func(p *page, route string)) {
	p.t.Helper()
	var kept struct{ Cookies []json.RawMessage }
	p.do("Network.getCookies", nil, &kept)
	for part := range slices.Chunk(routes, pagesOfABrowser) {
		q := launch(p.t).tab()
		q.do("Network.setCookies", map[string]any{"cookies": kept.Cookies}, nil)
		for _, route := range part {
			p.t.Log(route)
			q.goTo(base + address(route))
			q.until(loaded)
			look(q, route)
		}
		q.clean(base, base)
	}
}

// Every page of the console, as somebody meets it who manages all of it: the checker of
// accessibility finds nothing, the browser has nothing to say against it.
func TestEveryPageOfTheConsole(t *testing.T) {
	t.Parallel()
	base, link, _, _ := demoIn(t)
	p := launch(t).tab()
	p.signIn(link)
	p.until("document.querySelector('figure svg')")
	ids := p.ids()
	routes := slices.DeleteFunc(consoleRoutes(t), func(route string) bool {
		return strings.HasSuffix(route, "/onboarding") // the repositories of the demo had no trial: see TestAuditAndNewRepositoriesInABrowser
	})
	p.each(base, routes, func(route string) string {
		return fillIn(t, route, ids) + "?repository=" + ids["repositoryId"] // lists of a repository show that one
	}, func(p *page, route string) {
		p.has(route+" is a page", "!document.title.startsWith('Not found') && !document.querySelector('main [role=alert]')")
		p.inspect(route)
		p.axe(route)
	})
}

// empty starts a service with a tenant that has nothing, and returns its address and the
// link of its administrator.
func empty(t *testing.T) (base, link string) {
	t.Helper()
	program(t)
	needConsole(t)
	at := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
	env := map[string]string{"ASSAY_DATA_DIR": t.TempDir(), "ASSAY_LISTEN": at, "ASSAY_METRICS_LISTEN": "off", "ASSAY_BOOTSTRAP_TENANT": "acme", "ASSAY_BOOTSTRAP_TENANT_NAME": "Acme"}
	testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Name: "serve", Args: []string{"serve"}, Env: env}).WaitReady(patience, "http://"+at+"/readyz")
	admin := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Name: "break-glass", Args: []string{"admin", "break-glass", "--user", "Admin"}, Env: env})
	return "http://" + at, strings.TrimSpace(admin.WaitLine(patience, "/auth/break-glass#token="))
}

// tenant is the id of the tenant whose page is shown.
func (p *page) tenant() (id string) {
	p.t.Helper()
	must(p.t, p.run("location.pathname.split('/')[2]", &id))
	return id
}

// A tenant that was made a moment ago: every list says that it has nothing, and no page is
// empty or fails.
func TestEveryPageOfAnEmptyTenant(t *testing.T) {
	t.Parallel()
	base, link := empty(t)
	p := launch(t).tab()
	p.signIn(link)
	ids := map[string]string{"tenantId": p.tenant()}
	routes := slices.DeleteFunc(consoleRoutes(t), func(route string) bool { // of something that is not there
		return strings.Contains(strings.ReplaceAll(route, "$tenantId", ""), "$")
	})
	p.each(base, routes, func(route string) string { return fillIn(t, route, ids) }, func(p *page, route string) {
		p.has(route+" says what is not there", "!document.querySelector('main [role=alert]') && document.querySelector('main').innerText.trim().split('\\n').length > 1")
		p.axe(route)
	})
}
