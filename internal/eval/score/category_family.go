package score

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
)

// kinds maps parts of words that sets use for categories to families. The first part that occurs decides.
var kinds = []struct{ part, family string }{
	{"secur", "security"}, {"vulnerab", "security"}, {"secret", "security"}, {"inject", "security"}, {"authori", "security"},
	{"authenti", "security"},
	{"defect", "defect"}, {"bug", "defect"}, {"correct", "defect"}, {"logic", "defect"}, {"functional", "defect"},
	{"concurren", "defect"}, {"race", "defect"},
	{"crash", "defect"}, {"leak", "defect"}, {"perform", "defect"}, {"efficien", "defect"}, {"reliab", "defect"}, {"error", "defect"},
	{"resource", "defect"}, {"memory", "defect"}, {"robust", "defect"},
	{"maintain", "quality"}, {"readab", "quality"}, {"style", "quality"}, {"doc", "quality"}, {"test", "quality"},
	{"naming", "quality"}, {"quality", "quality"}, {"design", "quality"},
}

// family returns the family of a category: for ours as the engine's fingerprints group them, for others by
// kinds. It returns "" for an unknown one, and for rules of a repository, which may be about anything.
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

// grades maps foreign words for severities to ours.
var grades = map[string]domain.Severity{
	"blocker": domain.Critical, "major": domain.High, "error": domain.High, "moderate": domain.Medium, "warning": domain.Medium,
	"minor": domain.Low, "trivial": domain.Info, "nit": domain.Info, "note": domain.Info, "informational": domain.Info,
}

// severity parses a set's word for a severity. ok is false for an unknown word.
func severity(word string) (s domain.Severity, ok bool) {
	word = strings.ToLower(strings.TrimSpace(word))
	if s, ok = domain.ParseSeverity(word); ok {
		return s, true
	}
	s, ok = grades[word]
	return s, ok
}
