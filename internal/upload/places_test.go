package upload_test

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/upload"
)

// Slow senders of one tenant take few places, and leave room for others.
func TestSlowSendersTakeFewPlaces(t *testing.T) {
	t.Parallel()
	s := upload.New(upload.Config{Wait: time.Millisecond})
	var leave []func()
	for range 20 {
		if done, err := s.Enter(bg, "ten_slow"); err == nil {
			leave = append(leave, done)
		} else if !errs.Is(err, errs.Unavailable) {
			t.Fatal(err)
		}
	}
	testkit.Equal(t, "places", len(leave), 2)
	other, err := s.Enter(bg, "ten_other")
	testkit.OK(t, err)
	other()
	for _, done := range leave {
		done()
	}
	done, err := s.Enter(bg, "ten_slow")
	testkit.OK(t, err)
	done()
}
