package browser

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
	"github.com/assay-dev/assay/sim/model/modelclient"
)

// place is a service beside a simulated forge and a simulated provider with one model.
type place struct {
	base, link     string // of the service, and the link that signs the admin in
	forge          string
	token, control string // of a machine account at the forge, and of its control interface
	model          string
	provider       *modelclient.Client // controls the model
	env            map[string]string   // of the service
}

// neighbours starts the simulators beside a service that does not run yet.
func neighbours(t *testing.T) (p place) {
	t.Helper()
	shell.program(t)
	needConsole(t)
	dir := t.TempDir()
	ports := []int{testkit.FreePort(t), testkit.FreePort(t), testkit.FreePort(t)}
	at := func(i int) string { return fmt.Sprintf("127.0.0.1:%d", ports[i]) }
	p.base, p.forge, p.model = "http://"+at(0), "http://"+at(1), "http://"+at(2)+"/v1"
	host := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Name: "sim-forgejo", Args: []string{"sim", "gitea", "--forgejo", "--addr", at(1), "--seed", "demo", "--token-file", dir + "/token", "--control-token-file", dir + "/control"}})
	host.WaitLine(patience, `"ready"`) // the tokens are written by then
	provider := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Name: "sim-model", Args: []string{"sim", "model", "--addr", at(2), "--script", "demo", "--models", "sim-strong", "--control-token-file", dir + "/model-control"}})
	provider.WaitLine(patience, `"ready"`)
	var control string
	for name, into := range map[string]*string{"/token": &p.token, "/control": &p.control, "/model-control": &control} {
		raw, err := os.ReadFile(dir + name)
		must(t, err)
		*into = strings.TrimSpace(string(raw))
	}
	p.provider = modelclient.New(p.model, control, nil)
	p.env = map[string]string{"ASSAY_DATA_DIR": dir, "ASSAY_LISTEN": at(0), "ASSAY_METRICS_LISTEN": "off",
		"ASSAY_OUTBOUND_AIR_GAP_ALLOW_HTTP": "true", "ASSAY_OUTBOUND_AIR_GAP_ALLOWED_HOSTS": at(1) + "," + at(2)}
	return p
}

// serve starts the service.
func (p place) serve(t *testing.T) *testkit.Process {
	t.Helper()
	service := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Name: "serve", Args: []string{"serve"}, Env: p.env})
	service.WaitReady(patience, p.base+"/readyz")
	return service
}

// setUp returns a service with only a tenant and an admin, and its neighbours.
func setUp(t *testing.T) place {
	t.Helper()
	p := neighbours(t)
	setup := exec.Command(testkit.Binary(t), "setup", "--name", "Ours", "--tenant", "Acme", "--admin", "Ada", "--public-url", p.base)
	setup.Env = os.Environ()
	for k, v := range p.env {
		setup.Env = append(setup.Env, k+"="+v)
	}
	out, err := setup.Output()
	must(t, err)
	for line := range strings.Lines(string(out)) {
		if i := strings.Index(line, p.base+"/auth/break-glass#token="); i >= 0 {
			p.link = strings.TrimSpace(line[i:])
		}
	}
	p.serve(t)
	return p
}

// stepSays is an expression that reports whether a step of the first steps has a text, also while it is folded.
func stepSays(text string) string {
	return "[...document.querySelectorAll('main ol > li')].some(e => e.textContent.includes(" + quote(text) + "))"
}

