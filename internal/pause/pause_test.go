package pause_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-dev/assay/internal/pause"
)

func TestFor(t *testing.T) {
	t.Parallel()
	ended := errors.New("ended")
	for name, c := range map[string]struct {
		endAfter time.Duration // 0 before the wait, negative for never
		want     error
		took     time.Duration
	}{
		"the time passes":              {-1, nil, time.Minute},
		"the context ends meanwhile":   {time.Second, ended, time.Second},
		"the context has ended before": {0, ended, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				switch {
				case c.endAfter == 0:
					cancel(ended)
				case c.endAfter > 0:
					time.AfterFunc(c.endAfter, func() { cancel(ended) })
				}
				began := time.Now()
				if err := pause.For(ctx, time.Minute); err != c.want {
					t.Errorf("got %v, want %v", err, c.want)
				}
				if took := time.Since(began); took != c.took {
					t.Errorf("it took %v, want %v", took, c.took)
				}
			})
		})
	}
}
