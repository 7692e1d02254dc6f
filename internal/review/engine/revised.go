package engine

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/review/change"
)

// Same reports whether two candidates are one that was revised: in the same file, on the same lines, and with the
// same title or of the same kind.
func (c candidate) Same(o candidate) bool {
	title := change.Alphanumeric(c.Title)
	alike := title != "" && title == change.Alphanumeric(o.Title)
	if !alike && (c.Quote != "" || c.Start == o.Start) {
		alike = change.StripSpace(c.Quote) == change.StripSpace(o.Quote) &&
			change.Alphanumeric(c.RuleKey) == change.Alphanumeric(o.RuleKey) && strings.EqualFold(string(c.Category), string(o.Category))
	}
	return alike && c.overlaps(o) && mayNameSameFile(c.Path, o.Path)
}

// overlaps reports whether two candidates have a line in common or, where one names no line, one quotation holds
// the other.
func (c candidate) overlaps(o candidate) bool {
	if c.Start > 0 && o.Start > 0 {
		return c.Start <= max(o.Start, o.End) && o.Start <= max(c.Start, c.End)
	}
	a, b := change.StripSpace(c.Quote), change.StripSpace(o.Quote)
	return strings.Contains(a, b) || strings.Contains(b, a)
}

// mayNameSameFile reports whether two paths may name one file: they are equal, or one ends with the other.
func mayNameSameFile(a, b string) bool {
	bare := func(p string) string {
		all := pathReadings(p)
		if len(all) == 0 {
			return p
		}
		return "/" + strings.ToLower(all[len(all)-1].path)
	}
	a, b = bare(a), bare(b)
	return strings.HasSuffix(a, b) || strings.HasSuffix(b, a)
}

// StandsIn reports whether a candidate that was read in a member of another one is a finding: it has words of its
// own, and the member is not one of a finding.
func (c candidate) StandsIn(member string) bool {
	member = strings.ToLower(strings.TrimSpace(member))
	for name, others := range otherNames {
		if member == name || slices.Contains(others, member) {
			return false
		}
	}
	return member != "evidence" && strings.TrimSpace(c.Title) != "" && strings.TrimSpace(c.Severity+c.Explanation) != ""
}

// [ask.ReadOrRepair] finds these methods by their names.
var _ interface {
	Same(candidate) bool
	StandsIn(member string) bool
} = candidate{}
