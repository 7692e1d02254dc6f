// Package around finds what else at the head of a change has to do with it: definitions of the names that it uses, places
// that use what it alters, methods like those that it changes, and tests. It also groups the files of a change that refer to
// each other.
//
// It reads and searches a snapshot. It calls no model and knows no finding, no host and no database.
package around

import (
	"log/slog"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Head is the head of a change as a review may look at it. Its fields are not changed while it is in use. Its methods
// are safe for concurrent use.
type Head struct {
	Set      *diff.Set             // the change, redacted
	Source   change.Source         // redacted; all that is shown is read here
	Raw      *change.BoundedSource // with secrets; nothing of it is shown
	Searcher snapshot.Searcher     // nil: nothing is searched
	Policy   domain.Policy
	Redact   func(string) string
	Logger   *slog.Logger
	Whole    bool // the whole change is reviewed, not only what is new in it
}
