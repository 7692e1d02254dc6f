package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// wanted is what each tool asks of the role of a token's owner on the repository, as
// docs/mcp.md has it.
var wanted = map[string]string{
	"list_repositories": "view", "search_code": "view", "get_review": "view", "list_findings": "view", "explain_finding": "view", "list_rules": "view", "review_diff": "view",
	"dismiss_finding": "review", "approve_output": "review", "reject_output": "review",
	"policy_preview": "manage", "rerun_review": "manage",
}

// code lets tools read code: one file in every repository.
func (w *world) code() {
	w.t.Helper()
	dir := w.t.TempDir()
	testkit.Git(w.t, dir, "init", "-q", "-b", "main")
	must(w.t, os.WriteFile(filepath.Join(dir, "pay.go"), []byte("package shop\n"), 0o644))
	testkit.Git(w.t, dir, "add", "-A")
	testkit.Git(w.t, dir, "commit", "-qm", "code")
	server := httptest.NewServer(testkit.GitServer(w.t, filepath.Dir(dir)))
	w.t.Cleanup(server.Close)
	checker, err := check.New()
	must(w.t, err)
	w.Features.MCP.Code = oneRepository{&snapshot.Cache{Dir: w.t.TempDir()}, server.URL + "/" + filepath.Base(dir) + "/.git"}
	w.Features.DryRun.Models = w.Features.Models
	w.Features.DryRun.Engine = func(d engine.Deps) *engine.Engine {
		d.Checks = checker
		return engine.New(d)
	}
}

// ids name things of one repository.
type ids struct{ repository, run, finding, output, digest string }

// never are ids as they are issued, of which none was.
func never() ids {
	return ids{domain.NewID("rep"), domain.NewID("run"), domain.NewID("fnd"), domain.NewID("out"), strings.Repeat("ab", 32)}
}

// pending makes a pull request whose review waits, and names what is of it.
func (w *world) pending(in domain.Tenant, r store.Repository, number int) ids {
	w.t.Helper()
	run := storetest.Run(w.t, w.store, storetest.PullRequest(w.t, w.store, r, number), "auto")
	found, err := w.store.SaveRunFindings(bg, run, []domain.Finding{waits(fmt.Sprintf("Number %d", number), "a.go")})
	must(w.t, err)
	for _, m := range []store.RunMove{{From: domain.RunQueued, To: domain.RunRunning}, {From: domain.RunRunning, To: domain.RunAwaitingApproval}} {
		_, err := w.store.MoveRun(bg, in, run.ID, m)
		must(w.t, err)
	}
	draft := object{"result": object{"findings": found, "modelState": "complete"}, "run": object{"HeadSHA": run.HeadSHA}, "first": true, "policy": domain.DefaultPolicy(), "host": object{"HTML": true, "MultiLine": true}}
	body := object{"kind": "review", "payload": object{"body": "One finding.", "comments": []object{{"path": "a.go", "line": 3, "body": "It is so", "findingId": found[0].ID}}, "posted": []string{found[0].ID}, "check": object{"title": "1 finding", "conclusion": "neutral"}}}
	out, err := w.store.CreateOutput(bg, in, run.ID, "", draftText(w.t, body), strings.Repeat("ab", 32))
	must(w.t, err)
	_, err = w.store.CreateApproval(bg, in, store.NewApproval{Output: out.ID, Run: run.ID, Repository: r.ID, Digest: out.Digest, Draft: draftText(w.t, draft), For: time.Hour})
	must(w.t, err)
	return ids{r.ID, run.ID, found[0].ID, out.ID, out.Digest}
}

// asked are the arguments of a tool about things.
func asked(tool string, at ids) map[string]any {
	args := map[string]any{"repository": at.repository}
	switch tool {
	case "list_repositories":
		return map[string]any{}
	case "get_review", "rerun_review":
		args["run"] = at.run
	case "explain_finding":
		args["finding"] = at.finding
	case "dismiss_finding":
		args["finding"], args["reason"] = at.finding, "It is known."
	case "policy_preview":
		args["changes"] = map[string]any{"minSeverity": "high"}
	case "approve_output", "reject_output":
		args["output"], args["digest"] = at.output, at.digest
	case "search_code":
		args["text"] = "package"
	case "review_diff":
		args["diff"] = "diff --git a/pay.go b/pay.go\n--- a/pay.go\n+++ b/pay.go\n@@ -1 +1,2 @@\n package shop\n+var a = 1\n"
	}
	return args
}

