package tickets_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/queue/memqueue"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/review/tickets"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracker"
)

var errKilled = errors.New("the worker was killed")

func (f *fake) FindComment(_ context.Context, key, marker string) (string, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, c := range f.comments {
		if c.key == key && c.marker == marker {
			return fmt.Sprint(i + 1), true, f.ask("find " + key)
		}
	}
	return "", !f.unsure, f.ask("find " + key)
}

func (f *fake) PutComment(_ context.Context, key, id, text, marker string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.ask("comment " + key); err != nil {
		return "", err
	}
	if f.before > 0 {
		f.before--
		return "", errKilled
	}
	if id == "" {
		f.comments = append(f.comments, written{key, text, marker})
		id = fmt.Sprint(len(f.comments))
	} else {
		var at int
		if _, err := fmt.Sscan(id, &at); err != nil || at > len(f.comments) || f.comments[at-1].key == "" {
			return "", &tracker.Error{Class: tracker.ClassNotFound}
		}
		f.comments[at-1].text = text
	}
	if f.lost > 0 {
		f.lost--
		return "", errKilled
	}
	return id, nil
}

func (f *fake) PutLink(_ context.Context, key string, l tracker.Link) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.links[key+" "+l.ID] = l
	return f.ask("link " + key)
}

// there returns the comments at issues.
func (f *fake) there() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	for _, c := range f.comments {
		out = append(out, c.key+" "+c.text)
	}
	return strings.Join(out, "; ")
}

// work runs write jobs until none are due.
func (w *world) work() {
	w.Helper()
	worker, err := jobs.New(jobs.Config{Store: w.Store, Queue: memqueue.New(), Kinds: w.Kinds(), Logger: slog.New(slog.DiscardHandler), Observer: reviewtest.Quiet{}, Lanes: map[domain.Lane]int{domain.LaneBackground: 2},
		Settings: jobs.Settings{Lease: 10 * time.Second, Heartbeat: 50 * time.Millisecond, Sweep: 20 * time.Millisecond, Relay: 5 * time.Millisecond, BackoffFirst: time.Millisecond, BackoffMax: time.Millisecond}})
	testkit.OK(w, err)
	ctx, cancel := context.WithCancel(bg)
	over := make(chan error, 1)
	go func() { over <- worker.Run(ctx, bg) }()
	storetest.Calm(w.T, w.Store, 30*time.Second, domain.LaneBackground)
	cancel()
	testkit.OK(w, <-over)
}

// published notifies the issues after a run with a key.
func (w *world) published(trigger string) {
	w.Helper()
	w.host.Set(w.now)
	run := storetest.Run(w.T, w.Store, w.pull, trigger)
	testkit.OK(w, w.Published(bg, w.tenant, run))
	testkit.OK(w, w.Published(bg, w.tenant, run)) // it may be repeated
	w.work()
}

const told = "[`octo/repo#1`](" + address + "): `PAY-1`: add the sum"

func TestIssuesAreNotifiedOnce(t *testing.T) {
	each(t, func(w *world) {
		w.read()
		w.published("rerun:1")
		testkit.Equal(w, "comments", w.tracker.there(), "PAY-1 "+told)
		w.tracker.requests()
		w.published("rerun:2")
		testkit.Equal(w, "nothing changed, nothing is asked", w.tracker.requests(), "")
		w.now.Title = "hunter2 @everyone"
		w.published("rerun:3") // edited in place
		testkit.Equal(w, "comments", strings.Count(w.tracker.there(), "PAY-1"), 1)
		if s := w.tracker.there(); strings.Contains(s, "hunter2") {
			w.Error(s)
		}
		// The pull request names another issue, and then this one again, so the row is new.
		w.now.Title = "Nothing"
		w.read()
		w.now.Title = "PAY-1: add the sum"
		w.read()
		w.published("rerun:4")
		testkit.Equal(w, "comments", w.tracker.there(), "PAY-1 "+told)
		w.tracker.comments[0].key = "" // a person deletes it: it is not written again
		w.now.Title = "PAY-1"
		w.published("rerun:5")
		testkit.Equal(w, "comments", len(w.tracker.comments), 1)
	})
}

