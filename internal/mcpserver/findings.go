package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/store"
)

// Finding is a finding as tools list it. Its texts were written by models and checks, or quote the code.
type Finding struct {
	ID          string      `json:"id"`
	State       string      `json:"state" jsonschema:"open, resolved, dismissed or suppressed"`
	Severity    string      `json:"severity"`
	Category    string      `json:"category"`
	Confidence  float64     `json:"confidence" jsonschema:"0 to 1"`
	RuleID      string      `json:"ruleId"`
	Path        string      `json:"path"`
	Side        string      `json:"side,omitempty" jsonschema:"RIGHT: lines of the new version; LEFT: of the old one"`
	StartLine   int         `json:"startLine,omitempty" jsonschema:"1-based; absent where it is about no line"`
	EndLine     int         `json:"endLine,omitempty"`
	Title       string      `json:"title"`
	Explanation string      `json:"explanation,omitempty"`
	Suggestion  *Suggestion `json:"suggestion,omitempty"`
	Shown       string      `json:"shown" jsonschema:"Where a review shows it: inline, summary, or stored: nowhere but on the page of the run"`
	PullRequest int         `json:"pullRequest,omitempty"`
	CommentURL  string      `json:"commentUrl,omitempty"`
}

// Suggestion replaces lines of the new version of a file.
type Suggestion struct {
	Path      string `json:"path"`
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
	New       string `json:"new" jsonschema:"The lines to put there"`
	Applies   bool   `json:"applies" jsonschema:"It was applied in memory and fits"`
}

// Findings is a page of findings.
type Findings struct {
	Items      []Finding `json:"items"`
	NextCursor string    `json:"nextCursor,omitempty" jsonschema:"For the next page; absent on the last one"`
}

func (s *Service) finding(f domain.Finding) Finding {
	out := Finding{ID: f.ID, State: string(f.State), Severity: f.Severity.String(), Category: string(f.Category),
		Confidence: f.Confidence, RuleID: s.line(f.RuleID), Path: s.line(f.Anchor.Path), Side: string(f.Anchor.Side),
		StartLine: f.Anchor.StartLine, EndLine: f.Anchor.EndLine, Title: s.line(f.Title), Explanation: s.text(f.Explanation),
		Shown: string(f.Route)}
	if g := f.Suggestion; g != nil {
		out.Suggestion = &Suggestion{Path: s.line(g.Path), StartLine: g.Start, EndLine: g.End, New: s.text(g.New), Applies: g.Applies}
	}
	return out
}

// place returns the location of a finding for people.
func (f Finding) place() string {
	switch {
	case f.Path == "":
		return "the pull request"
	case f.StartLine == 0:
		return f.Path
	case f.EndLine > f.StartLine:
		return fmt.Sprintf("%s:%d-%d", f.Path, f.StartLine, f.EndLine)
	}
	return fmt.Sprintf("%s:%d", f.Path, f.StartLine)
}

// markdown returns a finding as one line.
func (f Finding) markdown() string {
	return fmt.Sprintf("[%s] %s: %s (%s, %s, id %s)\n", f.Severity, f.place(), f.Title, f.Category, f.State, f.ID)
}

// FindingsWanted is the input of list_findings.
type FindingsWanted struct {
	Place
	State       string `json:"state,omitempty" jsonschema:"Only those in this state now; open where absent, any for all"`
	Severity    string `json:"severity,omitempty" jsonschema:"Only those of this severity"`
	Category    string `json:"category,omitempty" jsonschema:"Only those of this category"`
	Rule        string `json:"rule,omitempty" jsonschema:"Only those of the rule with this id"`
	Path        string `json:"path,omitempty" jsonschema:"Only those of this file"`
	PullRequest int    `json:"pullRequest,omitempty" jsonschema:"Only those of the pull request with this number"`
	Paging
}

func states() []string {
	return []string{"open", "resolved", "dismissed", "suppressed", "any"}
}

func severities() []string { return []string{"info", "low", "medium", "high", "critical"} }

func categories() (out []string) {
	for _, c := range domain.Categories() {
		out = append(out, string(c))
	}
	return out
}

// findingEnums adds the allowed words of the filters to the input schema.
func findingEnums(s *jsonschema.Schema) {
	for name, words := range map[string][]string{"state": states(), "severity": severities(), "category": categories()} {
		for _, w := range words {
			s.Properties[name].Enum = append(s.Properties[name].Enum, w)
		}
	}
}

