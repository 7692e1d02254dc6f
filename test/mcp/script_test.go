package mcp

import (
	"bufio"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/mcpserver"
	"github.com/assay-dev/assay/internal/testkit"
)

// These are names in the demonstration: the repository whose reviews wait for approval, and its pull
// request.
const (
	payouts = "acme/payouts"
	number  = 1
)

// leak is a change that adds a key, which deterministic checks find without a model.
func leak() (diff, key string) {
	key = "AKIA" + "Q3EGRIOZ4KLM5XYZ"
	return newFile("deploy/keys.go", "package deploy", "", `const key = "`+key+`"`), key
}

// review is the result of get_review about a run.
type review struct {
	Run, State, Digest string
	Output             *struct{ ID, Digest string }
	Findings           []struct{ ID, Title, Path string }
}

// waiting follows a run until its review waits for approval, and requests it.
func (w *world) waiting(t *testing.T, c client, repository, run string) review {
	t.Helper()
	answer, err := w.client.Get(w.base + "/api/tenants/" + w.tenant + "/repositories/" + repository + "/review-runs/" + run + "/events")
	testkit.OK(t, err)
	defer func() { _ = answer.Body.Close() }() // later events are not needed
	for lines := bufio.NewScanner(answer.Body); lines.Scan() && !strings.Contains(lines.Text(), "awaiting_approval"); {
	}
	v := call[review](t, c, "get_review", map[string]any{"repository": payouts, "run": run})
	if v.Output == nil {
		t.Fatalf("the run %s is %s", run, v.State)
	}
	return v
}

// Third-party clients list and call every tool of a running service, one after the other. So do
// programs that reach the service through assay mcp --server.
func TestEveryToolOfAService(t *testing.T) {
	w := demo(t)
	at := place{URL: w.base + "/mcp", Token: w.token}
	t.Run("http", func(t *testing.T) { everybody(t, at, w.everyTool) })
	t.Run("inspector", func(t *testing.T) { w.look(t, inspector{t, testkit.NodePackages(t), at}) })
	t.Run("passed on", func(t *testing.T) {
		everybody(t, place{Command: testkit.Binary(t), Args: []string{"mcp", "--server", w.base, "--token-file", w.tokenFile(t)}, Cwd: t.TempDir()}, func(t *testing.T, c client) {
			if d, is := c.(*driven); is && d.name != "typescript" && !allClients() { // one client shows that everything is forwarded
				w.look(t, c)
				return
			}
			w.everyTool(t, c)
		})
	})
	var log struct {
		Items []struct{ Name, Outcome string }
	}
	w.call("GET", "/api/tenants/"+w.tenant+"/mcp-calls?limit=200", nil, &log)
	recorded := map[string]bool{}
	for _, v := range log.Items {
		recorded[v.Name] = true
	}
	for name := range mcpserver.ToolScopes() {
		if !recorded[name] {
			t.Errorf("%s is not among the calls that administrators see", name)
		}
	}
}

// look requests the server's contents: tools, repositories, resources and prompts. It returns the id of
// the script's repository.
func (w *world) look(t *testing.T, c client) (repository string) {
	t.Helper()
	var all []string
	for name := range mcpserver.ToolScopes() {
		all = append(all, name)
	}
	slices.Sort(all)
	names := strings.Fields(offered(t, c))
	slices.Sort(names)
	testkit.Equal(t, "tools", strings.Join(names, " "), strings.Join(all, " "))

	list := call[struct{ Items []struct{ ID, Name string } }](t, c, "list_repositories", map[string]any{})
	at := slices.IndexFunc(list.Items, func(v struct{ ID, Name string }) bool { return v.Name == payouts })
	if at < 0 {
		t.Fatalf("repositories: %+v", list)
	}
	repository = list.Items[at].ID
	if text := string(c.ask("read", "assay://repositories/"+repository+"/rules", nil)); !strings.Contains(text, "text/markdown") {
		t.Errorf("the rules as a resource: %s", text)
	}
	var prompts []struct{ Name string }
	testkit.OK(t, json.Unmarshal(c.ask("prompts", "", nil), &prompts))
	testkit.Equal(t, "prompts", len(prompts), 2)
	if text := string(c.ask("prompt", "review_my_change", map[string]any{"repository": payouts})); !strings.Contains(text, payouts) {
		t.Errorf("a prompt: %s", text)
	}
	return repository
}

