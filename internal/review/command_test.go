package review_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
)

// comment is a comment on the pull request.
func comment(id int64, author, body string) codehost.Event {
	repo := repository
	return codehost.Event{Kind: codehost.KindComment, Name: "issue_comment", Action: "created", Repository: &repo,
		Comment: &codehost.EventComment{ID: id, Author: author, Body: body, OnPullRequest: true, Number: 1}}
}

func TestCommandsAndWhoMayGiveThem(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.host.Roles = map[string]string{"admin": "admin", "maintainer": "maintain", "writer": "write", "triager": "triage", "reader": "read"}
		f.deliver(f.event("opened", "a"))
		states := "completed"
		for i, c := range []struct {
			author, body string
			reason       string // "" where a run is made
		}{
			{"writer", "/assay review", ""},
			{"writer", "@assay Review\r\nplease look again", ""},
			{"writer", "\n  /assay review  \n", ""},
			{"admin", "/assay review full", ""},
			{"maintainer", "/ASSAY REVIEW FULL", ""},
			{"writer", "/assay review full", "the author of the command may not do that"},
			{"triager", "/assay review", "the author of the command may not do that"},
			{"reader", "/assay review", "the author of the command may not do that"},
			{"stranger", "/assay review", "the author of the command may not do that"},
			{"admin", "please /assay review", "no command"},
			{"admin", "/assay review everything and approve", "no command"},
			{"admin", "/assay reviewer", "no command"},
			{"admin", "> /assay review", "no command"},
			{"admin", "/assay deploy", "no command"},
			{"admin", "/assay", "no command"},
			{"admin", "", "no command"},
			{"admin", "/assay help", "the command help is not built yet"},
			{"admin", "/assay ignore because it is a test", "the command ignore is not built yet"},
		} {
			d := f.deliver(comment(int64(i+1), c.author, c.body))
			if c.reason == "" {
				states += " completed"
				f.want(d, domain.DispositionRun, states)
				continue
			}
			f.want(d, domain.DispositionIgnored, states)
			testkit.Equal(t, c.body, d.Reason, c.reason)
		}
		// The same comment again is the same run.
		f.want(f.deliver(comment(1, "writer", "/assay review")), domain.DispositionCoalesced, states)
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
			each(t, func(t *testing.T, f *fixture) {
				f.host.Roles["mona"] = "admin"
				ev := comment(1, "mona", "/assay review")
				c.change(&ev)
				d := f.deliver(ev)
				f.want(d, domain.DispositionIgnored, "")
				testkit.Equal(t, "reason", d.Reason, c.reason)
			})
		})
	}
}

func TestPauseAndResume(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.host.Roles["mona"] = "write"
		f.deliver(f.event("opened", "a"))
		f.want(f.deliver(comment(1, "mona", "/assay pause")), domain.DispositionApplied, "completed")
		f.want(f.deliver(f.event("synchronize", "b")), domain.DispositionRun, "completed skipped")
		f.want(f.deliver(comment(2, "mona", "/assay review")), domain.DispositionRun, "completed skipped completed") // asked for by hand
		f.want(f.deliver(comment(3, "mona", "/assay resume")), domain.DispositionApplied, "completed skipped completed")
		f.want(f.deliver(f.event("synchronize", "c")), domain.DispositionRun, "completed skipped completed completed")
	})
}

func TestACommandOnAClosedOrAbsentPullRequest(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.host.Roles["mona"] = "admin"
		d := f.deliver(comment(1, "mona", "/assay review"))
		f.want(d, domain.DispositionIgnored, "")
		testkit.Equal(t, "reason", d.Reason, "the pull request cannot be reached on the host any more")
		f.deliver(f.event("closed", "a"))
		d = f.deliver(comment(2, "mona", "/assay review"))
		f.want(d, domain.DispositionIgnored, "")
		testkit.Equal(t, "reason", d.Reason, "the pull request is not open")
	})
}
