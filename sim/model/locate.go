package model

import (
	"encoding/json"
	"strings"

	"github.com/assay-dev/assay/sim/model/prompt"
)

// span returns the lines of a finding.
func span(d prompt.Diff, f Finding) (first, last int, ok bool) {
	from := 0
	if f.StartContains != "" {
		l := d.Find(f.Path, f.StartContains, 0)
		if l == nil {
			return 0, 0, false
		}
		from = l.Number
	}
	end := d.Find(f.Path, f.LineContains, from)
	if end == nil {
		return 0, 0, false
	}
	if from > 0 {
		return from, end.Number, true
	}
	if f.Fix != nil && strings.Contains(f.Fix.Old, "\n") {
		want := strings.TrimRight(f.Fix.Old, "\n")
		height := strings.Count(want, "\n")
		for n := max(end.Number-height, 1); n <= end.Number; n++ {
			if code, shown := d.Code(f.Path, false, n, n+height); shown && code == want {
				return n, n + height, true
			}
		}
	}
	return end.Number, end.Number, true
}

// locateFindings answers with the findings whose lines are in the request's diff, and with the synopsis that it asks for.
func locateFindings(q *request, findings []Finding, synopses map[string]string) (json.RawMessage, error) {
	d := prompt.ReadDiff(q.user)
	var out []prompt.Found
	for _, f := range findings {
		first, last, ok := span(d, f)
		if !ok {
			continue
		}
		quote, ok := d.Code(f.Path, false, first, last)
		if !ok {
			continue // the diff shows only a part of the range
		}
		a := prompt.Found{Path: f.Path, Side: "RIGHT", Start: max(first+f.Off, 1), End: max(last+f.Off, 1), Quote: quote, Title: f.Title,
			Explanation: f.fullExplanation(q),
			Trigger:     f.Trigger, SelfDoubt: f.SelfDoubt, Evidence: []prompt.Citation{},
			Category: prompt.Allowed(q.schema, "category", f.Category, "bug"), RuleKey: prompt.Allowed(q.schema, "rule_key", f.RuleKey, "other"),
			Severity: prompt.Allowed(q.schema, "severity", f.Severity, "high")}
		if f.Quote != "" {
			a.Quote = f.Quote
		}
		if f.Fix != nil {
			a.Fix = &prompt.Change{Old: quote, New: f.Fix.New}
			if f.Fix.Old != "" {
				a.Fix.Old = f.Fix.Old
			}
		}
		for _, e := range f.Evidence {
			if l := d.Find(e.Path, e.LineContains, 0); l != nil {
				a.Evidence = append(a.Evidence, prompt.Citation{Path: e.Path, Start: l.Number, End: l.Number, Quote: l.Text, Note: e.Note})
			}
		}
		out = append(out, a)
	}
	answer := prompt.Findings(out)
	if text := synopsis(q, d, synopses); text != "" {
		answer["synopsis"] = text
	}
	return plainJSON(answer)
}

// synopsis returns the sentence for the first file of a diff that has one, "" without one or if the request does not ask for it.
func synopsis(q *request, d prompt.Diff, synopses map[string]string) string {
	if !prompt.AsksSynopsis(q.user) {
		return ""
	}
	for _, l := range d {
		if text := synopses[l.Path]; text != "" {
			return text
		}
	}
	return ""
}
