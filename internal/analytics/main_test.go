package analytics_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

var bg = context.Background()

// refused checks the kind of an error.
func refused(t testing.TB, what string, err error, want errs.Kind) {
	t.Helper()
	if !errs.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

// code returns the code of an error for programs.
func code(err error) string {
	if e, ok := errors.AsType[*errs.Error](err); ok {
		return e.Code
	}
	return ""
}

// after returns the position in a list after which the next page begins.
func after(at time.Time, id string) store.Cursor { return store.Cursor{US: at.UnixMicro(), ID: id} }

// acts returns the actions in the tenant's log, oldest first, with the fields that each changed.
func acts(t testing.TB, w *featuretest.World) string {
	t.Helper()
	entries, err := w.Features.Audit.Entries(bg, w.Tenant, store.AuditFilter{Limit: 500})
	testkit.OK(t, err)
	out := make([]string, len(entries))
	for i, e := range entries {
		words := []string{e.Action}
		for _, c := range e.Changes {
			words = append(words, c.Field)
		}
		out[len(entries)-1-i] = strings.Join(words, " ")
	}
	return strings.Join(out, "; ")
}
