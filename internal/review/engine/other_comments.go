package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/review/reconcile"
)

// Comment is an open comment of another author on lines of the change. Body is text from outside.
type Comment struct {
	Path               string
	Side               domain.Side
	StartLine, EndLine int
	Body               string
	Bot                bool // of an app, whose words another person may choose
}

// saidByOthers marks findings of models that an open comment on their lines, give or take three, already
// makes: in like words, or by the word of the fast model. The fast model is asked about as many pairs as the
// comparison with earlier findings has left.
func (w *work) saidByOthers(ctx context.Context, items []*finding.Item) error {
	var asked []reconcile.Pair
	var of []*finding.Item
	for _, it := range items {
		if r, ok := ruleByID(w.rules, it.RuleID); it.Deterministic() || it.Verdict == domain.VerdictRefuted ||
			it.ToldBy != finding.Untold || ok && r.Mandatory {
			continue
		}
		near := w.commentsAt(it)
		if slices.ContainsFunc(near, func(c Comment) bool { return finding.LikeTexts(anchor.CountWords(c.Body), it.Words()) }) {
			it.ToldBy = finding.InComment
			continue
		}
		for _, c := range near {
			if len(asked) < w.asker.Left() {
				asked, of = append(asked, reconcile.Pair{Earlier: c.finding(w.redact), Now: it.Finding}), append(of, it)
			}
		}
	}
	if len(asked) == 0 {
		return nil
	}
	same, err := w.asker.Same(ctx, asked)
	for i, yes := range same {
		if yes {
			of[i].ToldBy = finding.InComment
		}
	}
	return err
}

// commentsAt are the comments that may say what an item says. An app may be led to
// write anything by who opens a pull request, so it answers for no grave finding of
// security.
func (w *work) commentsAt(it *finding.Item) (out []Comment) {
	grave := it.Category == domain.CategorySecurity && it.Severity >= domain.High
	a := it.Anchor
	for _, c := range w.in.Comments {
		at := domain.Anchor{StartLine: c.StartLine, EndLine: c.EndLine, Level: domain.AnchorLine}
		if c.Path == a.Path && c.Side == a.Side && a.Level == domain.AnchorLine && finding.Overlap(at, a, finding.LineSlack) &&
			!(c.Bot && grave) {
			out = append(out, c)
		}
	}
	return out
}

// finding is a comment in the form of an earlier report, for the question whether it
// is the same.
func (c Comment) finding(redact func(string) string) domain.Finding {
	body := change.Cut(redact(change.TidyProse(c.Body)), change.MaxProse)
	title, _, _ := strings.Cut(strings.TrimSpace(body), "\n")
	return domain.Finding{Title: change.Cut(change.OneLine(title), finding.MaxTitle), Explanation: body,
		Anchor: domain.Anchor{Path: c.Path, Side: c.Side, StartLine: c.StartLine, EndLine: c.EndLine, Level: domain.AnchorLine}}
}
