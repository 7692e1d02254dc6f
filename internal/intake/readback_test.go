package intake_test

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

const (
	noSuchComment = "the host has no such comment on this pull request"
	edited        = "the comment was edited after it was written"
)

// A signed body proves the knowledge of the secret, but not the author of a comment. The host's copy of the
// comment decides.
func TestACommandIsWhatTheHostHas(t *testing.T) {
	absent := func(codehost.EventComment) (codehost.EventComment, error) {
		return codehost.EventComment{}, &codehost.Error{Class: codehost.ClassNotFound}
	}
	has := func(author, text string, bot bool) func(codehost.EventComment) (codehost.EventComment, error) {
		return func(told codehost.EventComment) (codehost.EventComment, error) {
			told.Author, told.Body, told.AuthorIsBot = author, text, bot
			return told, nil
		}
	}
	for name, c := range map[string]struct {
		told        string
		has         func(codehost.EventComment) (codehost.EventComment, error)
		disposition domain.Disposition
		reason      string
		runs        string
	}{
		"the host does not have it":  {"/assay review", absent, domain.DispositionIgnored, noSuchComment, "completed"},
		"another text":               {"/assay review full", has("owner", "Looks good.", false), domain.DispositionIgnored, "the comment on the host is not a command any more", "completed"},
		"another command":            {"/assay review full", has("owner", "/assay pause", false), domain.DispositionIgnored, edited, "completed"},
		"other words of a command":   {"/assay reject 0123456789ab noisy", has("owner", "/assay reject 0123456789ab wrong", false), domain.DispositionIgnored, edited, "completed"},
		"other digits":               {"/assay approve 0123456789ab", has("owner", "/assay approve 0123456789ac", false), domain.DispositionIgnored, edited, "completed"},
		"a command from other words": {"/assay reveiw", has("owner", "/assay review", false), domain.DispositionIgnored, edited, "completed"},
		"the text was edited": {"/assay review", func(told codehost.EventComment) (codehost.EventComment, error) {
			told.Edited = true
			return told, nil
		}, domain.DispositionIgnored, edited, "completed"},
		"other words below the command":       {"/assay review", has("owner", "/assay review\nonce more", false), domain.DispositionRun, "", "completed completed"},
		"another author without permission":   {"/assay review", has("stranger", "/assay review", false), domain.DispositionIgnored, "the author of the command has no permission for it", "completed"},
		"another author with less permission": {"/assay review full", has("writer", "/assay review full", false), domain.DispositionIgnored, "the author of the command has no permission for it", "completed"},
		"a bot":                               {"/assay review", has("owner", "/assay review", true), domain.DispositionIgnored, "written by a bot", "completed"},
		"a deleted account":                   {"/assay review", has("", "/assay review", false), domain.DispositionIgnored, "the author of the command has no permission for it", "completed"},
		"the host has it":                     {"/assay review", has("owner", "/assay review", false), domain.DispositionRun, "", "completed completed"},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				f.Host.Roles = map[string]string{"owner": "admin", "writer": "write", "": "admin"}
				f.Services.Intake.Lag = time.Nanosecond
				f.Deliver(f.Event("opened", "a"))
				f.Host.Written = c.has
				d := f.Deliver(reviewtest.Comment(1, "owner", c.told))
				f.Want(d, c.disposition, c.runs)
				testkit.Equal(t, "reason", d.Reason, c.reason)
			})
		})
	}
}

// The host may show a comment a moment after its event.
func TestACommentThatTheHostShowsLater(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Host.Roles["owner"] = "admin"
		f.Deliver(f.Event("opened", "a"))
		f.Host.Fail("comment", &codehost.Error{Class: codehost.ClassNotFound})
		guid := f.Send(reviewtest.Comment(1, "owner", "/assay pause"))
		f.Settle()
		testkit.Equal(t, "disposition while the host does not show it", f.Delivery(guid).Disposition, domain.Disposition(""))
		f.Host.Fail("comment", nil)
		f.Until("the delivery is processed", func() bool { return f.Delivery(guid).Disposition != "" })
		f.Want(f.Delivery(guid), domain.DispositionApplied, "completed")
		testkit.Equal(t, "paused", paused(f), true)
	})
}

