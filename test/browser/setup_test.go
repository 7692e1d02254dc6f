package browser

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/host/demo"
)

// instance is a service that is not set up, beside a simulated host.
type instance struct {
	base, host string
	link       string // printed by the service
}

func fresh(t *testing.T) *instance {
	t.Helper()
	port, hostPort := testkit.FreePort(t), testkit.FreePort(t)
	i := &instance{base: fmt.Sprintf("http://127.0.0.1:%d", port), host: fmt.Sprintf("http://127.0.0.1:%d", hostPort)}
	host := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Name: "sim-github", Args: []string{"sim", "github", "--addr", fmt.Sprintf("127.0.0.1:%d", hostPort), "--seed", "demo"}})
	host.WaitReady(patience, i.host+"/")
	service := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Name: "serve", Args: []string{"serve"}, Env: map[string]string{
		"ASSAY_DATA_DIR": t.TempDir(), "ASSAY_LISTEN": fmt.Sprintf("127.0.0.1:%d", port), "ASSAY_METRICS_LISTEN": "off",
		"ASSAY_OUTBOUND_AIR_GAP_ALLOW_HTTP": "true", "ASSAY_OUTBOUND_AIR_GAP_ALLOWED_HOSTS": fmt.Sprintf("127.0.0.1:%d", hostPort)}})
	i.link = strings.TrimSpace(service.WaitLine(patience, i.base+"/setup#token="))
	service.WaitReady(patience, i.base+"/readyz")
	return i
}

// press clicks and waits for an element of the next page.
func (p *page) press(selector, next string) {
	p.t.Helper()
	p.click(selector)
	p.until("document.readyState === 'complete' && document.querySelector(" + quote(next) + ")")
}

// has fails unless an expression is true now.
func (p *page) has(what, expression string) {
	p.t.Helper()
	var ok bool
	if err := p.run("!!("+expression+")", &ok); err != nil || !ok {
		p.t.Errorf("%s: %s is false (%v) at %s", what, expression, err, p.at())
	}
}

// byGitHub signs a person in with an account on GitHub and ends at a page.
func (p *page) byGitHub(i *instance, to, login string) {
	p.t.Helper()
	p.goTo(to)
	p.tap("Sign in with GitHub (" + strings.TrimPrefix(i.host, "http://") + ")")
	p.tap(login)
	p.until("document.readyState === 'complete' && location.origin === " + quote(i.base) + " && document.querySelector('main h1')")
}

