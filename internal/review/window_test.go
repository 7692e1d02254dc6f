package review_test

import (
	"errors"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The time for an unavailable model may be over because an attempt failed for another reason. The model
// is asked anyway.
func TestTimeThatWentByWithoutAFaultOfTheModel(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Stop()
		f.Settings.BackoffFirst, f.Settings.BackoffMax = time.Millisecond, time.Millisecond
		f.Service.Window = time.Nanosecond
		f.Start()
		f.Models.Set(func(calls int) (llm.Response, error) {
			if calls == 1 {
				return llm.Response{}, errors.New("something of ours broke")
			}
			return reviewtest.SilentModel(calls)
		})
		f.Deliver(f.Event("opened", "a"))
		f.Until("the review is published", func() bool { return f.States() == "completed" })
		testkit.Equal(t, "model", f.Runs()[0].ModelState, engine.ModelComplete)
		testkit.Equal(t, "the prompt hash", f.Runs()[0].PromptHash, engine.PromptHash())
		testkit.Equal(t, "calls", f.Models.Calls, 2)
	})
}