func (in FindingsWanted) filter() (store.FindingsFilter, error) {
	var c field.Check
	word := func(name, value string, of []string) {
		c.That(value == "" || slices.Contains(of, value), "/"+name, "must be one of "+strings.Join(of, ", "))
	}
	word("state", in.State, states())
	word("severity", in.Severity, severities())
	word("category", in.Category, categories())
	c.That(len(in.Rule) <= 300, "/rule", "must have at most 300 characters")
	c.That(len(in.Path) <= 4096, "/path", "must have at most 4096 characters")
	c.That(in.PullRequest >= 0 && in.PullRequest < 1<<31, "/pullRequest", "must be the number of a pull request")
	if err := c.Err(); err != nil {
		return store.FindingsFilter{}, err
	}
	limit, before, err := in.window()
	out := store.FindingsFilter{State: domain.FindingState(in.State), Severity: in.Severity, Category: in.Category, Rule: in.Rule,
		Path: in.Path, Number: in.PullRequest, Before: before, Limit: limit + 1}
	switch in.State {
	case "":
		out.State = domain.FindingOpen
	case "any":
		out.State = ""
	}
	return out, err
}

func listFindings(ctx context.Context, v *visit, in FindingsWanted) (Findings, string, error) {
	out := Findings{Items: []Finding{}}
	f, err := in.filter()
	if err != nil {
		return out, "", err
	}
	at, err := v.repository(ctx, in.Repository, perm.RepoView, false)
	if err != nil {
		return out, "", err
	}
	rows, err := v.Store.Findings(ctx, v.Tenant, at.ID, f)
	if err != nil {
		return out, "", err
	}
	rows, out.NextCursor = cutPage(rows, f.Limit-1)
	var b strings.Builder
	for _, r := range rows {
		shown := v.finding(r.Finding)
		shown.Explanation, shown.Suggestion = "", nil
		shown.PullRequest, shown.CommentURL = r.Number, r.CommentURL
		out.Items = append(out.Items, shown)
		b.WriteString(shown.markdown())
	}
	text := pluralize(len(rows), "finding.", "findings.") + nextPageHint(out.NextCursor)
	if len(rows) > 0 {
		if t, there := v.tool("explain_finding"); there && v.lacks(t) == "" {
			text += " explain_finding tells all about one of them."
		}
		text += "\n" + fenced(b.String())
	}
	return out, text, nil
}

// OneFinding names a finding in the input of a tool.
type OneFinding struct {
	Place
	Finding string `json:"finding" jsonschema:"Id of the finding, from list_findings or get_review"`
}

// Explained is a finding with all its details.
type Explained struct {
	Finding
	Trigger    string     `json:"trigger,omitempty" jsonschema:"The input or state that makes it go wrong"`
	Scope      string     `json:"scope,omitempty" jsonschema:"introduced, exacerbated, pre_existing or unrelated to the change"`
	Symbol     string     `json:"symbol,omitempty" jsonschema:"The function or type around its place"`
	Quote      string     `json:"quote,omitempty" jsonschema:"The code that it speaks of"`
	Verdict    string     `json:"verdict" jsonschema:"Of the check that followed: confirmed, refuted, unproven; skipped for what needs no model"`
	VerdictWhy string     `json:"verdictWhy,omitempty"`
	Evidence   []Evidence `json:"evidence"`
	Sightings  []Sighting `json:"sightings" jsonschema:"The runs that saw it, the newest first, at most 20"`
	Decisions  []Decision `json:"decisions" jsonschema:"What people decided about it, the newest of a kind first"`
	Outcomes   []Outcome  `json:"outcomes" jsonschema:"What shows whether it was useful, the newest first, at most 50"`
	Before     string     `json:"before,omitempty" jsonschema:"Of a suggestion: the lines that it replaces"`
}

// Evidence is a quotation that supports a finding; it was compared with the code.
type Evidence struct {
	Kind      string `json:"kind" jsonschema:"code, rule, tool, doc, place (a further place of the defect), trace or model (an explanation)"`
	Path      string `json:"path,omitempty"`
	StartLine int    `json:"startLine,omitempty"`
	EndLine   int    `json:"endLine,omitempty"`
	Quote     string `json:"quote,omitempty"`
	Note      string `json:"note,omitempty"`
}

// Sighting is a finding as one run saw it.
type Sighting struct {
	Run     string `json:"run"`
	HeadSHA string `json:"headSha"`
	State   string `json:"state"`
	At      string `json:"at" jsonschema:"When the run was made, UTC"`
}

// Decision is a person's decision about a finding.
type Decision struct {
	Kind  string `json:"kind" jsonschema:"dismissal: a person dismissed it, or withdrew the dismissal; suppression: later reviews leave it out, or a person proposed that; dropped and edited: the approver of a review left it out, or changed its words"`
	State string `json:"state"`
	Why   string `json:"why,omitempty" jsonschema:"In the words of a person"`
	At    string `json:"at,omitempty" jsonschema:"UTC; absent without a decision"`
}

