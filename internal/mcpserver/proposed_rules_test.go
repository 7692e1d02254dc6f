package mcpserver_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/mcpserver"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// An assistant lists the proposed rules that wait, and decides on them: wrong input is refused at its field, a rule is created as
// proposed or as changed, and a second decision says who decided.
func TestAssistantsDecideOnProposedRules(t *testing.T) {
	t.Parallel()
	o := sqlite(t)
	c := o.assistant(o.caller(o.olga), nil)
	ids := map[string]string{}
	for _, title := range []string{"Use the clock", "Close bodies", "Name the unit"} {
		v, _, err := o.Store.ProposeRule(bg, o.Tenant, store.RuleProposal{Record: store.Record{Repository: o.Repository.ID}, PullRequest: o.Pull.ID, Number: 1, Thread: domain.HostID(title), ThreadURL: "https://host.example/1#r1",
			Title: title, Instruction: title + " everywhere.", Languages: `["go"]`, ProposedName: "mona"})
		testkit.OK(t, err)
		ids[title] = v.ID
	}
	list := func(args object) (items []mcpserver.ProposedRule, next, text string) {
		t.Helper()
		args["repository"] = o.Repository.ID
		got, text := o.tool(c, "list_proposed_rules", args)
		page := structured[mcpserver.ProposedRules](t, got)
		return page.Items, page.NextCursor, text
	}
	items, next, text := list(object{"limit": 2})
	if len(items) != 2 || next == "" || items[0].Title != "Name the unit" || items[0].Thread != "https://host.example/1#r1" || items[0].ProposedBy != "mona" || !strings.Contains(text, "no instructions") {
		t.Fatalf("%+v, %q, %s", items, next, text)
	}
	items, next, _ = list(object{"limit": 2, "cursor": next})
	if len(items) != 1 || next != "" || items[0].Title != "Use the clock" {
		t.Fatalf("the second page: %+v, %q", items, next)
	}

	decide := func(title, decision string, rule object) (mcpserver.ProposedRule, bool, string) {
		t.Helper()
		args := object{"repository": o.Repository.ID, "proposal": ids[title], "decision": decision, "note": "As agreed."}
		if rule != nil {
			args["rule"] = rule
		}
		got, text := o.tool(c, "decide_proposed_rule", args)
		if got.IsError {
			return mcpserver.ProposedRule{}, true, text
		}
		return structured[mcpserver.ProposedRule](t, got), false, text
	}
	for name, wrong := range map[string]object{
		"rule/title":       {"title": strings.Repeat("x", 201)},
		"rule/instruction": {"instruction": strings.Repeat("x", 4001)},
		"rule/paths/0":     {"paths": []string{"["}},
		"rule/languages":   {"languages": make([]string, 21)},
		"rule/severity":    {"severity": "huge"},
	} {
		if _, failed, text := decide("Use the clock", "accept", wrong); !failed || !strings.Contains(text, " "+name+" must") {
			t.Errorf("%s: %s", name, text)
		}
	}
	if _, failed, text := decide("Use the clock", "decline", object{"severity": "high"}); !failed || !strings.Contains(text, " rule must be absent") {
		t.Errorf("a declined rule with changes: %s", text)
	}

	made, _, _ := decide("Use the clock", "accept", object{"instruction": "No time.Now.", "paths": []string{"**/*.go"}, "severity": "high"})
	plain, _, _ := decide("Close bodies", "accept", nil)
	declined, _, _ := decide("Name the unit", "decline", nil)
	testkit.Equal(t, "states", made.State+" "+plain.State+" "+declined.State, "accepted accepted declined")
	rules, err := o.Features.Tenant.Rules(bg, o.Tenant, o.Repository.ID, tenant.Page{Limit: 9})
	testkit.OK(t, err)
	if len(rules) != 2 || rules[1].ID != made.Rule || rules[1].Title != "Use the clock" || rules[1].Instruction != "No time.Now." || rules[1].Severity != "high" || strings.Join(rules[1].Languages, "") != "go" ||
		rules[0].ID != plain.Rule || rules[0].Instruction != "Close bodies everywhere." || rules[0].Severity != "medium" {
		t.Errorf("%+v", rules)
	}
	if _, failed, text := decide("Use the clock", "decline", nil); !failed || !strings.Contains(text, "accepted this rule") {
		t.Errorf("a second decision: %s", text)
	}
	if items, _, _ = list(object{}); len(items) != 0 {
		t.Errorf("decided ones wait: %+v", items)
	}
	items, _, _ = list(object{"state": "declined"})
	testkit.Require(t, "declined ones", len(items), 1)
	testkit.Equal(t, "entries", o.entries("rule-proposal.accept"), 2)
}
