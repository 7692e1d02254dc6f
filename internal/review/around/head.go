// Package around finds code at the head of a change that is related to it: definitions of the names that it
// uses, places that use the symbols that it alters, methods like those that it changes, and tests. It also
// groups the files of a change that refer to each other.
//
// It reads and searches a snapshot. It does not call models and does not use findings, hosts or the
// database.
package around

import (
	"log/slog"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Head is the head of a change as a review may see it. Its fields do not change while it is in use. Its
// methods are safe for concurrent use.
type Head struct {
	Set      *diff.Set             // the change, redacted
	Source   change.Source         // redacted; everything that is shown is read here
	Raw      *change.BoundedSource // with secrets, never shown
	Searcher snapshot.Searcher     // nil: there is no search
	Policy   domain.Policy
	Redact   func(string) string
	Logger   *slog.Logger
	Whole    bool // the whole change is reviewed, not only its new part
}