// Every role with every scope at every tool: what is allowed works, what is not says
// which of the two is too small, and what may not be seen does not exist.
func TestMCPMatrix(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.code()
		w.assistants(true, everyTool()...)
		if !slices.Equal(everyTool(), sorted(wanted)) {
			t.Fatalf("the matrix has %v, there are %v", sorted(wanted), everyTool())
		}
		number := 100
		grades := []string{"none", "view", "review", "manage"}
		for _, owner := range append(slices.Clone(grades), "admin") {
			who, grade := "owner-"+owner, slices.Index(grades, owner)
			if owner == "admin" {
				who, grade = admin, len(grades)
			} else {
				w.person(who, false, w.Tenant, domain.RoleMember)
				w.role(who, w.Repository, owner)
			}
			for _, scope := range everyScope() {
				c := w.assistant(w.scoped(who, scope))
				for tool, needs := range wanted {
					number++
					at := w.pending(w.Tenant, w.Repository, number)
					got, text := w.tool(c, tool, asked(tool, at))
					says := func(what string, ok bool) {
						t.Helper()
						if !ok {
							t.Errorf("%s with %s at %s, %s: %s", owner, scope, tool, what, text)
						}
					}
					switch {
					case tenant.MCPTools()[tool] != scope:
						says("wants another scope", got.IsError && strings.Contains(text, "scope "+tenant.MCPTools()[tool]))
					case tool == "list_repositories":
						says("is answered", !got.IsError && (owner == "none") == (len(structured[struct{ Items []any }](t, got).Items) == 0))
					case owner == "none":
						_, absent := w.tool(c, tool, asked(tool, never()))
						says("is as what never was", got.IsError && text == absent && strings.HasPrefix(text, "There is nothing here."))
					case grade < slices.Index(grades, needs):
						says("wants a greater role", got.IsError && strings.Contains(text, "needs repo:"+needs))
					default:
						says("is done", !got.IsError)
					}
				}
			}
		}
		for action, want := range map[string]int{"finding.dismiss": 3, "approval.approve": 3, "approval.reject": 3, "review-run.rerun": 2} {
			log := w.call(admin, http.MethodGet, w.tenantPath()+"/audit?limit=200&action="+action, "").body
			testkit.Equal(t, "entries of "+action, strings.Count(log, `"action":"`+action+`"`), want)
		}
	})
}

func sorted(m map[string]string) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// askedRaw asks a tool as the bytes of a request, and returns those of the answer.
func (w *world) askedRaw(token, tool string, args map[string]any) reply {
	w.t.Helper()
	params, err := json.Marshal(map[string]any{"name": tool, "arguments": args})
	must(w.t, err)
	return w.call(anonymous, http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+string(params)+`}`, bearing(token), header("Accept", "application/json, text/event-stream"))
}

// What is of another tenant, and what is of a repository that one may not see, is answered
// byte for byte as an id that was never issued: as id, by name, and inside a repository
// that one may see.
func TestMCPAnswersWithTheSameBytes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.code()
		w.assistants(true, everyTool()...)
		w.person("hidden-from", false, w.Tenant, domain.RoleMember)
		w.role("hidden-from", w.Repository, "none")
		theirs, ours := w.pending(w.other.Tenant, w.other.Repository, 501), w.pending(w.Tenant, w.Repository, 502)
		within := func(at ids) ids { at.repository = ours.repository; return at }
		named := func(r store.Repository) ids { at := ours; at.repository = r.Owner + "/" + r.Name; return at }
		unknown := named(store.Repository{Owner: w.Repository.Owner, Name: "never-was"})
		for _, tc := range []struct {
			who, what string
			is, as    ids
		}{
			{admin, "another tenant's repository", theirs, never()},
			{admin, "another tenant's things in one's own", within(theirs), within(never())},
			{admin, "another tenant's repository by name", named(store.Repository{Owner: w.other.Repository.Owner + "-else", Name: w.other.Repository.Name}), unknown},
			{"hidden-from", "a repository without a role", ours, never()},
			{"hidden-from", "a repository without a role by name", named(w.Repository), unknown},
		} {
			token := w.scoped(tc.who, everyScope()...)
			for tool := range wanted {
				if tool == "list_repositories" || strings.HasSuffix(tc.what, "in one's own") && slices.Contains([]string{"list_findings", "list_rules", "search_code", "review_diff", "policy_preview"}, tool) {
					continue // they are about a repository alone
				}
				is, as := w.askedRaw(token, tool, asked(tool, tc.is)), w.askedRaw(token, tool, asked(tool, tc.as))
				if is.status != as.status || is.body != as.body || !strings.Contains(is.body, "There is nothing here.") {
					t.Errorf("%s at %s: %d %s, want %d %s", tool, tc.what, is.status, is.body, as.status, as.body)
				}
			}
		}
	})
}

// A token that has ended opens nothing, and says so as one that never was.
func TestMCPTokenEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.assistants(false, everyTool()...)
	var made tenant.McpTokenMade
	w.made(&made, member, w.tenantPath()+"/mcp-tokens", strings.Replace(tokenBody("short", 3*time.Second), "reviews:read", "rules:read", 1))
	ask := func(token string) reply {
		return w.askedRaw(token, "list_rules", map[string]any{"repository": w.Repository.ID})
	}
	testkit.Equal(t, "before its end", ask(made.Secret).status, http.StatusOK)
	var got reply
	testkit.Eventually(t, 20*time.Second, func() (bool, string) {
		got = ask(made.Secret)
		return got.status == http.StatusUnauthorized, got.body
	})
	testkit.Equal(t, "after it", got.body, ask(made.Secret+"x").body)
}
