// Package script makes rules for a simulated model from what was planted in sample pull requests: the generation stage
// finds what is in the diff it is shown, the verification stage confirms it. It holds no behaviour of the simulator.
package script

import (
	"slices"

	"github.com/assay-dev/assay/sim/host/demo"
	"github.com/assay-dev/assay/sim/model"
)

// Planted is a fault that was planted in a pull request.
type Planted struct {
	// Path is the file. LineContains is the line that a comment should stand on, on the new side: a line that equals it,
	// else one that contains it. StartContains is the first line of a range, empty for one line.
	Path, LineContains, StartContains string
	// Title and Explanation are what is said; Trigger is the input or state that shows the fault.
	Title, Explanation, Trigger string
	// Category is "bug" when empty; RuleKey "other"; Severity "high".
	Category, RuleKey, Severity string
	// Fix replaces the lines; the zero value means none.
	Fix Fix
	// Ask is what a tool is asked before it is said; nil: nothing.
	Ask *model.Ask
}

// Fix replaces Old, which is the code of the lines when empty, by New.
type Fix struct{ Old, New string }

// Names of the rules.
const (
	GenerateRule = "planted faults"
	VerifyRule   = "confirm claims"
	CriteriaRule = "judge the ticket"
	ToolRule     = "call the tool"
)

// ForPlanted makes the rules: one that finds whatever of the list a request of the stage "generate" shows, one that
// confirms the claims of the stage "verify". Other stages get the smallest answer.
func ForPlanted(list []Planted) []model.Rule {
	findings := make([]model.Finding, 0, len(list))
	for _, p := range list {
		f := model.Finding{Path: p.Path, LineContains: p.LineContains, StartContains: p.StartContains, Title: p.Title, Explanation: p.Explanation,
			Trigger: p.Trigger, Category: p.Category, RuleKey: p.RuleKey, Severity: p.Severity, Ask: p.Ask}
		if p.Fix != (Fix{}) {
			f.Fix = &model.Fix{Old: p.Fix.Old, New: p.Fix.New}
		}
		findings = append(findings, f)
	}
	return []model.Rule{
		{Name: GenerateRule, Match: model.Match{Stage: "generate"}, Reply: model.Reply{Findings: findings}},
		{Name: VerifyRule, Match: model.Match{Stage: "verify"}, Reply: model.Reply{Verify: &model.Verify{}}},
	}
}

// ruleKeys names the kinds of the sample's faults by their titles; others are "other".
func ruleKey(title string) string {
	switch title {
	case "The last order of the last page is dropped":
		return "off-by-one"
	case "An unknown customer crashes the request":
		return "error-ignored"
	case "A payout can be sent twice":
		return "retry-unsafe"
	case "The uploads are not awaited":
		return "missing-await"
	}
	return "other"
}

// FromDemo returns the faults of the sample of the simulated GitHub.
func FromDemo(pulls []demo.PullRequest) []Planted {
	var out []Planted
	for _, p := range pulls {
		for _, b := range p.PlantedBugs {
			one := Planted{Path: b.Path, LineContains: b.LineText, StartContains: b.StartLineText, Title: b.Title, Explanation: b.Explanation,
				Category: b.Category, RuleKey: ruleKey(b.Title), Severity: b.Severity, Fix: Fix{New: b.Suggestion}}
			if a := b.Question; a != nil {
				one.Ask = &model.Ask{Tool: a.Tool, Arguments: a.Arguments, Lens: "general", Contains: a.Contains, Adds: a.Adds}
			}
			out = append(out, one)
		}
	}
	return out
}

// ForTicket makes the rule that judges the criteria of a ticket of the sample, after it has read where the code of each
// stands or would have to.
func ForTicket(t demo.Ticket) model.Rule {
	out := &model.Criteria{}
	read := func(path string) {
		if !slices.Contains(out.Read, path) {
			out.Read = append(out.Read, path)
		}
	}
	for _, c := range t.Criteria {
		one := model.Criterion{Text: c.Text, Verdict: "not_met", Reason: c.Reason}
		if c.Met {
			one.Verdict = "met"
		}
		for _, q := range c.Quotes {
			one.Quotes = append(one.Quotes, model.CodeQuote(q))
			read(q.Path)
		}
		for _, p := range c.Searched {
			if p.Query == "" {
				one.Searched = append(one.Searched, model.Searched(p))
				read(p.Path)
				continue
			}
			one.Searched = append(one.Searched, model.Searched{Query: p.Query, Note: p.Note})
			out.Search = append(out.Search, model.Search{Query: p.Query, Glob: p.Path})
		}
		out.List = append(out.List, one)
	}
	return model.Rule{Name: CriteriaRule, Match: model.Match{Stage: "criteria"}, Reply: model.Reply{Criteria: out}}
}

// Demo returns the rules for the sample of the simulated GitHub, of which verification looks definitions up before it
// answers, one that judges the ticket, and one that calls the tool of the test of a model key when it is told to.
func Demo() []model.Rule {
	rules := ForPlanted(FromDemo(append(demo.PullRequests(), demo.Held())))
	for _, r := range rules {
		if r.Reply.Verify != nil {
			r.Reply.Verify.Look = true
		}
	}
	return append(rules, ForTicket(demo.PagesTicket()), model.Rule{Name: ToolRule, Match: model.Match{UserContains: []string{"Call the tool report"}},
		Reply: model.Reply{ToolCalls: []model.ToolCall{{Name: "report", Arguments: `{"verdict":"good"}`}}}})
}
