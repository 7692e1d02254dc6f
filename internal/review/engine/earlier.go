package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/review/reconcile"
)

// maxEarlierFindings is the maximum number of earlier findings in a prompt.
const maxEarlierFindings = 20

// earlierFinding is an earlier finding as prompts name it: by its label, at its place at
// the head.
type earlierFinding struct {
	label string
	domain.Finding
	place domain.Anchor
	there bool
}

// label names the earlier finding with an index in [Input.Known].
func label(i int) string { return fmt.Sprintf("k%d", i+1) }

// earlierFindings lists the findings that a prompt names as known, in the order of [Input.Known].
func earlierFindings(ctx context.Context, known []domain.Finding, at *reconcile.Reconciler) []earlierFinding {
	var out []earlierFinding
	for i, k := range known {
		switch k.State {
		case domain.FindingOpen, domain.FindingDismissed, domain.FindingResolved:
			p := at.Place(ctx, k)
			out = append(out, earlierFinding{label(i), k, p.Anchor, p.Stands})
		}
	}
	return out
}

// earlierOf returns those of the files of a chunk, at most maxListed and as many as
// fit into so many tokens: open ones first, then those in its hunks, then the newest.
func earlierOf(all []earlierFinding, c change.Chunk, room int) []earlierFinding {
	files, hunks := map[string]bool{}, map[string]bool{}
	for _, t := range c.Targets {
		files[t.File.Path] = true
		for _, h := range t.Hunks {
			hunks[h.ID] = true
		}
	}
	out := slices.DeleteFunc(slices.Clone(all), func(l earlierFinding) bool { return !files[l.place.Path] })
	slices.Reverse(out)
	slices.SortStableFunc(out, func(a, b earlierFinding) int {
		return cmp.Or(
			finding.TrueFirst(a.State == domain.FindingOpen, b.State == domain.FindingOpen),
			finding.TrueFirst(hunks[a.place.HunkID], hunks[b.place.HunkID]),
		)
	})
	out = out[:min(len(out), maxEarlierFindings)]
	for llm.EstimateTokens(len(writeEarlier(out))) > room {
		out = out[:len(out)-1]
	}
	return out
}

// writeEarlier writes them for a prompt, a line each.
func writeEarlier(list []earlierFinding) string {
	var b strings.Builder
	for _, l := range list {
		fmt.Fprintf(&b, "%s %s %s", l.label, l.State, change.CleanPath(l.place.Path))
		switch {
		case !l.there:
			b.WriteString(" (its code was changed)")
		case l.place.Level == domain.AnchorLine:
			fmt.Fprintf(&b, ":%d-%d", l.place.StartLine, l.place.EndLine)
		}
		fmt.Fprintf(&b, ": %s\n", change.OneLine(change.StripInvisible(l.Title)))
	}
	return b.String()
}
