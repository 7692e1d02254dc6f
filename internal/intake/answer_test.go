package intake_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

var conversation = codehost.Spot{Number: 1}

// asked gives the fixture a pull request whose author may write, and retries a failed job at once, three
// times in all.
func asked(f *reviewtest.Fixture) {
	f.Stop()
	f.Settings.Attempts, f.Settings.BackoffFirst, f.Settings.BackoffMax = 3, time.Millisecond, time.Millisecond
	f.Start()
	f.Host.Roles["mona"] = "write"
	f.Event("opened", "a")
}

func help(id int64) codehost.Event { return reviewtest.Comment(id, "mona", "/assay help") }

// answers returns state and reason of every answer.
func answers(t *testing.T, url string) (out []string) {
	t.Helper()
	for _, row := range storetest.Dump(t, url)["command_answers"] {
		for _, s := range []domain.AnswerState{domain.AnswerWaiting, domain.AnswerSaid, domain.AnswerDropped} {
			if _, rest, found := strings.Cut(row, " "+string(s)+" "); found {
				out = append(out, string(s)+" "+rest)
			}
		}
	}
	return out
}

// A redelivered comment gets one answer, also if it comes again at the same time with another delivery id.
func TestARedeliveryIsNotAnsweredAgain(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		asked(f)
		for range 6 {
			f.Send(help(7))
		}
		f.Settle()
		f.Deliver(help(7))
		testkit.Equal(t, "answers", len(f.Host.Said(conversation)), 1)
	})
}

// Each pull request gets answers to five commands a day, even if the commands race. Further commands are done
// without an answer.
func TestFiveAnswersADay(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		t.Parallel()
		f := reviewtest.NewFixture(t, s)
		asked(f)
		var guids []string
		for i := range 9 {
			guids = append(guids, f.Send(help(int64(i+1))))
		}
		f.Settle()
		testkit.Equal(t, "answers", len(f.Host.Said(conversation)), 5)
		silent := 0
		for _, g := range guids {
			if f.Delivery(g).Reason == "not answered: the pull request has had 5 answers today" {
				silent++
			}
		}
		testkit.Equal(t, "not answered", silent, 4)
		f.Want(f.Deliver(reviewtest.Comment(20, "mona", "/assay pause")), domain.DispositionApplied, "")
		f.Want(f.Deliver(f.Event("synchronize", "b")), domain.DispositionRun, "skipped")

		raw(`UPDATE command_answers SET created_us = created_us - 86400000000`)
		f.Deliver(help(21))
		testkit.Equal(t, "answers on the next day", len(f.Host.Said(conversation)), 6)
	})
}

func TestACommandInAThreadIsAnsweredThere(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		asked(f)
		first, later := help(7), help(9)
		first.Comment.Inline = true
		later.Comment.Inline, later.Comment.InReplyTo = true, "4"
		f.Deliver(first)
		f.Deliver(later)
		f.Deliver(help(7)) // a comment of the conversation with the same number
		for at, want := range map[codehost.Spot]int{{Number: 1, Thread: "7"}: 1, {Number: 1, Thread: "4"}: 1, conversation: 1} {
			testkit.Equal(t, fmt.Sprint("answers at ", at), len(f.Host.Said(at)), want)
		}
	})
}

// If the host's reply to an answer is lost, the answer is looked up before it is sent again: at once, and
// again a minute later, when lists show it.
func TestAnAnswerWhoseSuccessIsNotKnown(t *testing.T) {
	lost := &codehost.Error{Class: codehost.ClassAmbiguous}
	for name, tt := range map[string]struct {
		op      string // operation that fails once
		lag     bool   // the list does not show it at first
		replies int    // number of answers that were sent
	}{
		"sent":                           {"reply", false, 1},
		"sent, the list lags":            {"reply", true, 1},
		"not sent":                       {"lost reply", false, 2},
		"not sent, the list is not read": {"lost reply", true, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
				t.Parallel()
				f := reviewtest.NewFixture(t, s)
				asked(f)
				f.Host.Lag = tt.lag
				f.Host.Fail(tt.op, lost)
				f.Deliver(help(7))
				f.Host.Fail(tt.op, nil)
				waits := tt.lag || tt.replies == 2
				f.Until("the lost answer is looked up", func() bool {
					writes := len(f.Host.Sent())
					return writes == 1 && (!waits || strings.Contains(answerJob(f).LastError, "its list may not show it yet"))
				})
				f.Stop()
				f.Host.Lag = false
				raw(`UPDATE write_attempts SET started_us = started_us - 60000000, finished_us = finished_us - 60000000`) // a minute passes
				raw(`UPDATE jobs SET run_us = 0 WHERE kind = 'comment.answer' AND state = 'queued'`)
				f.Start()
				f.Until("the answer's job is done", func() bool { return answerJob(f).State == domain.JobDone })
				testkit.Equal(t, "sent", len(f.Host.Sent()), tt.replies)
				testkit.Equal(t, "answers", len(f.Host.Said(conversation)), 1)
			})
		})
	}
}

