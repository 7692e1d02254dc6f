package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/mcpserver"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// wanted has the role on the repository that each tool requires of the token's owner, as in docs/mcp.md.
var wanted = map[string]string{
	"list_repositories": "view", "search_code": "view", "get_review": "view", "list_findings": "view", "explain_finding": "view", "list_rules": "view", "review_diff": "view",
	"dismiss_finding": "review", "approve_output": "review", "reject_output": "review",
	"policy_preview": "manage", "rerun_review": "manage", "fix_finding": "manage", "list_suppressions": "view", "list_calibration": "view",
	"decide_suppression": "manage", "list_static_analysis": "view", "get_ci_analysis": "view",
	"list_proposed_rules": "view", "decide_proposed_rule": "manage",
}

// ids names objects of one repository.
type ids struct{ repository, run, finding, output, digest, suppression, rule string }

// never returns ids of the usual form that were never issued.
func never() ids {
	return ids{domain.NewID("rep"), domain.NewID("run"), domain.NewID("fnd"), domain.NewID("out"), strings.Repeat("ab", 32), domain.NewID("sup"), domain.NewID("rpr")}
}

type object = map[string]any

// pending creates a pull request with a waiting review, and returns the ids of its objects.
func (o *office) pending(in domain.Tenant, r store.Repository, number int) ids {
	t := o.t
	t.Helper()
	run := storetest.Run(t, o.Store, storetest.PullRequest(t, o.Store, r, number), "auto")
	found, err := o.Store.SaveRunFindings(bg, run, []domain.Finding{{Origin: domain.OriginModel, RuleID: "llm/x", Category: domain.CategoryBug, Severity: domain.High, Confidence: 0.9, Title: fmt.Sprintf("Number %d", number),
		Explanation: "It is so.", Verdict: domain.VerdictConfirmed, Route: domain.RouteInline, State: domain.FindingOpen, Anchor: domain.Anchor{Path: "a.go", Side: domain.Right, StartLine: 3, EndLine: 3, Level: domain.AnchorLine},
		Fingerprints: domain.Fingerprints{Exact: "a.go", Context: "a.go"}}})
	testkit.OK(t, err)
	for _, m := range []store.RunMove{{From: domain.RunQueued, To: domain.RunRunning}, {From: domain.RunRunning, To: domain.RunAwaitingApproval}} {
		_, err := o.Store.MoveRun(bg, in, run.ID, m)
		testkit.OK(t, err)
	}
	draft := object{"result": object{"findings": found, "modelState": "complete"}, "run": object{"HeadSHA": run.HeadSHA}, "first": true, "policy": domain.DefaultPolicy(), "host": object{"HTML": true, "MultiLine": true}}
	body := object{"kind": "review", "payload": object{"body": "One finding.", "comments": []object{{"path": "a.go", "line": 3, "body": "It is so", "findingId": found[0].ID}}, "posted": []string{found[0].ID}, "check": object{"title": "1 finding", "conclusion": "neutral"}}}
	out, err := o.Store.CreateOutput(bg, in, run.ID, "", store.JSON(body), strings.Repeat("ab", 32))
	testkit.OK(t, err)
	_, err = o.Store.CreateApproval(bg, in, store.NewApproval{Output: out.ID, Run: run.ID, Repository: r.ID, Digest: out.Digest, Draft: store.JSON(draft), For: time.Hour})
	testkit.OK(t, err)
	waits, err := store.AddRecord(bg, o.Store, in, store.Suppression{Record: store.Record{Repository: r.ID}, Scope: domain.ScopeRule, Matches: "llm/x", RuleID: "llm/x", Category: "bug", Severity: "low", Paths: "[]", Prints: "[]", State: domain.SuppressionProposed, Reason: "It is known."})
	testkit.OK(t, err)
	rule, err := store.AddRecord(bg, o.Store, in, store.RuleProposal{Record: store.Record{Repository: r.ID}, PullRequest: run.PullRequest, Number: int64(number), Thread: domain.HostID(fmt.Sprint(number)), Title: "Use the clock",
		Instruction: fmt.Sprintf("Read the time from package clock (%d).", number), Languages: "[]", ProposedName: "mona", State: domain.RuleProposed})
	testkit.OK(t, err)
	return ids{r.ID, run.ID, found[0].ID, out.ID, out.Digest, waits.ID, rule.ID}
}

