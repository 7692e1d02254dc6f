// Package script makes rules for a simulated model from the planted faults of sample pull requests: the
// generation stage finds those in its diff, the verification stage confirms them. It holds no behaviour of the
// simulator.
package script

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/host/demo"
	"github.com/assay-dev/assay/sim/model"
)

// Planted is a fault that was planted in a pull request.
type Planted struct {
	// Path is the file. LineContains selects the line for a comment, on the new side: a line that equals it,
	// otherwise one that contains it. StartContains selects the first line of a range; it is empty for one
	// line.
	Path, LineContains, StartContains string
	// Title and Explanation are the report; Trigger is the input or state that shows the fault.
	Title, Explanation, Trigger string
	// Category is "bug" if empty, RuleKey "other", Severity "high".
	Category, RuleKey, Severity string
	// Fix replaces the lines; the zero value means no fix.
	Fix Fix
	// Ask is a call of a tool before the report; nil for none.
	Ask *model.Ask
}

// Fix replaces Old by New. An empty Old means the code of the lines.
type Fix struct{ Old, New string }

// Names of the rules.
const (
	GenerateRule = "planted faults"
	VerifyRule   = "confirm claims"
	CriteriaRule = "judge the ticket"
	ToolRule     = "call the tool"
)

// ForPlanted returns two rules: one finds the listed faults that a request of the stage "generate" shows, one
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

// Correction is a reply to a finding from which the model proposes a rule.
const Correction = "We always check errors here"

// ForReplies returns the rules that sort replies to findings by their words; a reply without such words disputes the finding. One
// with [Correction] proposes a rule.
func ForReplies() []model.Rule {
	out := []model.Rule{{Name: "a reply that proposes a rule",
		Match: model.Match{Stage: "reply", UserRegexp: `(?s)reply of a person>.*` + Correction},
		Reply: model.Reply{JSON: []byte(`{"intent":"other","rule":"Check every error before the value beside it is used.",` +
			`"rule_title":"Check errors","rule_quote":"` + Correction + `"}`)}}}
	for _, r := range []struct{ intent, words string }{ // the first that matches counts
		{"mended", `\b(fixed|mended|done in|resolved)\b`},
		{"declines", `\b(won'?t fix|by design|on purpose|intended|out of scope|accept(ed)?)\b`},
		{"other", `\b(thanks|thank you|good catch|will (do|fix))\b`},
		{"asks", `\?`},
	} {
		out = append(out, model.Rule{Name: "a reply that " + r.intent, Reply: model.Reply{JSON: []byte(`{"intent":"` + r.intent + `"}`)},
			Match: model.Match{Stage: "reply", UserRegexp: `(?is)reply of a person>.*` + r.words}})
	}
	return out
}

// ForFixes returns the rules that mend the planted faults of pull requests, and those by which the verifier agrees. The second look
// gets the smallest answer, which has no problems. The errors are those of encoding texts.
func ForFixes(pulls []demo.PullRequest) (out []model.Rule, err error) {
	add := func(stage, title string, answer any) error {
		raw, err := json.Marshal(answer)
		out = append(out, model.Rule{Name: stage + ": " + title, Match: model.Match{Stage: stage, UserContains: []string{title}},
			Reply: model.Reply{JSON: raw}})
		return err
	}
	for _, p := range pulls {
		for _, b := range p.PlantedBugs {
			planted := strings.Split(p.Files[b.Path], "\n")[max(cmp.Or(b.StartLine, b.Line), 1)-1 : b.Line]
			quote := b.Suggestion
			for line := range strings.Lines(b.Suggestion) {
				if line = strings.TrimSuffix(line, "\n"); !slices.Contains(planted, line) {
					quote = strings.TrimSpace(line)
					break
				}
			}
			edit := map[string]string{"path": b.Path, "search": strings.Join(planted, "\n"), "replace": b.Suggestion}
			err = errors.Join(err, add("fix", b.Title, map[string]any{"edits": []any{edit}, "summary": "Replaces the lines of the finding."}),
				add("fix-verify", b.Title, map[string]string{"verdict": "refuted", "quote": quote, "why": "The new lines mend it."}))
		}
	}
	return out, err
}

