package review_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// If the host refuses an edit, for example because a person deleted the text, the check still gets its
// outcome.
func TestARefusedEditDoesNotKeepTheCheck(t *testing.T) {
	for name, tt := range map[string]struct {
		op    string
		class codehost.Class
	}{
		"the review was deleted":        {"edit review", codehost.ClassNotFound},
		"the review cannot be edited":   {"edit review", codehost.ClassInvalid},
		"the review may not be edited":  {"edit review", codehost.ClassForbidden},
		"the comment was deleted":       {"edit comment", codehost.ClassNotFound},
		"the comment may not be edited": {"edit comment", codehost.ClassForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				f.Snapshots.Lines[storetest.SHA("a")] = reviewtest.SecretLine()
				f.Want(f.Deliver(f.Event("opened", "a")), domain.DispositionRun, "completed")
				f.Host.Fail(tt.op, &codehost.Error{Class: tt.class, Op: tt.op, Message: "no"})
				d := f.Deliver(f.Event("synchronize", "b"))
				f.Want(d, domain.DispositionRun, "completed completed")
				testkit.Equal(t, "check", concluded(f, d.RunID), "success")
				other := map[string]string{"edit review": "edit comment", "edit comment": "edit review"}[tt.op]
				testkit.Equal(t, other, f.Host.Wrote(other) > 0, true)
			})
		})
	}
}