// A command acts once, even if many different bodies about its comment arrive.
func TestACommandOfOneCommentActsOnce(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Host.Roles["owner"] = "admin"
		f.Deliver(f.Event("opened", "a"))
		f.Want(f.Deliver(reviewtest.Comment(1, "owner", "/assay pause")), domain.DispositionApplied, "completed")
		f.Want(f.Deliver(reviewtest.Comment(2, "owner", "/assay resume")), domain.DispositionApplied, "completed")
		again := reviewtest.Comment(1, "owner", "/assay pause")
		again.Sender.Login = "another"
		d := f.Deliver(again)
		f.Want(d, domain.DispositionIgnored, "completed")
		testkit.Equal(t, "reason", d.Reason, "the command of this comment was carried out before")
		testkit.Equal(t, "paused", paused(f), false)
	})
}

// A command acts once for its comment, even if bodies name different threads.
func TestACommandActsOnceInWhateverThread(t *testing.T) {
	for word, states := range map[string]string{"pause": "completed", "review": "completed completed", "help": "completed"} {
		t.Run(word, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				f.Host.Roles["owner"] = "admin"
				f.Deliver(f.Event("opened", "a"))
				f.Host.Written = func(told codehost.EventComment) (codehost.EventComment, error) {
					told.Once = "7.1"
					return told, nil
				}
				f.Deliver(reviewtest.Comment(1, "owner", "/assay "+word))
				for _, thread := range []domain.HostID{"7.1.abc", "7.1"} {
					again := reviewtest.Comment(1, "owner", "/assay "+word)
					again.Comment.ID, again.Comment.Threaded = thread, len(thread) > 3
					f.Deliver(again)
				}
				f.Settle()
				testkit.Equal(t, "runs", f.States(), states)
				said := len(f.Host.Said(conversation)) + len(f.Host.Said(codehost.Spot{Number: 1, Thread: "7.1.abc"}))
				testkit.Equal(t, "answers", said, map[string]int{"pause": 1, "help": 1}[word])
				testkit.Equal(t, "paused", paused(f), word == "pause")
			})
		})
	}
}

// A body can neither give a repository the name of another one, which other people administer, nor change who
// may read it.
func TestABodyDoesNotRenameARepository(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		for _, through := range []string{"the app", "a connection"} {
			if through == "a connection" {
				throughGitea(f, "[]", reviewtest.Repository())
				testkit.OK(t, f.Sync(bg))
			}
			f.Deliver(f.Event("synchronize", through))
			ev := f.Event("labeled", through)
			repo := *ev.Repository
			forged := repo
			forged.Owner, forged.Name, forged.Private = "evil", "evil", false
			ev.Repository = &forged
			f.Host.SetRepository(repo)
			f.Deliver(ev)
			all, err := f.Store.Repositories(bg, f.World.Tenant)
			testkit.OK(t, err)
			for _, r := range all {
				testkit.Equal(t, through+": repository", r.Owner+"/"+r.Name, "octo/repo")
				testkit.Equal(t, through+": private", r.Private, true)
			}
		}
	})
}

// A delivery that is older than the one that made the repository public does not make it private again,
// whether it is repeated or late. The host is queried only if an event contradicts the stored state.
func TestAnOlderDeliveryDoesNotHideThatARepositoryIsPublic(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		older, late := f.Event("opened", "a"), f.Event("edited", "a")
		private := func() bool {
			r, err := f.Store.RepositoryByExternal(bg, f.World.Tenant, f.World.Installation.ID, "77")
			testkit.OK(t, err)
			return r.Private
		}
		f.Deliver(f.Event("synchronize", "b"))
		testkit.Equal(t, "private at first", private(), true)
		now := reviewtest.Repository()
		now.Private = false
		f.Host.SetRepository(now)
		f.Deliver(codehost.Event{Kind: codehost.KindRepository, Name: "repository", Action: "publicized", Repository: &now})
		testkit.Equal(t, "private after it was made public", private(), false)
		asked := f.Host.Resolved()
		public := f.Event("synchronize", "c")
		public.Repository.Private = false
		f.Deliver(public)
		testkit.Equal(t, "queries about known state", f.Host.Resolved()-asked, 0)
		for _, ev := range []codehost.Event{older, late, {Kind: codehost.KindRepository, Name: "repository", Action: "privatized", Repository: older.Repository},
			{Kind: codehost.KindInstallationRepositories, Action: "added", Repositories: []codehost.RepoInfo{*older.Repository}}} {
			f.Deliver(ev)
			testkit.Equal(t, "private after an older "+ev.Name+" "+ev.Action, private(), false)
		}
		f.Host.SetRepository(reviewtest.Repository())
		f.Deliver(codehost.Event{Kind: codehost.KindRepository, Name: "repository", Action: "privatized", Repository: older.Repository, Sender: codehost.Sender{Login: "mona"}})
		testkit.Equal(t, "private after the host's answer", private(), true)
	})
}