// Outcome is one piece of evidence about the usefulness of a finding.
type Outcome struct {
	Kind   string  `json:"kind" jsonschema:"fixed, applied, thumbs_up, thumbs_down, dismissed, or ignored at the merge"`
	Weight float64 `json:"weight" jsonschema:"-1 to 1: how much it speaks for the finding"`
	Name   string  `json:"name,omitempty" jsonschema:"Of the person"`
	At     string  `json:"at" jsonschema:"UTC"`
}

// formatTime returns a time in the format of tools.
func formatTime(us int64) string { return store.Time(us).UTC().Format(time.RFC3339) }

func explainFinding(ctx context.Context, v *visit, in OneFinding) (Explained, string, error) {
	at, err := v.repository(ctx, in.Repository, perm.RepoView, false)
	if err == nil {
		err = checkID(in.Finding)
	}
	if err != nil {
		return Explained{}, "", err
	}
	row, err := v.Store.Finding(ctx, v.Tenant, at.ID, in.Finding)
	if err != nil {
		return Explained{}, "", err
	}
	f := row.Finding
	out := Explained{Finding: v.finding(f), Trigger: v.text(f.Trigger), Scope: f.Scope, Symbol: v.line(f.Anchor.Symbol),
		Quote: v.text(f.Anchor.Quote), Verdict: string(f.Verdict), VerdictWhy: v.text(f.VerdictWhy),
		Evidence: []Evidence{}, Sightings: []Sighting{}, Decisions: []Decision{}, Outcomes: []Outcome{}}
	out.PullRequest, out.CommentURL = row.Number, row.CommentURL
	if f.Suggestion != nil {
		out.Before = v.text(f.Suggestion.Old)
	}
	for _, e := range f.Evidence {
		out.Evidence = append(out.Evidence, Evidence{Kind: e.Kind, Path: v.line(e.Path), StartLine: e.Start, EndLine: e.End,
			Quote: v.text(e.Quote), Note: v.text(e.Note)})
	}
	sightings, err := v.Store.Sightings(ctx, v.Tenant, row.ID)
	if err != nil {
		return out, "", err
	}
	for _, s := range sightings[:min(len(sightings), 20)] {
		out.Sightings = append(out.Sightings, Sighting{Run: s.Run, HeadSHA: s.HeadSHA, State: string(s.State), At: formatTime(s.AtUS)})
	}
	decided, err := v.Approvals.Decisions(ctx, v.Tenant, at.ID, row.ID)
	if err != nil {
		return out, "", err
	}
	for _, d := range decided {
		one := Decision{Kind: d.Kind, State: d.State, Why: v.text(d.Why)}
		if d.AtUS > 0 {
			one.At = formatTime(d.AtUS)
		}
		out.Decisions = append(out.Decisions, one)
	}
	outcomes, err := v.Store.OutcomesOfFinding(ctx, v.Tenant, row.ID)
	if err != nil {
		return out, "", err
	}
	for _, o := range outcomes {
		out.Outcomes = append(out.Outcomes, Outcome{Kind: string(o.Kind), Weight: o.Kind.Weight(), Name: v.line(o.Name), At: formatTime(o.AtUS)})
	}
	return out, "Finding " + row.ID + " of pull request " + strconv.Itoa(row.Number) + ".\n" + fenced(out.markdown()), nil
}

// markdown returns the finding as Markdown for people.
func (e Explained) markdown() string {
	var b strings.Builder
	b.WriteString(e.Finding.markdown() + "\n" + e.Explanation + "\n")
	for _, part := range []struct{ head, text string }{{"When it goes wrong", e.Trigger}, {"The code", e.Quote},
		{"The check that followed", strings.TrimSpace(e.Verdict + " " + e.VerdictWhy)}} {
		if part.text != "" {
			b.WriteString("\n" + part.head + ":\n" + part.text + "\n")
		}
	}
	for _, v := range e.Evidence {
		fmt.Fprintf(&b, "\nEvidence (%s) %s:%d\n%s\n%s\n", v.Kind, v.Path, v.StartLine, v.Quote, v.Note)
	}
	if s := e.Suggestion; s != nil {
		fmt.Fprintf(&b, "\nSuggested for %s, lines %d to %d:\n%s\n", s.Path, s.StartLine, s.EndLine, s.New)
	}
	for _, d := range e.Decisions {
		fmt.Fprintf(&b, "\nDecided (%s): %s\n%s\n", d.Kind, strings.TrimSpace(d.State+" "+d.At), d.Why)
	}
	for _, o := range e.Outcomes {
		fmt.Fprintf(&b, "\nOutcome: %s\n", strings.Join(strings.Fields(o.Kind+" "+o.Name+" "+o.At), " "))
	}
	return b.String()
}