// callRecord returns the arguments of a tool for these objects.
func callRecord(tool string, at ids) map[string]any {
	args := map[string]any{"repository": at.repository}
	switch tool {
	case "list_repositories":
		return map[string]any{}
	case "get_review", "rerun_review":
		args["run"] = at.run
	case "explain_finding", "fix_finding":
		args["finding"] = at.finding
	case "dismiss_finding":
		args["finding"], args["reason"] = at.finding, "It is known."
	case "decide_suppression":
		args["suppression"], args["decision"] = at.suppression, "decline"
	case "decide_proposed_rule":
		args["proposal"], args["decision"] = at.rule, "decline"
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

// entries counts the entries of the audit log with an action.
func (o *office) entries(action string) int {
	o.t.Helper()
	all, err := o.Features.Audit.Entries(bg, o.Tenant, store.AuditFilter{Action: action, Limit: 200})
	testkit.OK(o.t, err)
	return len(all)
}

// For every role, scope and tool: an allowed call works, a refusal says whether the role or the scope is too
// small, and an invisible object does not exist.
func TestMCPMatrix(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		o := newOffice(t, s)
		o.code(map[string]string{"pay.go": "package shop\n"})
		var there []string
		for name := range wanted {
			there = append(there, name)
		}
		slices.Sort(there)
		testkit.Require(t, "tools of the matrix", strings.Join(there, " "), strings.Join(everyTool(), " "))
		number := 100
		grades := []string{"none", "view", "review", "manage"}
		for _, owner := range append(slices.Clone(grades), "admin") {
			person, grade := o.olga, slices.Index(grades, owner)
			if grade < 0 {
				grade = len(grades)
			} else {
				person = o.Person("owner-"+owner, domain.RoleMember)
			}
			for _, scope := range everyScope() {
				caller := o.caller(person, scope)
				c := o.assistant(caller, nil)
				var offered []string
				for tool := range wanted {
					if mcpserver.ToolScopes()[tool] == scope {
						offered = append(offered, tool)
					}
				}
				slices.Sort(offered)
				testkit.Equal(t, "tools of "+scope, names(t, c), strings.Join(offered, " "))
				for tool, needs := range wanted {
					number++
					if owner != "admin" {
						o.role(person, owner) // roles for deciding acts must not be older than a minute, however long the test takes
					}
					at := o.pending(o.Tenant, o.Repository, number)
					got, text := o.tool(c, tool, callRecord(tool, at))
					says := func(what string, ok bool) {
						t.Helper()
						if !ok {
							t.Errorf("%s with %s at %s, %s: %s", owner, scope, tool, what, text)
						}
					}
					switch {
					case mcpserver.ToolScopes()[tool] != scope:
						says("wants another scope", got.IsError && strings.Contains(text, "scope "+mcpserver.ToolScopes()[tool]))
					case tool == "list_repositories":
						says("is answered", !got.IsError && (owner == "none") == (len(structured[struct{ Items []any }](t, got).Items) == 0))
					case owner == "none":
						_, absent := o.tool(c, tool, callRecord(tool, never()))
						says("is as what never was", got.IsError && text == absent && strings.HasPrefix(text, "There is nothing here."))
					case grade < slices.Index(grades, needs):
						says("wants a greater role", got.IsError && strings.Contains(text, "needs repo:"+needs))
					case tool == "fix_finding":
						says("waits for the review", got.IsError && strings.Contains(text, "not the finished review"))
					default:
						says("is done", !got.IsError)
					}
				}
			}
		}
		for action, want := range map[string]int{"finding.dismiss": 3, "approval.approve": 3, "approval.reject": 3, "review-run.rerun": 2, "suppression.decline": 2, "rule-proposal.decline": 2} {
			testkit.Equal(t, "entries of "+action, o.entries(action), want)
		}
	})
}

// A tool that the tenant does not offer does not exist, whatever the token and its owner may do.
func TestToolsThatAreOffered(t *testing.T) {
	t.Parallel()
	o := sqlite(t)
	boss := o.assistant(o.caller(o.olga), nil)
	o.offer(o.Tenant, false, everyTool()...)
	if got, text := o.tool(boss, "rerun_review", map[string]any{"repository": o.Repository.ID, "run": o.Run.ID}); !got.IsError || !strings.Contains(text, "do not allow tools that change something") {
		t.Errorf("writes are off: %s", text)
	}
	o.offer(o.Tenant, true, "list_rules")
	testkit.Equal(t, "offered", names(t, boss), "list_rules")
	viewer := o.assistant(o.caller(o.mona), nil)
	if got, text := o.tool(viewer, "list_rules", map[string]any{"repository": o.Repository.ID}); got.IsError {
		t.Errorf("with the role: %s", text)
	}
	o.role(o.mona, "none")
	if got, text := o.tool(viewer, "list_rules", map[string]any{"repository": o.Repository.ID}); !got.IsError || !strings.HasPrefix(text, "There is nothing here.") {
		t.Errorf("the role is gone: %s", text)
	}
}