var marked = regexp.MustCompile(`assay:ans=(\S+) `)

// answerJob returns the job of the answer.
func answerJob(f *reviewtest.Fixture) store.Job {
	f.T.Helper()
	return f.Job(marked.FindStringSubmatch(f.Host.Sent()[0])[1], domain.KindAnswer)
}

// An answer that the host refuses permanently is given up with the reason. The job waits after temporary
// refusals.
func TestAnswersThatTheHostDoesNotTake(t *testing.T) {
	for name, tt := range map[string]struct {
		class codehost.Class
		sent  int // maximum number of requests
		ended string
	}{
		"gone":                  {codehost.ClassNotFound, 1, "dropped the host refuses it: not_found"},
		"locked":                {codehost.ClassForbidden, 1, "dropped the host refuses it: forbidden"},
		"invalid":               {codehost.ClassInvalid, 1, "dropped the host refuses it: invalid"},
		"down for ever":         {codehost.ClassUnavailable, 3, "dropped code host"},
		"renamed, unknown":      {codehost.ClassMoved, 3, "dropped code host"},
		"limited":               {codehost.ClassLimited, 1, "waiting "},
		"a draft is in the way": {codehost.ClassSlotTaken, 1, "waiting "},
		"accepted, never shown": {codehost.ClassAmbiguous, 1, "waiting "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
				t.Parallel()
				f := reviewtest.NewFixture(t, s)
				asked(f)
				f.Host.Fail("lost reply", &codehost.Error{Class: tt.class, Op: "reply", RetryAfter: time.Hour})
				f.Deliver(help(7))
				f.Until("the answer was attempted", func() bool {
					got := answers(t, url)
					return len(f.Host.Sent()) == tt.sent && len(got) == 1 && strings.HasPrefix(got[0], tt.ended)
				})
				testkit.Equal(t, "answers", len(f.Host.Said(conversation)), 0)
				waits := strings.HasPrefix(tt.ended, "waiting")
				testkit.Equal(t, "waits", answerJob(f).State == domain.JobQueued, waits)
			})
		})
	}
}

// If a repository is disconnected before its command is answered, no answer is written.
func TestADisconnectedRepositoryIsNotAnswered(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		t.Parallel()
		f := reviewtest.NewFixture(t, s)
		asked(f)
		f.Host.Fail("reply", &codehost.Error{Class: codehost.ClassLimited, RetryAfter: time.Second})
		f.Deliver(help(7))
		testkit.OK(t, f.Store.DisconnectRepositories(bg, f.World.Tenant, f.World.Installation.ID))
		f.Host.Fail("reply", nil)
		f.Until("the answer is dropped", func() bool { return strings.HasPrefix(answers(t, url)[0], "dropped the repository is disconnected") })
		testkit.Equal(t, "answers", len(f.Host.Said(conversation)), 0)
	})
}

// The texts of our answers are never commands, neither as they are nor as a quote by a person.
func TestAnswersAreNoCommands(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		asked(f)
		f.Deliver(help(7))
		body := f.Host.Said(conversation)[0].Body
		for i, text := range []string{body, "> " + strings.ReplaceAll(body, "\n", "\n> "), "/assay help\n" + body} {
			d := f.Deliver(reviewtest.Comment(int64(10+i), "mona", text))
			testkit.Equal(t, "disposition", d.Disposition, domain.DispositionIgnored)
		}
		testkit.Equal(t, "answers", len(f.Host.Said(conversation)), 1)
	})
}
