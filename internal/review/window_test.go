package review_test

import (
	"errors"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/testkit"
)

// The time for a model that is away may be over because an attempt ended for
// something else: the model is asked all the same.
func TestTimeThatWentByWithoutAFaultOfTheModel(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.stop()
		f.settings.BackoffFirst, f.settings.BackoffMax = time.Millisecond, time.Millisecond
		f.service.Window = time.Nanosecond
		f.start()
		f.models.set(func(calls int) (llm.Response, error) {
			if calls == 1 {
				return llm.Response{}, errors.New("something of ours broke")
			}
			return silentModel(calls)
		})
		f.deliver(f.event("opened", "a"))
		f.until("the review is published", func() bool { return f.states() == "completed" })
		testkit.Equal(t, "model", f.runs()[0].ModelState, engine.ModelComplete)
		testkit.Equal(t, "calls", f.models.calls, 2)
	})
}
