package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

func TestFromFiles(t *testing.T) {
	t.Parallel()
	calls := 0
	read := func(_ context.Context, side domain.Side, path string) ([]byte, error) {
		calls++
		switch path {
		case "a":
			return fmt.Appendf(nil, "%s a", side), nil
		case "big":
			return make([]byte, DefaultMaxBlob+1), nil
		case "down":
			return nil, errors.New("host down")
		}
		return nil, fs.ErrNotExist
	}
	f := FromFiles(read, []byte("the diff"))
	if raw, err := f.Diff(t.Context()); err != nil || string(raw) != "the diff" {
		t.Fatalf("%q %v", raw, err)
	}
	for range 2 {
		if b, err := f.Blob(t.Context(), domain.Left, "a"); err != nil || string(b) != "LEFT a" {
			t.Errorf("%q %v", b, err)
		}
		if _, err := f.Blob(t.Context(), domain.Left, "none"); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
	if calls != 2 {
		t.Errorf("%d calls", calls)
	}
	if _, err := f.Blob(t.Context(), domain.Left, "big"); !errs.Is(err, errs.TooLarge) {
		t.Error(err)
	}
	if _, err := f.Blob(t.Context(), domain.Left, "down"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := f.Blob(t.Context(), domain.Left, "../x"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// Each file of a host is a request, and the requests of an installation per hour are limited. One
// change does not use all of them.
func TestAHostIsAskedForSoManyFiles(t *testing.T) {
	t.Parallel()
	calls := 0
	f := FromFiles(func(context.Context, domain.Side, string) ([]byte, error) { calls++; return nil, fs.ErrNotExist }, nil)
	for i := range maxRead + 10 {
		_, err := f.Blob(t.Context(), domain.Right, fmt.Sprint(i))
		if e, ok := errors.AsType[*errs.Error](err); i >= maxRead != (ok && e.Code == CodeReads && errs.Is(err, errs.TooLarge)) {
			t.Fatalf("file %d: %v", i, err)
		}
	}
	if _, err := f.Blob(t.Context(), domain.Right, "0"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that was read before: %v", err)
	}
	if calls != maxRead {
		t.Errorf("the host was asked %d times", calls)
	}
}
