package check

import (
	"cmp"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
)

// MaxFindings bounds the findings of one run, because an author can provoke any number, and each costs a
// read of its file, a row and a line of the review.
const MaxFindings = 200

// Reasons in the coverage why a check did not read a file, or not all its findings are in the result.
const (
	WhyWorkflow = "workflow too large or nested too deeply to be checked"
	WhyUnparsed = "too large or nested too deeply to be parsed"
	WhyCut      = "more findings than one review lists"
	WhySecrets  = "more secrets than can be replaced in a prompt"
	WhyBinary   = "more text in binary files than is searched for secrets"
)

// sighting is one result of a check. Its finding is built only if the run reports it.
type sighting struct {
	secret   bool
	severity domain.Severity
	file     int // its place in the diff
	line     int // line in the new version
	finding  func() domain.Finding
}

// checkResult is the result of a check of one file.
type checkResult struct {
	seen   []sighting
	faults []fault // not in seen yet
	unread string  // why the check did not read the file, "" if it did
}

// singleSighting makes the result of a check that found one thing.
func singleSighting(f domain.Finding) checkResult {
	return checkResult{seen: []sighting{sightingOf(f)}}
}

func sightingOf(f domain.Finding) sighting {
	return sighting{severity: f.Severity, line: f.Anchor.StartLine, finding: func() domain.Finding { return f }}
}

// maxPlaceFindings bounds the findings of one rule about the lines of a file (a design choice). A workflow that gets a new trigger has
// one more, about the checkouts that it had before.
const maxPlaceFindings = 5

// perPlace divides the places of a file among findings. The first four findings have one place each, the fifth has the rest, so that a
// decision does not cover other places.
func perPlace[T any](places []T) (groups [][]T) {
	for i := range min(len(places), maxPlaceFindings-1) {
		groups = append(groups, places[i:i+1])
	}
	if len(places) >= maxPlaceFindings {
		groups = append(groups, places[maxPlaceFindings-1:])
	}
	return groups
}

// choose returns the sightings that are reported, in the order in which they were found, and the rest.
// Secrets go first, then higher severities, then those nearer to the beginning of the diff.
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
