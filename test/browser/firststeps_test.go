package browser

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// place is a service with a tenant and an admin and nothing else, beside a simulated forge
// and a simulated provider with one model.
type place struct {
	base, link     string // of the service, and what signs the admin in
	forge          string
	token, control string // of a machine account there, and of who controls the forge
	model          string
}

func setUp(t *testing.T) (p place) {
	t.Helper()
	program(t)
	needConsole(t)
	dir := t.TempDir()
	ports := []int{testkit.FreePort(t), testkit.FreePort(t), testkit.FreePort(t)}
	at := func(i int) string { return fmt.Sprintf("127.0.0.1:%d", ports[i]) }
	p.base, p.forge, p.model = "http://"+at(0), "http://"+at(1), "http://"+at(2)+"/v1"
	host := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Name: "sim-forgejo", Args: []string{"sim", "gitea", "--forgejo", "--addr", at(1), "--seed", "demo", "--token-file", dir + "/token", "--control-token-file", dir + "/control"}})
	host.WaitLine(patience, `"ready"`) // the tokens are written by then
	for name, into := range map[string]*string{"/token": &p.token, "/control": &p.control} {
		raw, err := os.ReadFile(dir + name)
		must(t, err)
		*into = strings.TrimSpace(string(raw))
	}
	provider := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Name: "sim-model", Args: []string{"sim", "model", "--addr", at(2), "--script", "demo", "--models", "sim-strong"}})
	provider.WaitLine(patience, `"ready"`)
	env := map[string]string{"ASSAY_DATA_DIR": dir, "ASSAY_LISTEN": at(0), "ASSAY_METRICS_LISTEN": "off",
		"ASSAY_OUTBOUND_AIR_GAP_ALLOW_HTTP": "true", "ASSAY_OUTBOUND_AIR_GAP_ALLOWED_HOSTS": at(1) + "," + at(2)}
	setup := exec.Command(testkit.Binary(t), "setup", "--name", "Ours", "--tenant", "Acme", "--admin", "Ada", "--public-url", p.base)
	setup.Env = os.Environ()
	for k, v := range env {
		setup.Env = append(setup.Env, k+"="+v)
	}
	out, err := setup.Output()
	must(t, err)
	for line := range strings.Lines(string(out)) {
		if i := strings.Index(line, p.base+"/auth/break-glass#token="); i >= 0 {
			p.link = strings.TrimSpace(line[i:])
		}
	}
	service := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Name: "serve", Args: []string{"serve"}, Env: env})
	service.WaitReady(patience, p.base+"/readyz")
	return p
}

// From an empty tenant to its first review, step by step, each checked by what the
// service says.
func TestFirstStepsInTheConsole(t *testing.T) {
	t.Parallel()
	at := setUp(t)
	p := launch(t).tab()
	p.signIn(at.link)
	p.says("0 of 7 done")
	p.tap("Go on")
	p.until("location.pathname.endsWith('/first-steps') && document.querySelectorAll('main ol > li').length === 7")
	p.audit("first steps")
	p.axe("first steps")

	must(t, p.run(`(async () => {
		const me = await (await fetch("/api/me")).json();
		const r = await fetch("/api/tenants/" + location.pathname.split("/")[2] + "/provider-connections", {method: "POST", headers: {"Content-Type": "application/json", "X-CSRF-Token": me.csrfToken},
			body: JSON.stringify({kind: "forgejo", name: "forge", baseUrl: `+quote(at.forge)+`, owner: "acme", token: `+quote(at.token)+`, repositories: "all"})});
		if (r.status !== 201) throw new Error(await r.text());
	})()`, nil))
	testkit.Eventually(t, patience, func() (bool, string) {
		var there bool
		err := p.run(`fetch("/api/tenants/" + location.pathname.split("/")[2] + "/repositories").then(r => r.json()).then(l => l.items.length > 0)`, &there)
		return err == nil && there, fmt.Sprintf("no repository: %v", err)
	})
	p.tap("Check again")
	p.says("acme/storefront")

	p.visit("/model-keys")
	p.tap("Add a key")
	p.until(named("select", "Provider"))
	must(t, p.run(`(e => { Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, "value").set.call(e, "compatible"); e.dispatchEvent(new Event("change", {bubbles: true})); })(`+named("select", "Provider")+`)`, nil))
	p.enter("Name", "ours")
	p.enter("Base URL", at.model)
	p.tap("Store the key")
	p.says("Test ours")
	p.tap("Test now")
	p.says("Everything works.")
	p.answer("Close")
	p.visit("/models")
	p.tap("Use proposed models")
	p.tap("Save")
	p.until("!document.body.innerText.includes('No tier is set') && " + named("button", "Remove all tiers"))

	p.visit("/first-steps")
	p.says("The last test of ours passed.")
	p.says("Reviews use sim-strong.")
	p.tap("Start one")
	p.until(named("input", "Repository"))
	p.click("main ol input")
	p.until("document.querySelector('[role=option]')")
	must(t, p.run(`[...document.querySelectorAll("[role=option]")].find(e => e.innerText === "acme/storefront").click()`, nil))
	p.enter("Number of a pull request", "2")
	p.tap("Review it now")
	p.says("Watch it live")
	p.says("A review has run to its end.")
	p.axe("first steps that are done")
}
