package check

import (
	"context"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// hit is a secret in the new version of a file.
type hit struct {
	rule        string
	first, last int // lines of the new version; 0 for a finding about the file
}

// scanSet finds the secrets of both sides of every hunk. Only those that touch an
// added line become hits; the values of all go to the redactor.
func (s *Scanner) scanSet(ctx context.Context, set *diff.Set) (map[*diff.File][]hit, *Redactor, error) {
	hits, r := map[*diff.File][]hit{}, newRedactor(s)
	for _, f := range set.Files {
		if len(f.Hunks) == 0 && f.Status == diff.Added {
			if rule := s.fileRule(ctx, f.Path); rule != "" {
				hits[f] = append(hits[f], hit{rule: rule})
			}
		}
		for _, h := range f.Hunks {
			for _, side := range []domain.Side{domain.Right, domain.Left} {
				text, numbers, changed := sideText(h, side)
				if !changed && side == domain.Left {
					continue
				}
				found, err := s.scan(ctx, f.Path, text)
				if err != nil {
					return nil, nil, err
				}
				for _, secret := range found {
					r.add(secret)
					first, last := numbers[secret.First-1], numbers[secret.Last-1]
					if side == domain.Right && h.Changed(domain.Right, first, last) {
						hits[f] = append(hits[f], hit{secret.RuleID, first, last})
					}
				}
			}
		}
		hits[f] = slices.Compact(hits[f])
	}
	r.build()
	return hits, r, nil
}

// sideText joins the lines of one side of a hunk and returns their numbers, and
// whether any of them was added or removed.
func sideText(h *diff.Hunk, side domain.Side) (text string, numbers []int, changed bool) {
	var b strings.Builder
	for _, l := range h.Lines {
		n := l.New
		if side == domain.Left {
			n = l.Old
		}
		if n == 0 {
			continue
		}
		b.WriteString(l.Text)
		b.WriteByte('\n')
		numbers = append(numbers, n)
		changed = changed || l.Op != diff.Context
	}
	return b.String(), numbers, changed
}

func secretFindings(f *diff.File, hits []hit, r *Redactor) []domain.Finding {
	var out []domain.Finding
	for _, h := range hits {
		severity := domain.Critical
		if h.rule == genericRule {
			severity = domain.High
		}
		name := strings.ReplaceAll(h.rule, "-", " ")
		anchor := place(f, h.first, h.last)
		anchor.Quote = r.Text(anchor.Quote)
		out = append(out, domain.Finding{
			Origin: domain.OriginSecret, RuleID: "gitleaks/" + h.rule, Category: domain.CategorySecret, Severity: severity,
			Title: "Remove the committed secret: " + name,
			Explanation: "This change adds what looks like a secret (" + name + "). Whoever can read the repository, its forks or its history can use it. " +
				"Revoke it and make a new one: removing the line alone does not take it out of the history. Then read it from the environment or a secret store.",
			Anchor: anchor,
		})
	}
	return out
}
