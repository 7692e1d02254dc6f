package review

import (
	"context"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/testkit"
)

// plainSnapshot is a snapshot that cannot ask an index.
type plainSnapshot struct{ Snapshot }

// askingSnapshot keeps the index that it was given.
type askingSnapshot struct {
	Snapshot
	index snapshot.WordIndex
}

func (a *askingSnapshot) UseIndex(x snapshot.WordIndex) { a.index = x }

type emptyIndex struct{}

func (emptyIndex) Holding(_ context.Context, files []snapshot.SourceFile, _ snapshot.Query) []snapshot.Holding {
	return make([]snapshot.Holding, len(files))
}

// A review asks the index of its own repository, and reads the checkout alone if there is none.
func TestReviewsUseTheIndexOfTheirRepository(t *testing.T) {
	t.Parallel()
	s := Subject{Tenant: domain.Tenant{ID: "ten_1"}, Repository: "rep_1"}
	ready := func(_ context.Context, tenant domain.Tenant, repository string) (snapshot.WordIndex, string, error) {
		testkit.Equal(t, "asked for", tenant.ID+" "+repository, "ten_1 rep_1")
		return emptyIndex{}, "c0ffee", nil
	}
	absent := func(context.Context, domain.Tenant, string) (snapshot.WordIndex, string, error) {
		return nil, "", errs.New(errs.Conflict, "no_index", "There is no index.")
	}
	for name, c := range map[string]struct {
		open CodeIndex
		want string
	}{"ready": {ready, "c0ffee"}, "absent": {absent, ""}, "not served": {nil, ""}} {
		snap := &askingSnapshot{}
		testkit.Equal(t, name, Gatherer{CodeIndex: c.open}.useIndex(t.Context(), snap, s), c.want)
		testkit.Equal(t, name+": the snapshot asks it", snap.index != nil, c.want != "")
	}
	testkit.Equal(t, "through the host's API", Gatherer{CodeIndex: ready}.useIndex(t.Context(), plainSnapshot{}, s), "")
}
