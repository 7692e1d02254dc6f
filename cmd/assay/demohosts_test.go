package main

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
	sample "github.com/assay-dev/assay/sim/host/demo"
)

// The demo of another host connects itself by a token, registers its webhook, reviews the sample and
// names that host.
func TestDemoOfOtherHosts(t *testing.T) {
	t.Parallel()
	type words struct{ name, pulls, sign, page string }
	held := map[string]string{"azure-devops": "4"} // numbers of its pull requests count per organisation
	for kind, w := range map[string]words{"gitea": {"Gitea", "Pull requests", "#", "/pulls/1"}, "forgejo": {"Forgejo", "Pull requests", "#", "/pulls/1"},
		"gitlab": {"GitLab", "Merge requests", "!", "/-/merge_requests/1"}, "bitbucket-cloud": {"Bitbucket Cloud", "Pull requests", "#", "/pull-requests/1"},
		"bitbucket-dc": {"Bitbucket Data Center", "Pull requests", "#", "/pull-requests/1"},
		"azure-devops": {"Azure DevOps", "Pull requests", "!", "/pullrequest/1"}} {
		name := w.name
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			p := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Args: []string{"serve", "--demo", "--host", kind}, Dir: dir,
				Env: map[string]string{"ASSAY_LISTEN": "127.0.0.1:" + itoa(testkit.FreePort(t)), "ASSAY_METRICS_LISTEN": "off"}})
			p.WaitLine(startup, name+" is simulated")
			p.WaitLine(startup, w.pulls+" on the simulated "+name)
			at, stored := sample.Repository+w.page, sample.Repository
			if kind == "bitbucket-dc" {
				at = "projects/" + strings.Replace(sample.Repository, "/", "/repos/", 1) + w.page
			}
			if kind == "azure-devops" { // below organisation and project
				stored = sample.Owner + "/" + sample.Repository
				at = sample.Owner + "/" + strings.Replace(sample.Repository, "/", "/_git/", 1) + w.page
			}
			first := strings.TrimSpace(p.WaitLine(startup, at))
			if !regexp.MustCompile(`http://127\.0\.0\.1:\d+/` + at + ` `).MatchString(first) {
				t.Errorf("the first pull request is %q", first)
			}
			for _, pull := range sample.PullRequests() {
				n := len(pull.PlantedBugs) + len(pull.PlantedSecrets)
				if line := p.WaitLine(2*time.Minute, "reviewed: "+w.sign+itoa(pull.Number)); !strings.Contains(line, inline(n)) {
					t.Errorf("want %d comments: %s", n, line)
				}
			}
			for _, ended := range []string{"2 fix: it passed the checks;", "2 fix: the checks refused it;"} {
				p.WaitLine(3*time.Minute, w.sign+ended)
			}
			if kind != "bitbucket-dc" { // which sends no event of builds: the service asks for them minutes later
				p.WaitLine(3*time.Minute, w.sign+"1 job explained: ")
			}
			if kind != "bitbucket-dc" && kind != "forgejo" { // which do not tell a repeated job from another result
				if line := p.WaitLine(3*time.Minute, w.sign+"3 job explained: "); !strings.Contains(line, ", flaky;") {
					t.Errorf("the repeated job: %s", line)
				}
			}
			address, _, _ := strings.Cut(first, " ")
			judged(t, address)
			p.WaitLine(2*time.Minute, "waits for approval: "+w.sign+cmp.Or(held[kind], "1")+" "+sample.Held().Title+"; decide at http://127.0.0.1:")
			s, err := store.Open(t.Context(), filepath.Join(dir, "assay-data", "demo-"+kind, "assay.db"), store.Options{Beside: true})
			testkit.OK(t, err)
			defer func() { testkit.OK(t, s.Close()) }()
			tenants, err := s.Tenants(t.Context())
			testkit.OK(t, err)
			testkit.Require(t, "tenants", len(tenants), 1)
			all, err := s.ProviderConnections(t.Context(), domain.Tenant{ID: tenants[0].ID}, store.Cursor{}, 10)
			testkit.OK(t, err)
			if len(all) != 1 || all[0].Kind != kind || all[0].State != domain.ConnectionActive || all[0].Message != "" {
				t.Errorf("the connections are %+v", all)
			}
			servers, err := s.MCPServers(t.Context(), domain.Tenant{ID: tenants[0].ID}, store.Cursor{}, 10)
			testkit.OK(t, err)
			testkit.Require(t, "tool servers", len(servers), 1)
			calls, err := s.MCPCalls(t.Context(), domain.Tenant{ID: tenants[0].ID}, servers[0].ID, store.Cursor{}, 10)
			if err != nil || len(calls) != 1 || calls[0].Outcome != "ok" || calls[0].Run == "" {
				t.Errorf("the calls of the tool server are %+v (%v)", calls, err)
			}
			repository := strings.TrimSuffix(address, w.page)
			if kind != "azure-devops" { // whose address of a clone is that of the page
				repository += ".git"
			}
			if kind != "bitbucket-dc" { // where git takes tokens of projects in a header only
				assists(t, repository, tokenOf(t, dir, kind))
			}
			answersPeople(t, address, databaseOf(dir, "demo-"+kind), stored)
			terminate(t, p)
			lines := slices.DeleteFunc(p.Lines(), func(l string) bool { return strings.HasPrefix(l, "{") }) // of the log, in the words of the code
			if text := strings.Join(lines, "\n"); strings.Contains(text, "GitHub") || w.pulls != "Pull requests" && strings.Contains(strings.ToLower(text), "pull request") {
				t.Errorf("it speaks of GitHub: %s", text)
			}
		})
	}
}

