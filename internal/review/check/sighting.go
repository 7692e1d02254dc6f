package check

import (
	"cmp"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
)

// MaxFindings bounds the findings of one run. A change may hold as many as its
// author likes, and each costs a look at its file, a row and a line of the review.
const MaxFindings = 200

// What the coverage says of a file that a check did not read, or whose findings
// are not all in the result.
const (
	WhyWorkflow = "workflow too large or nested too deeply to be checked"
	WhyGo       = "too large or nested too deeply to be parsed"
	WhyCut      = "more findings than one review lists"
	WhySecrets  = "more secrets than can be replaced in a prompt"
	WhyBinary   = "more text in binary files than is searched for secrets"
)

// sighting is something that a check saw. Its finding is made only if it is among
// those that one run reports.
type sighting struct {
	secret   bool
	severity domain.Severity
	file     int // its place in the diff
	line     int // of the new version
	finding  func() domain.Finding
}

// looked is what a check of one file gave.
type looked struct {
	seen   []sighting
	unread string // why the check did not read the file, "" if it did
}

// sees makes the result of a check that saw one thing.
func sees(f domain.Finding) looked { return looked{seen: []sighting{sightingOf(f)}} }

func sightingOf(f domain.Finding) sighting {
	return sighting{severity: f.Severity, line: f.Anchor.StartLine, finding: func() domain.Finding { return f }}
}

// choose returns the sightings that are reported, in the order in which they were
// seen, and the rest: secrets go first, then what is more severe, then what stands
// nearer to the beginning of the diff.
func choose(all []sighting) (kept, rest []sighting) {
	if len(all) <= MaxFindings {
		return all, nil
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := all[i], all[j]
		switch {
		case a.secret && !b.secret:
			return -1
		case b.secret && !a.secret:
			return 1
		}
		return cmp.Or(cmp.Compare(b.severity, a.severity), cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(i, j))
	})
	slices.Sort(order[:MaxFindings])
	for _, i := range order[:MaxFindings] {
		kept = append(kept, all[i])
	}
	for _, i := range order[MaxFindings:] {
		rest = append(rest, all[i])
	}
	return kept, rest
}
