package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/review/reconcile"
)

// Many places of a finding in one large file are found in one pass over the file.
func TestManyPlacesInALargeFile(t *testing.T) {
	var b strings.Builder
	const lines = 4000
	for i := range lines {
		fmt.Fprintf(&b, "\tcall%d(with, some, arguments)\n", i)
	}
	work := func(places int) float64 {
		k := domain.Finding{ID: "fnd_1"}
		for i := range places {
			n := i * lines / places
			k.Evidence = append(k.Evidence, domain.Evidence{Kind: domain.EvidencePlace, Path: "x.go", Start: n + 1, End: n + 1,
				Quote: fmt.Sprintf("\tcall%d(with, some, arguments)", n)})
		}
		return testing.AllocsPerRun(1, func() {
			w := newWork(Deps{}, Input{Models: models(nil)})
			w.prepared = prepared{set: &diff.Set{}, src: anchor.NewFiles(enginetest.Files{"RIGHT:x.go": b.String()})}
			w.reconciler = &reconcile.Reconciler{}
			if out := w.withStandingPlaces(t.Context(), []domain.Finding{k}); len(out[0].AlsoAt()) != places {
				t.Errorf("%d places stand of %d", len(out[0].AlsoAt()), places)
			}
		})
	}
	if one, many := work(1), work(200); many > 2*one {
		t.Errorf("200 places take %.0f allocations, one takes %.0f", many, one)
	}
}
