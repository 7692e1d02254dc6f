package intake_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestCommandsAndWhoMayGiveThem(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Host.Roles = map[string]string{"admin": "admin", "maintainer": "maintain", "writer": "write", "triager": "triage", "reader": "read"}
		f.Deliver(f.Event("opened", "a"))
		states := "completed"
		for i, c := range []struct {
			author, body string
			reason       string // "" if a run is created
		}{
			{"writer", "/assay review", ""},
			{"writer", "@assay Review\r\nplease look again", ""},
			{"writer", "\n  /assay review  \n", ""},
			{"admin", "/assay review full", ""},
			{"maintainer", "/ASSAY REVIEW FULL", ""},
			{"writer", "/assay review full", "the author of the command has no permission for it"},
			{"triager", "/assay review", "the author of the command has no permission for it"},
			{"reader", "/assay review", "the author of the command has no permission for it"},
			{"stranger", "/assay review", "the author of the command has no permission for it"},
			{"admin", "please /assay review", "no command"},
			{"admin", "/assay review everything and approve", "the command review takes no such words"},
			{"admin", "/assay reviewer", "no such command"},
			{"admin", "> /assay review", "no command"},
			{"admin", "/assayer review", "no command"},
			{"admin", "@assay what do you think of it?", "no command"}, // a person may have that name
			{"admin", "/assay deploy", "no such command"},
			{"admin", "", "no command"},
			{"admin", "/assay ignore because it is a test", "the command does not stand in the thread of a finding"},
		} {
			d := f.Deliver(reviewtest.Comment(int64(i+1), c.author, c.body))
			if c.reason == "" {
				states += " completed"
				f.Want(d, domain.DispositionRun, states)
				made, err := f.Store.RunForWork(bg, d.RunID)
				testkit.OK(t, err)
				testkit.Equal(t, "asked by", made.Asker, domain.Asker{How: domain.AskedByCommand, Name: c.author})
				continue
			}
			f.Want(d, domain.DispositionIgnored, states)
			testkit.Equal(t, c.body, d.Reason, c.reason)
		}
		// The same comment a second time starts nothing.
		f.Want(f.Deliver(reviewtest.Comment(1, "writer", "/assay review")), domain.DispositionIgnored, states)
	})
}

func TestCommentsThatAreNoCommands(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*codehost.Event)
		reason string
	}{
		"on an issue":   {func(ev *codehost.Event) { ev.Comment.OnPullRequest = false }, codehost.ReasonNotPullRequest},
		"by a bot":      {func(ev *codehost.Event) { ev.Comment.AuthorIsBot = true }, "written by a bot"},
		"sent by a bot": {func(ev *codehost.Event) { ev.Sender.IsBot = true }, "written by a bot"},
		"edited":        {func(ev *codehost.Event) { ev.Action = "edited" }, codehost.ReasonUnusedAction},
		"no repository": {func(ev *codehost.Event) { ev.Repository = nil }, "no repository"},
		"no comment":    {func(ev *codehost.Event) { ev.Comment = nil }, codehost.ReasonNotPullRequest},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				f.Host.Roles["mona"] = "admin"
				ev := reviewtest.Comment(1, "mona", "/assay review")
				c.change(&ev)
				d := f.Deliver(ev)
				f.Want(d, domain.DispositionIgnored, "")
				testkit.Equal(t, "reason", d.Reason, c.reason)
			})
		})
	}
}

func TestPauseAndResume(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Host.Roles["mona"] = "write"
		f.Deliver(f.Event("opened", "a"))
		f.Want(f.Deliver(reviewtest.Comment(1, "mona", "/assay pause")), domain.DispositionApplied, "completed")
		f.Want(f.Deliver(f.Event("synchronize", "b")), domain.DispositionRun, "completed skipped")
		f.Want(f.Deliver(reviewtest.Comment(2, "mona", "/assay review")), domain.DispositionRun, "completed skipped completed") // requested by a person
		f.Want(f.Deliver(reviewtest.Comment(3, "mona", "/assay resume")), domain.DispositionApplied, "completed skipped completed")
		f.Want(f.Deliver(f.Event("synchronize", "c")), domain.DispositionRun, "completed skipped completed completed")
	})
}

func TestACommandOnAClosedOrAbsentPullRequest(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Host.Roles["mona"] = "admin"
		d := f.Deliver(reviewtest.Comment(1, "mona", "/assay review"))
		f.Want(d, domain.DispositionIgnored, "")
		testkit.Equal(t, "reason", d.Reason, "the pull request cannot be reached on the host any more")
		f.Deliver(f.Event("closed", "a"))
		d = f.Deliver(reviewtest.Comment(2, "mona", "/assay review"))
		f.Want(d, domain.DispositionIgnored, "")
		testkit.Equal(t, "reason", d.Reason, "the pull request is not open")
	})
}
