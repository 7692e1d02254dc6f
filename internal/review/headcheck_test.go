package review_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// numbered turns the pull request of an event into another one, into another branch.
func numbered(n int, base string) func(*codehost.PullRequest) {
	return func(pr *codehost.PullRequest) {
		pr.Number, pr.BaseRef, pr.BaseSHA = n, base, storetest.SHA(base)
	}
}

// newest waits until the newest check run of the host is as wanted.
func newest(f *reviewtest.Fixture, what, want string) codehost.Check {
	f.T.Helper()
	is := func() string { c := f.Host.Newest(); return strings.TrimSpace(c.Status + " " + c.Conclusion) }
	testkit.Eventually(f.T, patience, func() (bool, string) {
		return is() == want, fmt.Sprintf("%s: the host shows %s: %s, want %s", what, is(), f.Host.Newest().Title, want)
	})
	return f.Host.Newest()
}

// worse puts a secret into a change into main, and nothing into a change into other branches.
func worse(f *reviewtest.Fixture) {
	f.Snapshots.Beyond = map[string]string{storetest.SHA("main"): reviewtest.SecretLine(), "": reviewtest.SecretLine()}
}

// A check belongs to a commit. A second pull request of a head, which anyone can open, does not unblock
// it, whichever comes first.
func TestASecondPullRequestDoesNotUnblockAHead(t *testing.T) {
	for name, second := range map[string]func(*codehost.PullRequest){
		"a clean one": func(*codehost.PullRequest) {},
		"a draft":     reviewtest.Drafted,
	} {
		for order, first := range map[string]bool{"after it": true, "before it": false} {
			t.Run(name+" "+order, func(t *testing.T) {
				reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
					worse(f)
					bad := func() { f.Deliver(f.Event("opened", "a", numbered(1, "main"))) }
					good := func() { f.Deliver(f.Event("opened", "a", numbered(2, "old-release"), second)) }
					if first {
						bad()
						newest(f, "the first alone", "completed failure")
						good()
					} else {
						good()
						bad()
					}
					got := newest(f, "both", "completed failure")
					if !strings.HasPrefix(got.Title.String(), "#1: ") || !strings.Contains(got.Summary.String(), "#1 into `main`") {
						t.Errorf("the check does not name its pull request: %q %q", got.Title, got.Summary)
					}
					f.Deliver(f.Event("closed", "a", numbered(1, "main")))
					want := "completed success"
					if name == "a draft" {
						want = "completed skipped"
					}
					got = newest(f, "the other alone", want)
					if !strings.Contains(got.Summary.String(), "#2 into `old-release`") {
						t.Errorf("the check does not name the other pull request: %q", got.Summary)
					}
					f.Deliver(f.Event("reopened", "a", numbered(1, "main")))
					newest(f, "opened again", "completed failure")
				})
			})
		}
	}
}

// While a run for one pull request of a head is under way, the head has no success. When a pull request
// leaves, the check shows the worst result of those that stay.
func TestTheCheckOfAHeadFollowsItsPullRequests(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		worse(f)
		f.Deliver(f.Event("opened", "a", numbered(2, "release")))
		newest(f, "the clean one", "completed success")
		began, release := f.Hold("a")
		f.Processed(f.Event("opened", "a", numbered(1, "main")))
		reviewtest.Receive(t, began)
		newest(f, "one is under way", "in_progress")
		f.Processed(f.Event("opened", "a", numbered(3, "release"), reviewtest.Drafted))
		newest(f, "beside a draft", "in_progress")
		release()
		f.Settle()
		newest(f, "all", "completed failure")
		f.Deliver(f.Event("edited", "a", numbered(1, "release")))
		newest(f, "another target", "completed success")
		f.Deliver(f.Event("edited", "a", numbered(1, "main")))
		newest(f, "back", "completed failure")
		f.Snapshots.Lines[storetest.SHA("b")] = "// mended"
		f.Deliver(f.Event("synchronize", "b", numbered(1, "release")))
		newest(f, "its own head", "completed success")
		old := f.Host.Shown(storetest.SHA("a"))
		testkit.Equal(t, "the head that it had", old.Conclusion+" "+old.Title.String(), "success #2: Nothing found")
		f.Deliver(f.Event("edited", "b", numbered(1, "main")))
		f.Deliver(f.Event("synchronize", "a", numbered(1, "main")))
		testkit.Equal(t, "set back to it", f.Host.Shown(storetest.SHA("a")).Conclusion, "failure")
	})
}

// Two runs of one head end at the same time, on two workers. The last write shows the worse result.
func TestRunsOfOneHeadEndAtOnce(t *testing.T) {
	reviewtest.EachOf(t, storetest.Both, func(t *testing.T, f *reviewtest.Fixture) {
		worse(f)
		const clean = 5
		began, release := f.Hold("a")
		f.Processed(f.Event("opened", "a", numbered(1, "main")))
		for n := range clean {
			f.Processed(f.Event("opened", "a", numbered(2+n, fmt.Sprint("release", n))))
		}
		for range 2 {
			reviewtest.Receive(t, began)
		}
		release()
		f.Settle()
		f.Until("all are published", func() bool {
			return !strings.ContainsAny(strings.ReplaceAll(f.States(), "completed", ""), "abcdefghijklmnopqrstuvwxyz")
		})
		got := newest(f, "all", "completed failure")
		testkit.Equal(t, "names", strings.HasPrefix(got.Title.String(), "#1: "), true)
		testkit.Equal(t, "reviews", len(f.Host.Visible()), 1+clean)
	})
}

// The number of a check and its place as the newest one of its head are stored together. Otherwise
// another job of the run could take the check for an older one and write the result of its own pull
// request alone.
func TestACheckIsTheNewestOnceItsNumberIsKnown(t *testing.T) {
	t.Parallel()
	url := storetest.PostgresAt(t)
	f := reviewtest.NewFixture(t, storetest.Open(t, url))
	worse(f)
	f.Deliver(f.Event("opened", "a", numbered(1, "main")))
	newest(f, "the first alone", "completed failure")
	waiting, release := storetest.Locked(t, url, `SELECT 1 FROM head_checks`)
	f.Processed(f.Event("opened", "a", numbered(2, "release")))
	f.Until("a second job waits, or has written", func() bool { return waiting() > 1 || f.Host.Newest().Conclusion == "success" })
	release()
	f.Settle()
	got := newest(f, "both", "completed failure")
	testkit.Equal(t, "names", strings.HasPrefix(got.Title.String(), "#1: "), true)
}

// The check of a head with very many pull requests is written a few times for each of them.
func TestAHeadOfVeryManyPullRequests(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Snapshots.Lines[storetest.SHA("a")] = reviewtest.SecretLine()
		f.Deliver(f.Event("opened", "a", numbered(1, "main")))
		const drafts = 100
		for n := range drafts {
			f.Send(f.Event("opened", "a", numbered(2+n, "main"), reviewtest.Drafted))
		}
		f.Settle()
		newest(f, "all", "completed failure")
		if n := f.Host.Wrote("new check") + f.Host.Wrote("check"); n > 5*drafts {
			t.Errorf("%d writes for %d pull requests", n, drafts)
		}
	})
}