// --host is for the demo only, and accepts only simulated hosts.
func TestHostsOfADemo(t *testing.T) {
	t.Parallel()
	for what, args := range map[string][]string{"--host goes with --demo": {"serve", "--host", "gitea"}, "must be one of": {"serve", "--demo", "--host", "bitbucket"}} {
		p := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Args: args, Dir: t.TempDir()})
		p.WaitLine(startup, what)
		if code := p.Wait(startup); code != exitUsage {
			t.Errorf("%v: exit code %d", args, code)
		}
	}
}

// If the host refuses a connection of the configuration, the start fails with an error that names the
// setting.
func TestBootstrapOfAConnectionThatIsRefused(t *testing.T) {
	t.Parallel()
	dir, port := t.TempDir(), testkit.FreePort(t)
	at := "127.0.0.1:" + itoa(port)
	token := filepath.Join(dir, "token")
	host := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Name: "host", Args: []string{"sim", "gitea", "--addr", at, "--seed", "demo", "--token-file", token}})
	host.WaitLine(startup, `"ready"`)
	vars := func(owner, url string) map[string]string {
		return map[string]string{"ASSAY_DATA_DIR": filepath.Join(dir, owner), "ASSAY_LISTEN": "127.0.0.1:0", "ASSAY_METRICS_LISTEN": "off", "ASSAY_OUTBOUND_AIR_GAP_ALLOW_HTTP": "true", "ASSAY_OUTBOUND_AIR_GAP_ALLOWED_HOSTS": at + ",127.0.0.1:1",
			"ASSAY_BOOTSTRAP_TENANT": "acme", "ASSAY_BOOTSTRAP_CONNECTION_KIND": "gitea", "ASSAY_BOOTSTRAP_CONNECTION_BASE_URL": url, "ASSAY_BOOTSTRAP_CONNECTION_OWNER": owner, "ASSAY_BOOTSTRAP_CONNECTION_TOKEN_FILE": token}
	}
	p := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Args: []string{"serve"}, Env: vars("stranger", "http://"+at)})
	p.WaitLine(startup, "ASSAY_BOOTSTRAP_CONNECTION_OWNER (bootstrap.connection.owner) is not there")
	if code := p.Wait(startup); code != exitFailed {
		t.Errorf("an owner that is not there: exit code %d", code)
	}
	p = testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Args: []string{"serve"}, Env: vars("later", "http://127.0.0.1:1")})
	p.WaitLine(startup, "listens on")
	terminate(t, p)
}