// ForSwitches returns the rules for the asked fixes that are to be refused: the answer puts a comment above the line that switches the
// scanner of secrets off. The errors are those of encoding texts.
func ForSwitches(pulls []demo.PullRequest, asked []demo.AskedFix) (out []model.Rule, err error) {
	for _, a := range asked {
		if !a.Refused {
			continue
		}
		above := strings.Split(pulls[a.Pull-1].Files[a.Path], "\n")[a.Line-2] + "\n"
		edit := map[string]string{"path": a.Path, "search": above, "replace": above + "  // gitleaks:allow\n"}
		raw, failed := json.Marshal(map[string]any{"edits": []any{edit}, "summary": "Marks the line as known."})
		err = errors.Join(err, failed)
		out = append(out, model.Rule{Name: "fix: switch off", Reply: model.Reply{JSON: raw},
			Match: model.Match{Stage: "fix", UserContains: []string{fmt.Sprintf("place: %s:%d-", a.Path, a.Line)}}})
	}
	return out, err
}

// ForJobs returns the rules that explain failed jobs, by their logs, and one for other jobs. The errors are those of encoding texts.
func ForJobs(list []demo.FailedJob) (out []model.Rule, err error) {
	for _, j := range list {
		quotes := []any{}
		for _, q := range j.Quotes {
			source := "diff"
			if q.Path == "" {
				source = "log"
			}
			quotes = append(quotes, map[string]string{"source": source, "path": q.Path, "quote": q.Text})
		}
		raw, failed := json.Marshal(map[string]any{"cause": j.Cause, "relation": j.Relation, "suggestion": j.Suggestion, "evidence": quotes})
		err = errors.Join(err, failed)
		out = append(out, model.Rule{Name: "explain the job " + j.Name, Reply: model.Reply{JSON: raw},
			Match: model.Match{Stage: "failure", UserContains: []string{j.Quotes[0].Text}}})
	}
	return append(out, model.Rule{Name: "explain a job without its log", Match: model.Match{Stage: "failure"},
		Reply: model.Reply{JSON: []byte(`{"cause":"The job failed, and there is no log that would show why.","relation":"unclear",` +
			`"suggestion":"Read the log on the page of the job.","evidence":[]}`)}}), err
}

// ruleKey returns the kind of a fault of the sample by its title, "other" if unknown.
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

// FromDemo returns the faults of the sample.
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

// ForTicket returns the rule that judges the criteria of a ticket of the sample. It first reads the places
// where the code of each criterion is or should be.
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

// synopses returns the sentences on the pull requests of the sample, by the paths of their files.
func synopses(pulls []demo.PullRequest) map[string]string {
	out := map[string]string{}
	for _, p := range pulls {
		for path := range p.Files {
			out[path] = p.Synopsis
		}
	}
	return out
}

// Demo returns the rules for the sample: those of its faults, whose verification looks definitions up before
// it answers, those that sort replies, mend faults and explain failed jobs, one that judges the ticket, and one that calls the tool in the
// test of a model key.
func Demo() []model.Rule {
	pulls := append(demo.PullRequests(), demo.Held())
	rules := ForPlanted(FromDemo(pulls))
	for i, r := range rules {
		if r.Reply.Verify != nil {
			r.Reply.Verify.Look = true
		}
		if r.Name == GenerateRule {
			rules[i].Reply.Synopses = synopses(pulls)
		}
	}
	fixes, err := ForFixes(pulls)
	switches, err2 := ForSwitches(pulls, demo.AskedFixes())
	jobs, err3 := ForJobs(demo.FailedJobs())
	if err := errors.Join(err, err2, err3); err != nil {
		panic(err) // maps of texts
	}
	rules = slices.Concat(rules, ForReplies(), fixes, switches, jobs)
	return append(rules, ForTicket(demo.PagesTicket()), model.Rule{Name: ToolRule,
		Match: model.Match{UserContains: []string{"Call the tool report"}},
		Reply: model.Reply{ToolCalls: []model.ToolCall{{Name: "report", Arguments: `{"verdict":"good"}`}}}})
}
