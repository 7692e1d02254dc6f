package intake_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/testkit"
)

// An update that does not say what has changed starts what an event of that change would start.
func TestUpdatesThatDoNotSayWhatChanged(t *testing.T) {
	draft := func(on bool) func(*codehost.PullRequest) { return func(pr *codehost.PullRequest) { pr.Draft = on } }
	titled := func(pr *codehost.PullRequest) { pr.Title = "Another title" }
	for name, tc := range map[string]struct {
		before, update func(f *reviewtest.Fixture) codehost.Event
		want           string
	}{
		"a push": {func(f *reviewtest.Fixture) codehost.Event { return f.Event("opened", "a") },
			func(f *reviewtest.Fixture) codehost.Event { return f.Event(codehost.ActionUpdated, "b") }, "completed completed"},
		"an edit": {func(f *reviewtest.Fixture) codehost.Event { return f.Event("opened", "a") },
			func(f *reviewtest.Fixture) codehost.Event { return f.Event(codehost.ActionUpdated, "a", titled) }, "completed"},
		"ready": {func(f *reviewtest.Fixture) codehost.Event { return f.Event("opened", "a", draft(true)) },
			func(f *reviewtest.Fixture) codehost.Event { return f.Event(codehost.ActionUpdated, "a", draft(false)) }, "skipped completed"},
		"a draft again": {func(f *reviewtest.Fixture) codehost.Event { return f.Event("opened", "a") },
			func(f *reviewtest.Fixture) codehost.Event { return f.Event(codehost.ActionUpdated, "a", draft(true)) }, "completed"},
		"another target": {func(f *reviewtest.Fixture) codehost.Event { return f.Event("opened", "a", into("parent")) },
			func(f *reviewtest.Fixture) codehost.Event { return f.Event(codehost.ActionUpdated, "a", into("main")) }, "completed completed"},
		"the first event": {nil, func(f *reviewtest.Fixture) codehost.Event { return f.Event(codehost.ActionUpdated, "a") }, "completed"},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				if tc.before != nil {
					f.Deliver(tc.before(f))
				}
				f.Deliver(tc.update(f))
				testkit.Equal(t, "runs", f.States(), tc.want)
			})
		})
	}
}