// A worker that is killed before it sends, or before it gets the answer, leaves one comment.
func TestAKilledWorkerLeavesOneComment(t *testing.T) {
	each(t, func(w *world) {
		w.read()
		w.tracker.lost = 1
		w.published("rerun:1")
		testkit.Equal(w, "comments", w.tracker.there(), "PAY-1 "+told)
		testkit.Equal(w, "known", w.link("PAY-1").CommentID, "1")
	})
}

// A comment that may have been sent and is not visible yet is not sent again until the list would show
// it.
func TestALostCommentIsNotSentAgainAtOnce(t *testing.T) {
	each(t, func(w *world) {
		w.read()
		w.tracker.before = 1 // the intent is stored, the comment does not exist, and the answer is lost
		w.published("rerun:1")
		testkit.Equal(w, "comments", w.tracker.there(), "")
		testkit.Equal(w, "sent", strings.Count(w.tracker.requests(), "comment PAY-1"), 1)
		jobs, err := w.Store.JobsOf(bg, w.link("PAY-1").ID)
		testkit.OK(w, err)
		if len(jobs) != 1 || jobs[0].State != "queued" || jobs[0].RunUS-jobs[0].NowUS < 10_000_000 {
			w.Errorf("%+v", jobs)
		}
	})
}

// An issue that the tracker no longer shows, or where it refuses writes, is tried once.
func TestAnIssueThatRefusesWrites(t *testing.T) {
	for _, class := range []tracker.Class{tracker.ClassNotFound, tracker.ClassForbidden} {
		for way, request := range map[string]string{"comment": "find PAY-1", "link": "link PAY-1"} {
			t.Run(string(class)+" "+way, func(t *testing.T) {
				each(t, func(w *world) {
					w.mapping(`{"linkBack":"` + way + `"}`)
					w.read()
					w.tracker.requests()
					w.tracker.down = &tracker.Error{Class: class}
					w.published("rerun:1")
					testkit.Equal(w, "requests", w.tracker.requests(), request)
					jobs, err := w.Store.JobsOf(bg, w.link("PAY-1").ID)
					testkit.OK(w, err)
					if len(jobs) != 1 || jobs[0].State != "dead" {
						w.Errorf("%+v", jobs)
					}
				})
			})
		}
	}
}

// If a lost comment cannot be searched for, it is given up instead of written twice.
func TestALostCommentThatCannotBeFound(t *testing.T) {
	each(t, func(w *world) {
		w.read()
		w.tracker.unsure, w.tracker.before = true, 1
		w.published("rerun:1")
		jobs, err := w.Store.JobsOf(bg, w.link("PAY-1").ID)
		testkit.OK(w, err)
		if len(jobs) != 1 || jobs[0].State != "dead" || len(w.tracker.comments) != 0 {
			w.Errorf("%+v", jobs)
		}
	})
}

func TestIssuesAreLinkedOnce(t *testing.T) {
	each(t, func(w *world) {
		w.mapping(`{"linkBack":"link"}`)
		w.read()
		w.published("rerun:1")
		w.published("rerun:2")
		if l := w.tracker.links["PAY-1 assay-"+w.pull.ID]; len(w.tracker.links) != 1 || l.URL != address {
			w.Errorf("%+v", w.tracker.links)
		}
	})
}

// Nothing is written at an issue if only its key may be known, if it could not be read, or if the
// connection does not want it.
func TestIssuesThatAreNotNotified(t *testing.T) {
	for name, set := range map[string]func(w *world){
		"a fork by a stranger": func(w *world) { w.now.FromFork = true },
		"a public repository":  func(w *world) { w.repository.Private = false },
		"not wanted":           func(w *world) { w.mapping(`{"linkBack":"none"}`) },
		"not read":             func(w *world) { w.tracker.down = &tracker.Error{Class: tracker.ClassUnavailable} },
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(w *world) {
				set(w)
				w.read()
				w.tracker.down = nil
				w.published("rerun:1")
				testkit.Equal(w, "comments", w.tracker.there(), "")
			})
		})
	}
}

// A repository that became public after the issue was read is no longer named.
func TestARepositoryBecomesPublicBeforeTheWrite(t *testing.T) {
	each(t, func(w *world) {
		w.read()
		open := w.repository
		open.Private = false
		_, err := w.Store.UpsertRepository(bg, w.tenant, open)
		testkit.OK(w, err)
		w.published("rerun:1")
		testkit.Equal(w, "comments", w.tracker.there(), "")
	})
}

