package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// maxSentence bounds a sentence about the review, in characters: ten paths with their reasons.
const maxSentence = 2000

// writeMarkdown writes a report as GitHub-flavoured Markdown, for example for a ticket or a job summary. It
// escapes texts of models and code.
func writeMarkdown(w io.Writer, r Report) error {
	r = r.Quoted()
	var b strings.Builder
	shown := r.shown(false)
	verdict := r.clean()
	if len(shown) > 0 {
		verdict = fmt.Sprintf("**%s** (%s)", count(len(shown), "finding"), bySeverity(shown))
	}
	if r.Failure != "" {
		b.WriteString("# The review could not be done\n")
	} else {
		fmt.Fprintf(&b, "# Review of %s against %s\n\n", markdown.Span(r.head()), markdown.Span(r.Base))
	}
	if n := r.emptyNote(); n != "" {
		fmt.Fprintf(&b, "%s\n", markdown.Line(n, 300))
	} else if r.Failure == "" {
		fmt.Fprintf(&b, "Reviewed: %s.\n\nFiles: %s.\n", verdict, r.Files())
	}
	if s := markdown.Line(r.synopsis(), maxSentence); !s.Empty() {
		fmt.Fprintf(&b, "\n%s\n", s)
	}
	for _, n := range slices.Concat(r.States(), r.notices()) {
		fmt.Fprintf(&b, "\n%s\n", markdown.Line(n, maxSentence))
	}
	for _, f := range shown {
		fmt.Fprintf(&b, "\n## %s: %s\n\n", f.Severity, markdown.Line(f.Title, 120))
		fmt.Fprintf(&b, "%s · %s · %s\n\n", markdown.Span(location(f.Anchor)), markdown.Line(string(f.Category), 40), markdown.Span(f.RuleID))
		if q := strings.TrimSpace(f.Anchor.Quote); q != "" && f.Origin != domain.OriginSecret {
			fmt.Fprintf(&b, "%s\n\n", markdown.Code(f.Anchor.Quote, ext(f.Anchor.Path)))
		}
		if m := markdown.Line(meantSo(f), 200); !m.Empty() {
			fmt.Fprintf(&b, "%s\n\n", m)
		}
		if e := markdown.Prose(f.Explanation, 1500); !e.Empty() {
			fmt.Fprintf(&b, "%s\n\n", e)
		}
		if e, is := f.Guideline(); is {
			fmt.Fprintf(&b, "%s\n\n", markdown.Line(citeSentence(e), 600))
		}
		if strings.Contains(f.Trigger, "\n") {
			fmt.Fprintf(&b, "**When:**\n\n%s\n\n", markdown.Code(f.Trigger, ""))
		} else if t := markdown.Line(f.Trigger, 600); !t.Empty() {
			fmt.Fprintf(&b, "**When:** %s\n\n", t)
		}
		if said := f.ModelExplanation(); said != "" {
			fmt.Fprintf(&b, "A model explains: %s\n\n", markdown.Line(said, 600))
		}
		if places := alsoAt(f); len(places) > 0 {
			var spans []markdown.Text
			for _, p := range places {
				spans = append(spans, markdown.Span(p))
			}
			fmt.Fprintf(&b, "Also at %s\n\n", markdown.Join(", ", spans...))
		}
		if s := f.Suggestion; s != nil && s.Applies && s.Parses != "no" && s.New != "" {
			fmt.Fprintf(&b, "Suggested for lines %d to %d:\n\n%s\n", s.Start, s.End, markdown.Code(s.New, ext(s.Path)))
		}
	}
	if all := criteria(r); len(all) > 0 {
		b.WriteString("\n## Acceptance criteria\n\n| | Criterion | Why |\n|---|---|---|\n")
		for _, c := range all {
			fmt.Fprintf(&b, "%s\n", markdown.Row(markdown.Line(verdictText(c.Verdict), 40), markdown.Line(c.Text, 1000),
				markdown.Line(c.Reason+" "+strings.Join(locations(c.Places), " "), 1000)))
		}
	}
	for _, g := range r.groups() {
		fmt.Fprintf(&b, "\n## %s\n\n", g.name)
		for _, f := range g.files {
			fmt.Fprintf(&b, "- %s %s\n", markdown.Span(f.Path), markdown.Line(f.Why, 80))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
