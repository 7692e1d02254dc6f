// Package reconcile compares the findings of a run with each other and with those of earlier runs. It merges reports of one
// defect, finds the places of earlier findings at the head, recognises earlier findings among new ones, and decides which of
// them stay, are asked about again, or are resolved.
//
// It gives names and states only: no candidate is lost because two findings look alike. The package knows no host and no
// database. It calls a model for one question alone: whether two reports are one defect.
package reconcile

import (
	"context"
	"log/slog"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/finding"
)

// Reconciler compares the findings of a run with those of earlier runs. It looks for each earlier finding once. It is not
// safe for concurrent use.
type Reconciler struct {
	Set           *diff.Set
	Source        *anchor.Files
	Prints        *anchor.Fingerprinter
	ReviewedHunks map[string]bool // ids of the hunks that earlier runs reviewed with a model
	HaveModel     bool            // a model takes part in this run
	// Checked reports whether the deterministic checks looked at a path in this run for what an earlier finding reports.
	Checked func(earlier domain.Finding, path string) bool
	// Unseen reports whether a bound kept the change of a file, or a part of it, from every model.
	Unseen func(path string) bool
	// Locate fills in what follows from the place of a candidate.
	Locate func(ctx context.Context, it *finding.Item)
	// PlaceGone has the ids of earlier findings with a further place whose code is gone, so that the verifier is asked about them.
	PlaceGone map[string]bool
	// Suppressed returns the id of the suppression that covers a finding, or ""; nil without suppressions.
	Suppressed func(domain.Finding) string
	Asker      *Asker // nil: pairs that only a model can tell apart are two defects
	Logger     *slog.Logger

	places   map[string]Place         // by id of the earlier finding
	added    added                    // lines in hunks that no earlier run reviewed
	reviewed map[string]bool          // the hunks of the change, and whether an earlier run reviewed them
	firsts   map[lineAt]domain.Anchor // places of lines of such hunks
	names    map[nameAt]string        // names that findings would have there
}

// Place finds an earlier finding at the head, also if its code was moved.
func (r *Reconciler) Place(ctx context.Context, k domain.Finding) Place {
	p, known := r.places[k.ID]
	if !known {
		p = r.standsAt(ctx, k)
		if r.places == nil {
			r.places = map[string]Place{}
		}
		r.places[k.ID] = p
	}
	return p
}

// world describes the head to the comparison.
func (r *Reconciler) world(ctx context.Context) world {
	hunks := map[string]bool{}
	for _, f := range r.Set.Files {
		for _, h := range f.Hunks {
			hunks[h.ID] = true
		}
	}
	w := world{set: r.Set, hunks: hunks, haveModel: r.HaveModel, checked: r.Checked, placeGone: r.PlaceGone,
		locate: func(k domain.Finding) Place { return r.Place(ctx, k) }, suppressed: r.Suppressed}
	if w.suppressed == nil {
		w.suppressed = func(domain.Finding) string { return "" }
	}
	if r.Asker != nil {
		w.same = r.Asker.Same
	}
	return w
}