// An event that contradicts the stored state of a repository waits until the host answers.
func TestAnEventWaitsForWhatTheHostSaysOfARepository(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Deliver(f.Event("opened", "a"))
		f.Stop()
		f.Settings.BackoffFirst, f.Settings.BackoffMax = 200*time.Millisecond, time.Second
		f.Start()
		f.Host.Fail("resolve repository", &codehost.Error{Class: codehost.ClassUnavailable})
		ev := f.Event("synchronize", "b")
		ev.Repository.Private = false
		asked := f.Host.Resolved()
		guid := f.Send(ev)
		f.Until("the host is asked", func() bool { return f.Host.Resolved() > asked })
		testkit.Equal(t, "disposition", f.Delivery(guid).Disposition, domain.Disposition(""))
		f.Host.Fail("resolve repository", nil)
		f.Until("the delivery is processed", func() bool { return f.Delivery(guid).Disposition != "" })
		f.Settle()
		f.Want(f.Delivery(guid), domain.DispositionRun, "completed completed")
	})
}

// A sender with the secret of one repository's webhook cannot send events about another repository.
func TestAWebhookSpeaksOfItsRepository(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		other := reviewtest.Repository()
		other.ExternalID, other.Name = "78", "other"
		throughGitea(f, "[]", reviewtest.Repository(), other)
		testkit.OK(t, f.Sync(bg))
		f.Host.Roles["owner"] = "admin"
		f.HookOf = "77"
		f.Want(f.Deliver(f.Event("opened", "a")), domain.DispositionRun, "completed")
		f.HookOf = "78"
		for _, ev := range []codehost.Event{f.Event("synchronize", "b"), f.Event("closed", "b"), reviewtest.Comment(1, "owner", "/assay review"),
			{Kind: codehost.KindRepository, Action: "deleted", Repository: f.Event("edited", "b").Repository}, {Kind: codehost.KindComment, Action: "created", Comment: reviewtest.Comment(2, "owner", "/assay review").Comment}} {
			d := f.Deliver(ev)
			f.Want(d, domain.DispositionIgnored, "completed")
			testkit.Equal(t, "reason", d.Reason, "the body is not about the repository in the address of its webhook")
		}
		f.HookOf = "77"
		f.Want(f.Deliver(f.Event("synchronize", "c")), domain.DispositionRun, "completed completed")
	})
}

// A body that arrives through a connection can neither set a label nor change a pull request's author to a
// person who may write.
func TestABodySetsNoLabelAndNoAuthor(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		throughGitea(f, "[]", reviewtest.Repository())
		testkit.OK(t, f.Sync(bg))
		f.Policy(`{"triggers":{"labels":["review"]},"outsideContributors":"onRequest"}`)
		forge := func(action string, change func(*codehost.PullRequest)) store.Delivery {
			t.Helper()
			ev := f.Event(action, "a", reviewtest.Fork, func(pr *codehost.PullRequest) { pr.Author, pr.AuthorID = "stranger", "66" })
			told := *ev.PullRequest
			change(&told)
			ev.PullRequest = &told
			return f.Deliver(ev)
		}
		d := forge("labeled", func(pr *codehost.PullRequest) { pr.Labels = []string{"review"} })
		f.Want(d, domain.DispositionIgnored, "")
		testkit.Equal(t, "reason", d.Reason, "a label changes nothing here")

		f.Policy(`{"outsideContributors":"onRequest"}`)
		forge("opened", func(pr *codehost.PullRequest) {
			pr.FromFork, pr.Author, pr.AuthorID, pr.Association = false, "mona", "5", codehost.AssociationOwner
		})
		testkit.Equal(t, "runs", f.States(), "skipped")
	})
}