// The first run for its first user: from the printed link to an instance with a tenant, whose setup
// page is gone.
func TestSetupInABrowser(t *testing.T) {
	t.Parallel()
	shell.program(t)
	i := fresh(t)
	p := newTab(t)

	p.goTo(i.base + "/")
	p.has("it is not set up", "location.pathname === '/setup' && document.querySelector('#token-token')")
	p.audit("without a token")
	p.goTo(i.base + "/setup#token=assay_setup_wrong")
	p.until("document.querySelector('#token-token-wrong') && document.activeElement.id === 'token-token'")
	p.has("the token is out of the address", "location.hash === '' && document.querySelector('#token-token').value === ''")
	p.audit("a wrong token")

	p.goTo(i.link)
	p.until("document.querySelector('#instance-name')")
	p.has("the token is out of the address and the history", "location.href === "+quote(i.base+"/setup"))
	p.audit("name and address")
	p.fill("#instance-name", "Acme reviews")
	p.fill("#instance-publicBaseUrl", "https://example.com/path")
	p.press("main button", "#instance-publicBaseUrl-wrong")
	p.has("the entered values are kept", "document.querySelector('#instance-name').value === 'Acme reviews' && document.querySelector('#instance-publicBaseUrl').value === 'https://example.com/path'")
	p.audit("a wrong address")
	p.fill("#instance-publicBaseUrl", i.base)
	p.press("main button", "#app-name")

	p.has("the app is named after the instance", "document.querySelector('#app-name').value === 'Acme reviews'")
	p.press("summary", "details[open]")
	p.audit("code host")
	p.fill("#register-appId", "none")
	p.fill("#register-privateKey", "canary")
	p.fill("#register-webhookSecret", "canary")
	p.fill("#register-clientId", "Iv1")
	p.fill("#register-clientSecret", "canary")
	p.press("details button", "#register-appId-wrong")
	p.has("secrets are entered again", "!document.documentElement.outerHTML.includes('canary') && document.querySelector('#register-clientId').value === 'Iv1'")
	p.audit("an invalid app")
	p.fill("#app-organization", "acme")
	p.fill("#app-baseUrl", i.host)
	p.press("form[method=get] button", "input[name=manifest]")
	p.audit("the form for the host")

	// The browser posts the manifest to the host, which asks who creates the app.
	p.click("main button")
	p.until("location.origin === " + quote(i.host) + " && document.readyState === 'complete'")
	p.press("button, a", "#tenant-tenantName")
	p.has("back at the service", "location.href === "+quote(i.base+"/setup")+" && document.body.innerText.includes('acme-reviews')")
	p.audit("tenant and admin")
	p.fill("#tenant-tenantName", "Acme")
	p.press("main button", "#tenant-adminName")
	p.has("the browser itself asks for the name", "document.querySelector('#tenant-adminName').matches(':invalid')")
	p.fill("#tenant-adminName", "Ada Admin")
	p.press("main button", "input[name=token][type=hidden]")
	p.has("the token is out of the address", "location.hash === ''")
	p.audit("the one-time link")
	p.press("main button", consoleReady)
	p.ready()
	p.has("signed in", "location.pathname.startsWith('/t/') && document.querySelector('header').innerText.includes('Ada Admin')")
	p.audit("the start page")

	// A member of the organisation signs in with GitHub: in no tenant while the app is not installed
	// there, a member afterwards. The organisation's owner becomes an administrator.
	someone := newTab(t)
	someone.byGitHub(i, i.base+"/", demo.Author)
	someone.has("a person who is signed in, in no tenant yet", "location.pathname === '/' && document.body.innerText.includes('Linus Berg') && document.body.innerText.includes('You belong to no tenant yet')")
	someone.audit("a person without a tenant")
	p.visit("/connections")
	p.tap("Install the app on GitHub")
	p.until("location.origin === " + quote(i.host) + " && document.readyState === 'complete'")
	p.tap(demo.Admin)
	p.until("[...document.querySelectorAll('a, button')].some(e => e.innerText === " + quote(demo.Owner) + ") || location.origin === " + quote(i.base))
	must(t, p.run("[...document.querySelectorAll('a, button')].find(e => e.innerText === "+quote(demo.Owner)+")?.click()", nil))
	p.until("location.origin === " + quote(i.base) + " && document.readyState === 'complete'")
	p.audit("the app is installed")
	p.tap("Continue")
	p.until("document.querySelector(" + quote(consoleReady) + ")")
	repositories := i.base + "/t/" + p.tenant() + "/repositories"
	p.goTo(repositories)
	p.says("acme/storefront")
	for who, admin := range map[string]bool{demo.Author: false, demo.Admin: true} {
		q := newTab(t)
		q.byGitHub(i, repositories, who)
		q.until("document.querySelector(" + quote(consoleReady) + ")")
		q.has(who+" is at the page that was asked for", "location.href === "+quote(repositories))
		q.says("acme/storefront")
		q.has("the navigation of "+who, fmt.Sprintf("!!document.querySelector(\"nav a[href$='/costs']\") === %t", admin))
		q.clean(i.base, i.host)
	}

	p.goTo(i.base + "/docs/api")
	p.has("the interface", "document.querySelectorAll('details').length > 150")
	for _, path := range []string{"/setup", "/setup/codehost/state", "/setup/codehost/manifest/", "/setup/nothing"} {
		p.goTo(i.base + path)
		p.has(path+" is gone", "document.title.startsWith('Not found')")
	}
	p.audit("the setup page is gone")
	p.clean(i.base, i.host, "401 /setup", "422 /setup", "422 /setup", "404 /setup", "404 /setup/codehost/state", "404 /setup/codehost/manifest/", "404 /setup/nothing")
}

