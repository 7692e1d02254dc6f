package report

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
)

// verdictText returns a verdict in words for people.
func verdictText(verdict string) string { return strings.ReplaceAll(verdict, "_", " ") }

// locations returns places as "path:line", for people.
func locations(places []Place) (out []string) {
	for _, p := range places {
		out = append(out, location(domain.Anchor{Path: p.Path, StartLine: p.StartLine}))
	}
	return out
}

// criteria lists the acceptance criteria with their verdicts.
func (t *terminal) criteria(r Report) {
	all := criteria(r)
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(t.w, "%s\n", t.paint("Acceptance criteria", bold))
	for _, c := range all {
		fmt.Fprintf(t.w, "  %s  %s\n", t.paint(verdictText(c.Verdict), verdictStyle(c.Verdict)...), plain(c.Text))
		t.paragraph(strings.TrimSpace(c.Reason+" "+strings.Join(locations(c.Places), " ")), "    ")
	}
	t.w.WriteByte('\n')
}

func verdictStyle(verdict string) []style {
	switch verdict {
	case domain.CriterionMet:
		return []style{green}
	case domain.CriterionPartly:
		return []style{bold, yellow}
	case domain.CriterionNotMet:
		return []style{bold, red}
	}
	return []style{dim}
}