// One person goes from the link that a new service prints to the first review with few clicks and fields: the setup with its code
// host, the first steps, each checked against the service, and a review that is watched stage by stage until the host shows it.
// Then the person adds a rule that changes the next review.
func TestFromSetupToTheFirstReview(t *testing.T) {
	t.Parallel()
	at := neighbours(t)
	service := at.serve(t)
	p := newTab(t)

	p.goTo(strings.TrimSpace(service.WaitLine(patience, at.base+"/setup#token=")))
	p.until("document.querySelector('#instance-name')?.value")
	p.begin()
	p.press("main button", "#app-name")
	p.press("a[href$='host=forgejo']", "#connection-token")
	p.fill("#connection-baseUrl", at.forge+"/acme")
	p.fill("#connection-token", at.token)
	p.press("main button", "#tenant-tenantName")
	p.has("a proposed name", "document.querySelector('#tenant-tenantName').value")
	p.fill("#tenant-adminName", "Ada")
	p.press("main button", "input[name=token][type=hidden]")
	p.press("main button", consoleReady)

	p.tap("Continue")
	p.until("location.pathname.endsWith('/first-steps') && document.querySelectorAll('main ol > li').length === 8")
	p.until(stepSays("acme/storefront")) // it appears when the host is synchronised

	p.tap("Add a key")
	p.offer("Provider", "compatible")
	p.enter("Base URL", at.model)
	p.tap("Store the key")
	p.says("Test Another compatible service")
	p.until(named("input", "Model") + "?.value === 'sim-strong'") // it is proposed when the provider has listed its models
	p.has("the use for all tiers is offered with address and price",
		named("[role=dialog] input[type=checkbox]", "Use this model for all tiers if it works")+`.checked &&
			/send the code of each change to http.* Its price is unknown/.test(document.querySelector('[role=dialog]').innerText)`)
	p.pictures("model-key.test")
	p.axe("a new key that all tiers may use")
	p.tap("Test now")
	p.says("Everything works.")
	p.says("All tiers use sim-strong now.")
	p.axe("a key that all tiers use")
	p.answer("Done")
	p.until("document.activeElement.innerText?.includes('Run a first review')") // the next step
	p.until(stepSays("The last test of Another compatible service passed."))
	p.until(stepSays("Reviews use sim-strong."))
	p.until(named("button", "Review #2 now")) // the code host is asked what is open
	p.pictures("first-steps.review")
	p.axe("first steps with open pull requests")
	var err error
	stages := []struct{ name, text string }{{"generate", "Look for defects: "}, {"verify", "Verify each candidate: "}}
	held := make([]model.FaultState, len(stages))
	for i, stage := range stages {
		held[i], err = at.provider.SetFault(t.Context(), model.Fault{Action: model.Hang, Match: model.Match{Stage: stage.name}})
		must(t, err)
	}
	p.tap("Review #2 now")
	p.tap("Watch it live")
	p.until("location.pathname.includes('/runs/') && document.querySelector('main .state')")
	p.stay()
	for i, stage := range stages { // each is held until the page shows it, however slow both are
		_, err = at.provider.AwaitFault(t.Context(), held[i].ID, 1, 1)
		must(t, err)
		p.until("document.querySelector('main .state').innerText === 'running' && [...document.querySelectorAll('main [role=status]')].some(e => e.innerText.startsWith(" + quote(stage.text) + "))")
		p.says("This page is updated live.")
		if i == 0 {
			p.inspect("a running review")
			p.axe("a running review")
		}
		must(t, at.provider.ReleaseFault(t.Context(), held[i].ID, model.Answer))
	}
	p.until("document.querySelector('main .state').innerText === 'completed'")
	p.stayed()
	run := ""
	must(t, p.run("location.pathname", &run))
	p.within(firstReview)
	p.goTo(at.forge + "/acme/storefront/pulls/2")
	p.says("The uploads are not awaited") // the host shows the finding

	p.goTo(at.base + run)
	p.until("document.querySelector(" + quote(consoleReady) + ")")
	p.visit("/first-steps")
	p.until(stepSays("A review is complete."))
	p.visit("/rules")
	p.tap("Create the first rule")
	p.until("document.querySelector('form textarea')")
	p.fill("form [data-path=title]", "Regions are configured")
	p.fill("form [data-path=instruction]", "The region of a cloud service comes from the configuration, never from the code.")
	p.fill("form [data-path=paths]", "scripts/**")
	p.until("document.querySelector('.sheet .paths code')")
	p.click("form button[type=submit]")
	p.until("document.querySelector('td')?.innerText.includes('Regions are configured')")
	rule := ""
	must(t, p.run(`fetch("/api/tenants/" + location.pathname.split("/")[2] + "/rules").then(r => r.json()).then(l => l.items[0].id)`, &rule))
	list := []model.Rule{{Name: "the rule", Match: model.Match{Stage: "generate", UserContains: []string{"Regions are configured"}}, Reply: model.Reply{Findings: []model.Finding{
		{Path: "scripts/archive.ts", LineContains: `region: "eu-central-1",`, Title: "The region stands in the code", Explanation: "Another region needs another build.", Trigger: "A deployment in another region", Category: "rule", RuleKey: "repo/" + rule, Severity: "high"}}}}}
	others, err := at.provider.Rules(t.Context())
	must(t, err)
	for _, r := range others {
		list = append(list, r.Rule)
	}
	must(t, at.provider.SetRules(t.Context(), list)) // the first matching rule answers
	p.goTo(at.base + run)
	p.until("document.querySelector('main article')")
	p.has("nothing of the rule before", "!document.body.innerText.includes('The region stands in the code')")
	p.tap("Review again")
	p.until("location.pathname.includes('/runs/') && location.pathname !== " + quote(run))
	p.says("The region stands in the code")
	p.has("by which rule", "document.querySelector('main').innerText.includes("+quote("repo/"+rule)+")")
	p.clean(at.base, at.forge)
}