// The first run without GitHub: a connection to another host, with refusals of the host and an address
// that does not answer.
func TestSetupOfAnotherHostInABrowser(t *testing.T) {
	t.Parallel()
	shell.program(t)
	dir, port, hostPort := t.TempDir(), testkit.FreePort(t), testkit.FreePort(t)
	base, host, down := fmt.Sprintf("http://127.0.0.1:%d", port), fmt.Sprintf("http://127.0.0.1:%d", hostPort), "http://127.0.0.1:1"
	forge := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Name: "sim-forgejo", Args: []string{"sim", "gitea", "--forgejo", "--addr", fmt.Sprintf("127.0.0.1:%d", hostPort), "--seed", "demo", "--token-file", dir + "/token"}})
	forge.WaitLine(patience, `"ready"`) // the token exists by then
	token, err := os.ReadFile(dir + "/token")
	must(t, err)
	service := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Name: "serve", Args: []string{"serve"}, Env: map[string]string{
		"ASSAY_DATA_DIR": dir, "ASSAY_LISTEN": fmt.Sprintf("127.0.0.1:%d", port), "ASSAY_METRICS_LISTEN": "off",
		"ASSAY_OUTBOUND_AIR_GAP_ALLOW_HTTP": "true", "ASSAY_OUTBOUND_AIR_GAP_ALLOWED_HOSTS": fmt.Sprintf("127.0.0.1:%d,127.0.0.1:1", hostPort)}})
	link := strings.TrimSpace(service.WaitLine(patience, base+"/setup#token="))
	p := newTab(t)
	p.goTo(link)
	p.until("document.querySelector('#instance-name')")
	p.fill("#instance-name", "Acme reviews")
	p.press("main button", "#app-name")
	p.press("a[href$='host=forgejo']", "#connection-token")
	p.audit("another host")
	p.fill("#connection-baseUrl", host)
	p.fill("#connection-owner", "acme")
	p.fill("#connection-token", "canary-canary")
	p.press("main button", "#connection-token-wrong")
	p.until("document.activeElement.id === 'connection-token'")
	p.has("the token is entered again", "!document.documentElement.outerHTML.includes('canary') && document.querySelector('#connection-owner').value === 'acme'")
	p.audit("a token that is refused")
	p.fill("#connection-baseUrl", down)
	p.fill("#connection-token", "canary-canary")
	p.press("main button", "#tenant-tenantName")
	p.has("the host does not answer", "document.querySelector('.alert').innerText.includes('does not answer')")
	p.audit("a host that does not answer")
	p.press(".alert a", "#connection-token")
	p.has("the entered value is there", "document.querySelector('#connection-baseUrl').value === "+quote(down))
	p.fill("#connection-baseUrl", host)
	p.fill("#connection-token", strings.TrimSpace(string(token)))
	p.press("main button", "#tenant-tenantName")
	p.has("it is connected", "document.querySelector('main').innerText.includes('Forgejo at "+host+" is connected') && !document.querySelector('.alert')")
	p.audit("tenant and admin")
	p.fill("#tenant-adminName", "Ada Admin")
	p.press("main button", "input[name=token][type=hidden]")
	p.press("main button", consoleReady)
	p.has("signed in, and nothing asks for an app", "document.querySelector('header').innerText.includes('Ada Admin') && !document.body.innerText.includes('GitHub') && !/\\bapp\\b/.test(document.body.innerText)")
	p.clean(base, host, "422 /setup")
}

// The service's own pages in the demo: sign-in, a run, missing pages, and the description of the
// interface.
func TestPagesInABrowser(t *testing.T) {
	t.Parallel()
	d := sharedDemo(t)
	base := d.base
	p := newTab(t)
	p.goTo(base + "/")
	p.audit("signed out")
	p.goTo(base + "/auth/break-glass")
	p.audit("a link without its token")
	p.goTo(base + "/auth/break-glass#token=none")
	p.until("document.title.startsWith('This link is no longer valid')")
	p.audit("a link that is over")
	p.signIn(d.manager(t))
	var page string
	must(t, p.run(`(async () => {
		const get = path => fetch("/api/tenants/" + location.pathname.split("/")[2] + path).then(r => r.json());
		for (const r of (await get("/repositories")).items)
			for (const run of (await get("/repositories/" + r.id + "/review-runs?number=1")).items.filter(run => run.state === "completed"))
				return "/t/" + location.pathname.split("/")[2] + "/repositories/" + r.id + "/runs/" + run.id;
	})()`, &page))
	p.goTo(base + page)
	p.until("document.readyState === 'complete' && document.querySelector('main article')")
	must(t, p.run(`document.querySelectorAll("details").forEach(e => e.open = true)`, nil))
	p.audit("a run")
	p.goTo(base + "/docs/api")
	must(t, p.run(`document.querySelectorAll("details").forEach((e, i) => e.open = i % 20 === 0)`, nil))
	p.inspect("the interface")
	p.goTo(base + "/t/none/repositories/none/runs/none")
	p.audit("a run that is not there")
	p.press("header button", "main h1")
	p.until("location.pathname === '/' && !document.querySelector('header form')")
	p.clean(base, d.host, "404 /auth/break-glass", "404 /t/none/repositories/none/runs/none")
}