func TestPeopleLinkIssues(t *testing.T) {
	each(t, func(w *world) {
		w.issue("PAY-8")
		add := func(issue, connection string) error {
			_, err := w.Add(bg, w.tenant, w.repository, "usr_1", tickets.TrackerLinkCreate{Number: 1, Issue: issue, ConnectionID: connection})
			return err
		}
		for issue, connection := range map[string]string{"UTF-8": "", "https://evil.example/browse/PAY-8": "", "PAY-8": "tcn_none"} {
			if add(issue, connection) == nil {
				w.Errorf("%s of %q was taken", issue, connection)
			}
		}
		testkit.OK(w, add("https://acme.atlassian.net/browse/PAY-8", w.connection.ID))
		testkit.Equal(w, "tickets", keys(w.read()), "PAY-8 PAY-1")
		testkit.OK(w, w.Remove(bg, w.tenant, w.repository, "usr_2", w.link("PAY-1").ID))
		testkit.Equal(w, "tickets", keys(w.read()), "PAY-8")
		for i := range domain.MaxTickets - 1 {
			testkit.OK(w, add(fmt.Sprint("PAY-", 20+i), ""))
		}
		if add("PAY-99", "") == nil {
			w.Error("more than the bound")
		}
		w.repository.Private = false // data that was read is not shown in public
		got, err := w.Links(bg, w.tenant, w.repository, tickets.Page{Limit: 50})
		testkit.OK(w, err)
		for _, l := range got {
			if l.Title+l.URL+l.State+l.Type+l.Unread != "" || !l.KeyOnly || l.IssueKey == "" {
				w.Errorf("%+v", l)
			}
		}
	})
}

func TestAnIssueThatChanged(t *testing.T) {
	each(t, func(w *world) {
		n, err := w.LinkPullRequest(bg, w.tenant, w.connection.ID, w.repository, w.pull)
		if err == nil || n != 0 {
			w.Errorf("the host has no such pull request: %d, %v", n, err)
		}
		w.host.Set(w.now)
		n, err = w.LinkPullRequest(bg, w.tenant, w.connection.ID, w.repository, w.pull)
		testkit.OK(w, err)
		testkit.Equal(w, "found", n, 1)
		w.tracker.requests()
		testkit.OK(w, w.IssueChanged(bg, w.tenant, w.connection.ID, "PAY-2"))
		testkit.Equal(w, "requests without a pull request", w.tracker.requests(), "")
		i := w.issue("PAY-1")
		i.Title, i.State = "Another sum", "Shipped"
		w.tracker.issues["PAY-1"] = i
		testkit.OK(w, w.IssueChanged(bg, w.tenant, w.connection.ID, "PAY-1"))
		testkit.Equal(w, "title", w.link("PAY-1").Title, "Another sum")
		testkit.Equal(w, "rows", w.rows(), "PAY-1/title read done")
		w.now.FromFork = true
		w.read()
		w.tracker.requests()
		testkit.OK(w, w.IssueChanged(bg, w.tenant, w.connection.ID, "PAY-1"))
		testkit.Equal(w, "requests for a stranger's", w.tracker.requests(), "")
	})
}

func TestVerdictsAreKept(t *testing.T) {
	each(t, func(w *world) {
		list := w.read()
		run := storetest.Run(w.T, w.Store, w.pull, "rerun:1")
		check := domain.CriterionCheck{Ticket: "PAY-1", Criterion: list[0].Criteria[0], Verdict: domain.CriterionMet, Reason: "It is, hunter2.", Places: []domain.Place{{Path: "a.go", StartLine: 1, EndLine: 2, Note: "sum"}}, Basis: "b"}
		stray := check
		stray.Ticket = "PAY-9"
		testkit.OK(w, w.Keep(bg, w.tenant, run, list, []domain.CriterionCheck{check, stray}))
		got, err := w.Earlier(bg, w.tenant, w.pull.ID)
		testkit.OK(w, err)
		check.Reason = "It is, [secret]."
		testkit.Equal(w, "earlier", fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", []domain.CriterionCheck{check}))
		w.repository.Private = false
		shown, err := w.Checks(bg, w.tenant, w.repository, tickets.Page{Limit: 10})
		testkit.OK(w, err)
		if len(shown) != 1 || shown[0].Criterion+shown[0].Reason != "" || shown[0].Evidence != "[]" {
			w.Errorf("%+v", shown)
		}
	})
}
