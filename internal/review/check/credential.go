package check

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
)

// mergeCredentials keeps one report of each value that a fault and a hit of the rules for secrets share on a line: the more severe
// one, or the certain one if both are equally severe. It changes neither list.
func mergeCredentials(faults []fault, hits []secretHit) ([]fault, []secretHit) {
	isNamed := func(d fault) bool { return d.secret != "" }
	if len(hits) == 0 || !slices.ContainsFunc(faults, isNamed) {
		return faults, hits
	}
	var keptFaults []fault
	keptHits := slices.Clone(hits)
	for _, d := range faults {
		covered := false
		for i := range keptHits {
			h := &keptHits[i]
			if !isNamed(d) || d.line < h.first || d.line > h.last || !slices.ContainsFunc(h.values, d.isAbout) {
				continue
			}
			if h.outranks(d) {
				covered = true
			} else {
				h.values = slices.DeleteFunc(slices.Clone(h.values), d.isAbout)
			}
		}
		if !covered {
			keptFaults = append(keptFaults, d)
		}
	}
	without := func(h secretHit) bool { return len(h.values) == 0 && h.first > 0 }
	return keptFaults, slices.DeleteFunc(keptHits, without)
}

// isAbout reports whether a fault and a hit have the same value, which the two may cut differently.
func (d fault) isAbout(value string) bool {
	return strings.Contains(value, d.secret) || strings.Contains(d.secret, value)
}

// outranks reports whether a hit is reported instead of a fault about its value. A doubtful hit stays beside a fault below Medium alone,
// because the summary lists the hit, while such a fault is only stored.
func (h secretHit) outranks(d fault) bool {
	if h.doubtful {
		return d.severity < domain.Medium
	}
	return h.severity() >= d.severity
}
