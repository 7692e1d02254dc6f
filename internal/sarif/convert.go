package sarif

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// clip returns at most n bytes of s, without half a character at the end.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.Clone(s[:n])
}

// clipped returns a result whose texts are within the bounds, so that a kept result is small.
func (r wireResult) clipped(l Limits) wireResult {
	r.RuleID, r.Rule.ID, r.Message.Text = clip(r.RuleID, maxName), clip(r.Rule.ID, maxName), clip(r.Message.Text, maxMessage)
	r.Message.ID, r.Kind, r.Level, r.Baseline = clip(r.Message.ID, maxName), clip(r.Kind, maxName), clip(r.Level, maxName), clip(r.Baseline, maxName)
	for i := range r.Message.Arguments.items {
		r.Message.Arguments.items[i] = clip(r.Message.Arguments.items[i], maxName)
	}
	for i := range r.Locations.items {
		r.Locations.items[i].clip()
	}
	for i := range r.Flows.items {
		for j := range r.Flows.items[i].Threads.items {
			t := &r.Flows.items[i].Threads.items[j].Steps
			if n := len(t.items) - l.Steps; n > 0 {
				t.items, t.left = t.items[:l.Steps], t.left+n
			}
			for k := range t.items {
				t.items[k].Location.clip()
			}
		}
	}
	prints := map[string]string{}
	for _, from := range []map[string]string{r.Whole.items, r.Partial.items} {
		for _, name := range slices.Sorted(maps.Keys(from)) {
			if value := from[name]; value != "" && len(prints) < maxPrints {
				prints[clip(name, maxName)] = clip(value, maxName)
			}
		}
	}
	r.Partial.items, r.Whole.items = prints, nil
	return r
}

func (l *wireLocation) clip() {
	a := &l.Physical.Artifact
	if len(a.URI) > maxURI {
		a.URI = "" // part of an address is another address
	}
	a.Base, l.Message.Text = clip(a.Base, maxName), clip(l.Message.Text, maxName)
}

// run returns the run that a document describes.
func (w *wireRun) run(l Limits) Run {
	d := w.tool.Driver
	out := Run{Tool: clip(d.Name, maxName), Version: clip(string(d.Version), maxName), Rules: map[string]Rule{}, Successful: true,
		CutResults: w.cut, Unreadable: w.broken}
	if d.SemanticVersion != "" {
		out.Version = clip(string(d.SemanticVersion), maxName)
	}
	rules, cut := d.Rules.items, d.Rules.left
	for _, e := range w.tool.Extensions.items {
		rules, cut = append(rules, e.Rules.items...), cut+e.Rules.left
	}
	out.CutRules = cut + max(0, len(rules)-l.Rules)
	for _, r := range rules[:min(len(rules), l.Rules)] {
		if r.ID != "" {
			out.Rules[clip(r.ID, maxName)] = r.rule()
		}
	}
	w.readInvocations(&out)
	paths := resolver{bases: w.bases.items, artifacts: w.artifacts.items}
	for _, r := range w.results {
		if r.passes() {
			out.Passed++
			continue
		}
		out.Results = append(out.Results, w.result(r, out.Rules, paths))
	}
	return out
}

func (r wireRule) rule() Rule {
	out := Rule{ID: clip(r.ID, maxName), Name: clip(r.Name, maxName), Short: clip(r.Short.Text, maxMessage), Help: webAddress(r.Help),
		Level: level(r.Defaults.Level)}
	if out.Short == "" {
		out.Short = clip(r.Full.Text, maxMessage)
	}
	if n, err := strconv.ParseFloat(string(r.Properties.Security), 64); err == nil && n >= 0 && n <= 10 {
		out.Security, out.HasSecurity = n, true
	}
	for _, tag := range r.Properties.Tags.items {
		if len(out.Tags) < 10 {
			out.Tags = append(out.Tags, clip(tag, maxName))
		}
	}
	return out
}

// webAddress returns an address that a page may link to, or "".
func webAddress(s string) string {
	if len(s) > maxURI || !strings.HasPrefix(s, "https://") || strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune("\"'<>()[]`\\", r)
	}) {
		return ""
	}
	return s
}

// level returns a level of the format, or "".
func level(s string) string {
	switch s {
	case LevelError, LevelWarning, LevelNote, LevelNone:
		return s
	}
	return ""
}