// everyTool is the script. At its end the state is restored for the next client.
func (w *world) everyTool(t *testing.T, c client) {
	repository := w.look(t, c)
	now := call[review](t, c, "get_review", map[string]any{"repository": payouts, "pullRequest": number})
	first := call[struct{ Run string }](t, c, "rerun_review", map[string]any{"repository": payouts, "run": now.Run})
	now = w.waiting(t, c, repository, first.Run)
	if len(now.Findings) == 0 {
		t.Fatalf("the review of the demonstration has found nothing: %+v", now)
	}
	found := call[struct{ Items []struct{ ID string } }](t, c, "list_findings", map[string]any{"repository": payouts, "state": "any"})
	if len(found.Items) == 0 {
		t.Error("no findings are listed")
	}
	explained := call[struct {
		ID        string
		Sightings []any
	}](t, c, "explain_finding", map[string]any{"repository": payouts, "finding": now.Findings[0].ID})
	if explained.ID != now.Findings[0].ID || len(explained.Sightings) == 0 {
		t.Errorf("explained: %+v", explained)
	}
	call[struct{ Items []any }](t, c, "list_rules", map[string]any{"repository": payouts, "path": now.Findings[0].Path})
	code := call[struct{ Items []struct{ Path string } }](t, c, "search_code", map[string]any{"repository": payouts, "expression": "^package "})
	if len(code.Items) == 0 {
		t.Error("no line of the repository was found")
	}
	looked := call[struct{ Settings []any }](t, c, "policy_preview", map[string]any{"repository": payouts, "changes": map[string]any{"maxInlineComments": 1}})
	testkit.Equal(t, "settings that would be others", len(looked.Settings), 1)
	diff, key := leak()
	change := called(t, c, "review_diff", map[string]any{"repository": payouts, "diff": diff, "title": "Add a key"})
	if raw, err := json.Marshal(change); err != nil || change.IsError || !strings.Contains(string(raw), "deploy/keys.go") || strings.Contains(string(raw), key) {
		t.Errorf("a change with a key: %v, %s", err, raw)
	}
	if why := refusal(t, c, "review_diff", map[string]any{"repository": "acme/nothing", "diff": diff}); !strings.Contains(why, "list_repositories") {
		t.Errorf("a repository that is not there: %s", why)
	}

	gone := call[struct{ State string }](t, c, "reject_output", map[string]any{"repository": payouts, "output": now.Output.ID, "digest": now.Output.Digest, "note": "Not now."})
	testkit.Equal(t, "a review that is not wanted", gone.State, "rejected")
	if why := refusal(t, c, "approve_output", map[string]any{"repository": payouts, "output": now.Output.ID, "digest": now.Output.Digest}); why == "" {
		t.Error("the second decision has no message")
	}
	again := call[struct{ Run string }](t, c, "rerun_review", map[string]any{"repository": payouts, "run": now.Run})
	now = w.waiting(t, c, repository, again.Run)
	good := call[struct{ State string }](t, c, "approve_output", map[string]any{"repository": payouts, "output": now.Output.ID, "digest": now.Output.Digest})
	if good.State != "approved" && good.State != "published" {
		t.Errorf("a review that is wanted: %+v", good)
	}
	if why := refusal(t, c, "fix_finding", map[string]any{"repository": payouts, "finding": now.Findings[0].ID}); !strings.Contains(why, "publishMode") {
		t.Errorf("a fix of a finding whose reviews wait for approval: %s", why)
	}
	dropped := call[struct{ State string }](t, c, "dismiss_finding", map[string]any{"repository": payouts, "finding": now.Findings[0].ID, "reason": "The sandbox has no other way."})
	testkit.Equal(t, "a finding that needs no action", dropped.State, "dismissed")
	listed := call[struct{ Items []struct{ ID, State string } }](t, c, "list_suppressions", map[string]any{"repository": payouts, "state": "any"})
	if len(listed.Items) == 0 {
		t.Fatal("the dismissal proposed no suppression")
	}
	if call[struct{ Items []any }](t, c, "list_calibration", map[string]any{"repository": payouts}).Items == nil {
		t.Error("the calibration has no list")
	}
	if len(call[struct{ Items []any }](t, c, "list_static_analysis", map[string]any{"repository": payouts}).Items) == 0 {
		t.Error("the reviews have no run of static analysis")
	}
	if call[struct{ Items []any }](t, c, "get_ci_analysis", map[string]any{"repository": payouts}).Items == nil {
		t.Error("the analyses of failed jobs have no list")
	}
	if call[struct{ Items []any }](t, c, "list_proposed_rules", map[string]any{"repository": payouts, "state": "any"}).Items == nil {
		t.Error("the proposed rules have no list")
	}
	if why := refusal(t, c, "decide_proposed_rule", map[string]any{"repository": payouts, "proposal": "rpr_none", "decision": "decline"}); why == "" {
		t.Error("a proposed rule that is not there has no message")
	}
	wish := map[string]any{"repository": payouts, "suppression": listed.Items[0].ID, "decision": "decline", "note": "Not everywhere."}
	if listed.Items[0].State == "proposed" {
		kept := call[struct{ State string }](t, c, "decide_suppression", wish)
		testkit.Equal(t, "a proposal that is not wanted", kept.State, "declined")
	}
	if why := refusal(t, c, "decide_suppression", wish); why == "" {
		t.Error("a second decision has no message")
	}
	w.call("DELETE", "/api/tenants/"+w.tenant+"/repositories/"+repository+"/findings/"+now.Findings[0].ID+"/dismissal", nil, nil)

}

