package httpapi

import (
	"testing"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/testkit"
)

// A database that does not answer is no refusal: the request fails, and can be sent again.
func TestAnOutageIsNoRefusalOfADismissal(t *testing.T) {
	t.Parallel()
	act := findingAct{done: "dismissed", before: "already_dismissed", code: "finding_dismissed"}
	if _, err := act.result("fnd_1", errs.New(errs.Unavailable, "database", "The database does not answer at the moment.")); !errs.Is(err, errs.Unavailable) {
		t.Errorf("error %v", err)
	}
	got, err := act.result("fnd_1", errs.Absent())
	testkit.OK(t, err)
	testkit.Equal(t, "of an absent one", got.Outcome, "refused")
}