// readInvocations reads how the tool ran: whether it failed, how long it took, and what it reports about itself.
func (w *wireRun) readInvocations(out *Run) {
	var first, last time.Time
	for _, v := range w.invocations.items {
		out.Successful = out.Successful && (v.Successful == nil || *v.Successful)
		if start, err := time.Parse(time.RFC3339, v.Start); err == nil && (first.IsZero() || start.Before(first)) {
			first = start
		}
		if end, err := time.Parse(time.RFC3339, v.End); err == nil && end.After(last) {
			last = end
		}
		for _, notes := range []list[wireNotification, several]{v.Execution, v.Configuration} {
			out.CutNotes += notes.left
			for _, n := range notes.items {
				switch text := clip(n.Message.Text, maxMessage); {
				case text == "" || n.Level == LevelNote || n.Level == LevelNone:
				case len(out.Notes) == maxNotes:
					out.CutNotes++
				default:
					out.Notes = append(out.Notes, text)
				}
			}
		}
	}
	if took := last.Sub(first); !first.IsZero() && took > 0 && took < 7*24*time.Hour {
		out.Duration = took
	}
}

// passes reports whether a result is not a problem of the code as it is now.
func (r wireResult) passes() bool {
	switch r.Kind {
	case "", "fail", "open", "review":
		return r.Baseline == "absent"
	}
	return true
}

func (w *wireRun) result(r wireResult, rules map[string]Rule, paths resolver) Result {
	id, described := w.ruleOf(r)
	out := Result{RuleID: id, Level: level(r.Level), Message: r.Message.Text, Fingerprints: r.Partial.items,
		Suppressed: r.suppressed(), Unchanged: r.Baseline == "unchanged"}
	if out.Level == "" {
		out.Level = rules[id].Level
	}
	if out.Level == "" {
		out.Level = LevelWarning // its default (section 3.49.8 and 3.27.10)
	}
	if out.Message == "" {
		out.Message = fill(described.Messages.items[r.Message.ID].Text, r.Message.Arguments.items)
	}
	if len(r.Locations.items) > 0 {
		at := r.Locations.items[0].Physical
		out.Path, out.Outside = paths.path(at.Artifact)
		out.StartLine, out.EndLine = lines(at.Region)
	}
	for _, flow := range r.Flows.items {
		for _, t := range flow.Threads.items {
			out.CutSteps = t.Steps.left
			for _, s := range t.Steps.items {
				step := Step{Message: s.Location.Message.Text}
				step.Path, step.Outside = paths.path(s.Location.Physical.Artifact)
				step.StartLine, _ = lines(s.Location.Physical.Region)
				out.Flow = append(out.Flow, step)
			}
		}
	}
	return out
}

// maxLine bounds line numbers, so that sums of them do not overflow.
const maxLine = 10_000_000

func lines(r wireRegion) (first, last int) {
	if r.StartLine < 1 || r.StartLine > maxLine {
		return 0, 0
	}
	return r.StartLine, min(max(r.StartLine, r.EndLine), maxLine)
}

// ruleOf returns the id of a result's rule, and its description. The id comes from the result, or from the place in the list of rules
// that the result names.
func (w *wireRun) ruleOf(r wireResult) (string, wireRule) {
	rules, index := w.tool.Driver.Rules.items, r.RuleIndex
	if index == nil {
		index = r.Rule.Index
	}
	if c := r.Rule.Component.Index; c != nil {
		rules = nil
		if *c >= 0 && *c < len(w.tool.Extensions.items) {
			rules = w.tool.Extensions.items[*c].Rules.items
		}
	}
	var at wireRule
	if index != nil && *index >= 0 && *index < len(rules) {
		at = rules[*index]
	}
	id := r.RuleID
	if id == "" {
		id = r.Rule.ID
	}
	if id == "" {
		id = clip(at.ID, maxName)
	}
	return id, at
}

// suppressed reports whether a suppression of the result is accepted, and every other one too (section 3.27.23).
func (r wireResult) suppressed() bool {
	for _, s := range r.Suppressions.items {
		if s.Status != "" && s.Status != "accepted" {
			return false
		}
	}
	return len(r.Suppressions.items) > 0
}

// fill puts the arguments of a message in the places {0}, {1} and so on.
func fill(text string, arguments []string) string {
	text = clip(text, maxMessage)
	for i, a := range arguments {
		text = strings.ReplaceAll(text, "{"+strconv.Itoa(i)+"}", a)
		text = clip(text, maxMessage)
	}
	return text
}