// Third-party clients start assay mcp in a checkout, and review unpushed changes.
func TestEveryToolOfACheckout(t *testing.T) {
	dir := t.TempDir()
	testkit.Git(t, dir, "init", "-q", "-b", "main")
	testkit.Git(t, dir, "commit", "-qm", "begin", "--allow-empty")
	diff, key := leak()
	testkit.GitFed(t, dir, diff, "apply", "--index")
	everybody(t, place{Command: testkit.Binary(t), Args: []string{"mcp"}, Cwd: dir}, func(t *testing.T, c client) {
		testkit.Equal(t, "tools", len(strings.Fields(offered(t, c))), 3)
		r := called(t, c, "review_diff", map[string]any{})
		if raw, err := json.Marshal(r); err != nil || r.IsError || !strings.Contains(string(raw), "deploy/keys.go") || strings.Contains(string(raw), key) {
			t.Errorf("%v, %s", err, raw)
		}
		call[any](t, c, "list_rules", map[string]any{"path": "deploy/keys.go"})
		if why := refusal(t, c, "explain_finding", map[string]any{"id": "fnd_none"}); !strings.Contains(why, "review_diff") {
			t.Errorf("a finding that is not there: %s", why)
		}
	})
}

// A client of the newest version waits for a second for the answer to its first request, and then
// connects as older ones do. A program that starts more slowly gets both requests at once.
func TestACheckoutServedAfterASlowStart(t *testing.T) {
	slow := place{Command: "sh", Args: []string{"-c", `sleep 1.5; exec "$0" mcp`, testkit.Binary(t)}, Cwd: t.TempDir()}
	testkit.Git(t, slow.Cwd, "init", "-q", "-b", "main")
	testkit.Git(t, slow.Cwd, "commit", "-qm", "begin", "--allow-empty")
	testkit.Equal(t, "tools", len(strings.Fields(offered(t, drive(t, testkit.NodePackages(t), "ai-sdk", slow)))), 3)
}
