package score

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
)

// kinds are parts of words by which sets of cases name categories, with the
// family that each stands for; the first that occurs decides.
var kinds = []struct{ part, family string }{
	{"secur", "security"}, {"vulnerab", "security"}, {"secret", "security"}, {"inject", "security"}, {"authori", "security"}, {"authenti", "security"},
	{"defect", "defect"}, {"bug", "defect"}, {"correct", "defect"}, {"logic", "defect"}, {"functional", "defect"}, {"concurren", "defect"}, {"race", "defect"},
	{"crash", "defect"}, {"leak", "defect"}, {"perform", "defect"}, {"efficien", "defect"}, {"reliab", "defect"}, {"error", "defect"}, {"resource", "defect"}, {"memory", "defect"}, {"robust", "defect"},
	{"maintain", "quality"}, {"readab", "quality"}, {"style", "quality"}, {"doc", "quality"}, {"test", "quality"}, {"naming", "quality"}, {"quality", "quality"}, {"design", "quality"},
}

// family names the family of a category: of ours as the engine's fingerprints
// group them, of others by the words that sets use. "" is one of which nothing is
// known, as of the rules of a repository, which may be about anything.
func family(category string) string {
	c := domain.Category(strings.ToLower(strings.TrimSpace(category)))
	switch {
	case c == domain.CategoryRule:
		return ""
	case slices.Contains(domain.Categories(), c):
		return anchor.Family(c)
	}
	for _, k := range kinds {
		if strings.Contains(string(c), k.part) {
			return k.family
		}
	}
	return ""
}

// sameFamily reports whether two families may be one; what is not known may.
func sameFamily(a, b string) bool { return a == "" || b == "" || a == b }

// grades are words for severities that are not ours.
var grades = map[string]domain.Severity{
	"blocker": domain.Critical, "major": domain.High, "error": domain.High, "moderate": domain.Medium, "warning": domain.Medium,
	"minor": domain.Low, "trivial": domain.Info, "nit": domain.Info, "note": domain.Info, "informational": domain.Info,
}

// severity reads a set's word for a severity; ok is false for one that is not known.
func severity(word string) (s domain.Severity, ok bool) {
	word = strings.ToLower(strings.TrimSpace(word))
	if s, ok = domain.ParseSeverity(word); ok {
		return s, true
	}
	s, ok = grades[word]
	return s, ok
}
