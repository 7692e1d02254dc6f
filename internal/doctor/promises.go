package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/store"
)

// promises are the checks for loss and duplicates: the invariants of each code, and the fix for violations.
var promises = []struct {
	code, name string
	invariants []string
	says       map[string]string // by invariant, after the number
	fix        string
}{
	{"D020", "nothing lost", []string{store.InvariantUndisposed, store.InvariantRunGone, store.InvariantRunStuck}, map[string]string{
		store.InvariantUndisposed: "acknowledged deliveries have no disposition",
		store.InvariantRunGone:    "deliveries made a run that is not there", store.InvariantRunStuck: "runs do not end"},
		"`assay deliveries show GUID` and `assay runs show ID` say how far they came. Look for dead letters (D016) and workers (D017) " +
			"first; a new push, or `/assay review` in a comment, reviews the head. Please report it."},
	{"D021", "nothing twice", []string{store.InvariantTwice, store.InvariantContradicts}, map[string]string{
		store.InvariantTwice:       "heads have a second visible review without a request for it",
		store.InvariantContradicts: "runs end otherwise than their publications"},
		"`assay runs show ID` has the history of the run with every write. Please report it."},
	{"D022", "publications settled", []string{store.InvariantUnsettled},
		map[string]string{store.InvariantUnsettled: "publications wait for the code host to say what became of them, for more than an hour"},
		"The host is asked again by itself. See that it can be reached, and that the installation is not suspended (D013, D014)."},
}

// promised checks the invariants of deliveries, runs and publications.
func (e *examination) promised(ctx context.Context) {
	found := map[string]store.Violation{}
	var failed error
	if e.store != nil && e.loaded {
		all, err := e.store.Violations(ctx)
		failed = err
		for _, v := range all {
			found[v.Invariant] = v
		}
	}
	for _, p := range promises {
		if e.skipped(p.code, p.name) {
			continue
		}
		if failed != nil {
			e.add(p.code, p.name, Fail, "it cannot be counted: "+clip.Line(failed.Error()), "See D004.")
			continue
		}
		var wrong []string
		for _, name := range p.invariants {
			if v := found[name]; v.Count > 0 {
				wrong = append(wrong, fmt.Sprintf("%d %s (such as %s)", v.Count, p.says[name], strings.Join(v.Examples, ", ")))
			}
		}
		if len(wrong) > 0 {
			e.add(p.code, p.name, Warn, strings.Join(wrong, "; "), p.fix)
			continue
		}
		e.add(p.code, p.name, OK, "holds for everything that is measured", "")
	}
}
