package change

import (
	"context"
	"errors"
	"io/fs"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/testkit"
)

// A file beyond the bytes that one review reads is absent, and the reason is kept.
func TestFilesBeyondWhatIsRead(t *testing.T) {
	t.Parallel()
	s := &BoundedSource{Source: memory{"RIGHT:a.go": "aaaa", "LEFT:a.go": "aaa", "RIGHT:b.go": "bb"}, bytes: maxRead - 7}
	for range 2 { // a file that was read once may be read again
		for _, side := range []domain.Side{domain.Right, domain.Left} {
			if _, err := s.Blob(t.Context(), side, "a.go"); err != nil {
				t.Errorf("%s: %v", side, err)
			}
		}
		if _, err := s.Blob(t.Context(), domain.Right, "b.go"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("read beyond the bound: %v", err)
		}
		testkit.Equal(t, "the reason", s.Refused(&diff.File{Path: "b.go"}), WhyLargeFile)
	}
}

// A file that was refused because the number of requests to the host is limited is not called too
// large.
func TestFilesBeyondWhatAHostIsAskedFor(t *testing.T) {
	t.Parallel()
	s := &BoundedSource{Source: readOut{}}
	if _, err := s.Blob(t.Context(), domain.Right, "b.go"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is %v", err)
	}
	testkit.Equal(t, "the reason", s.Refused(&diff.File{Path: "b.go"}), WhyManyFiles)
}

// memory is a source whose keys are a side, a colon and a path.
type memory map[string]string

func (m memory) Blob(_ context.Context, side domain.Side, path string) ([]byte, error) {
	text, ok := m[string(side)+":"+path]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return []byte(text), nil
}

// readOut is a source that has no reads left.
type readOut struct{ Source }

func (readOut) Blob(context.Context, domain.Side, string) ([]byte, error) {
	return nil, errs.New(errs.TooLarge, snapshot.CodeReads, "The change has more files than are read.")
}
