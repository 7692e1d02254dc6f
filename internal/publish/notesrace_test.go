package publish_test

import (
	"errors"

	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/publish"
)

// takenOver reports whether a worker was told that it is not the one any more.
func takenOver(err error) bool {
	return errors.Is(err, publish.ErrTakenOver) || errors.Is(err, jobs.ErrLost)
}