// The answer about an object of another tenant, or of a repository that the person cannot see, has the same
// bytes as that about an id that was never issued: by id, by name, and inside a visible repository.
func TestMCPAnswersWithTheSameBytes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		o := newOffice(t, s)
		o.code(map[string]string{"pay.go": "package shop\n"})
		blind := o.Person("blind", domain.RoleMember)
		o.role(blind, "none")
		theirs, ours := o.pending(o.Other.Tenant, o.Other.Repository, 501), o.pending(o.Tenant, o.Repository, 502)
		within := func(at ids) ids { at.repository = ours.repository; return at }
		named := func(r store.Repository) ids { at := ours; at.repository = r.Owner + "/" + r.Name; return at }
		unknown := named(store.Repository{Owner: o.Repository.Owner, Name: "never-was"})
		for _, tc := range []struct {
			who, what string
			is, as    ids
		}{
			{o.olga, "another tenant's repository", theirs, never()},
			{o.olga, "another tenant's things in one's own", within(theirs), within(never())},
			{o.olga, "another tenant's repository by name", named(store.Repository{Owner: o.Other.Repository.Owner + "-else", Name: o.Other.Repository.Name}), unknown},
			{blind, "a repository without a role", ours, never()},
			{blind, "a repository without a role by name", named(o.Repository), unknown},
		} {
			caller := o.caller(tc.who)
			for tool := range wanted {
				if tool == "list_repositories" || strings.HasSuffix(tc.what, "in one's own") && slices.Contains([]string{"list_findings", "list_suppressions", "list_calibration", "list_static_analysis", "get_ci_analysis", "list_rules", "list_proposed_rules", "search_code", "review_diff", "policy_preview"}, tool) {
					continue // their only object is a repository
				}
				o.role(blind, "none") // roles for deciding acts must not be older than a minute
				is, as := o.raw(caller, tool, callRecord(tool, tc.is)), o.raw(caller, tool, callRecord(tool, tc.as))
				if is != as || !strings.Contains(is, "There is nothing here.") {
					t.Errorf("%s at %s: %s, want %s", tool, tc.what, is, as)
				}
			}
		}
		boss := o.assistant(o.caller(o.olga), nil)
		read := func(at ids) string {
			_, err := boss.ReadResource(bg, &mcp.ReadResourceParams{URI: "assay://repositories/" + at.repository + "/reviews/" + at.run})
			return strings.NewReplacer(at.repository, "rep", at.run, "run").Replace(fmt.Sprint(err))
		}
		testkit.Equal(t, "resources", read(theirs), read(never()))
		own, _ := o.tool(boss, "list_repositories", nil)
		testkit.Equal(t, "repositories", len(structured[struct{ Items []any }](t, own).Items), 1)
	})
}

// raw returns the bytes of the answer to a call.
func (o *office) raw(c mcpserver.Caller, tool string, args map[string]any) string {
	o.t.Helper()
	params, err := json.Marshal(map[string]any{"name": tool, "arguments": args})
	testkit.OK(o.t, err)
	status, answer, err := o.post(c, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+string(params)+`}`)
	testkit.OK(o.t, err)
	return fmt.Sprint(status, " ", answer)
}

// An assistant acts as the owner of its token: the author's assistant cannot dismiss findings that the author
// cannot dismiss.
func TestAssistantsActAsTheirOwners(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		o := newOffice(t, s)
		found, err := s.SaveRunFindings(bg, o.Run, []domain.Finding{{Origin: domain.OriginSecret, RuleID: "gitleaks/x", Category: domain.CategorySecret, Severity: domain.High, Title: "t", Route: domain.RouteInline, State: domain.FindingOpen,
			Fingerprints: domain.Fingerprints{Exact: "x"}}})
		testkit.OK(t, err)
		raw(`UPDATE pull_requests SET author_id = 4711`)
		raw(`INSERT INTO identities (id, user_id, issuer, subject, kind, login, created_us, used_us) SELECT 'idn_1', $1, web_url, '4711', 'codehost', 'x', 1, 1 FROM apps WHERE id = (SELECT app_id FROM installations WHERE id = $2)`, o.olga, o.Installation.ID)
		dismiss := func() (*mcp.CallToolResult, string) {
			t.Helper()
			return o.tool(o.assistant(o.caller(o.olga, "write"), nil), "dismiss_finding", map[string]any{"repository": o.Repository.ID, "finding": found[0].ID, "reason": "known"})
		}
		if got, text := dismiss(); !got.IsError || !strings.HasPrefix(text, "The author of a pull request cannot dismiss") {
			t.Errorf("the author's assistant: %s", text)
		}
		testkit.OK(t, s.PutSetting(bg, o.Tenant, "", store.SettingTenant, `{"authorMayApprove":true}`))
		if got, text := dismiss(); got.IsError {
			t.Errorf("the author's assistant, where authors decide: %s", text)
		}
	})
}
