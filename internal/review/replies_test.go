package review_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// inThread is the event of a comment in the thread of the first comment of a fixture's review.
func inThread(f *reviewtest.Fixture, id int64, author, body string) codehost.Event {
	ev := reviewtest.Comment(id, author, body)
	ev.Comment.Inline, ev.Comment.InReplyTo = true, f.Host.Comments[0].ID
	return ev
}

// answered returns the answers in the thread of the first comment.
func answered(f *reviewtest.Fixture) (out []string) {
	for _, s := range f.Host.Said(codehost.Spot{Number: 1, Thread: f.Host.Comments[0].ID}) {
		out = append(out, s.Body)
	}
	return out
}

// A person's reply to a finding is answered once, from the code, and decides what becomes of the finding.
func TestRepliesToAFinding(t *testing.T) {
	for name, tt := range map[string]struct {
		intent, verdict string
		state           domain.FindingState
		outcome         domain.ReplyOutcome
		says            []string // parts of the answer; none: it gets no answer
		checks          int      // questions to the verifier
	}{
		"disputed, and the code proves it":    {"disputes", "confirmed", domain.FindingOpen, domain.ReplyStands, []string{"The finding stays open:", "shop.go:", "return total / len(items)", "Nothing checks the length."}, 1},
		"disputed, and the code disproves it": {"disputes", "refuted", domain.FindingDismissed, domain.ReplyRight, []string{"You are right", "for _, n := range items {"}, 1},
		"disputed, and nothing decides":       {"disputes", "unproven", domain.FindingOpen, domain.ReplyUndecided, []string{"The code neither proves nor disproves the finding", "/assay ignore"}, 1},
		"called mended, and it is not":        {"mended", "confirmed", domain.FindingOpen, domain.ReplyNotMended, []string{"the defect is still there", "shop.go:"}, 1},
		"called mended, and it never was":     {"mended", "refuted", domain.FindingDismissed, domain.ReplyRight, []string{"You are right", "for _, n := range items {"}, 1},
		"declined":                            {"declines", "", domain.FindingDismissed, domain.ReplyDeclined, []string{"The finding is dismissed"}, 0},
		"a question":                          {"asks", "", domain.FindingOpen, domain.ReplyExplained, []string{"it panics", "shop.go:"}, 0},
		"thanks":                              {"other", "", domain.FindingOpen, domain.ReplyUnanswered, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				h := newHistory(f)
				h.push("a", divides, division)
				h.intent, h.verdict = tt.intent, tt.verdict
				guid := f.Deliver(inThread(f, 50, "mona", "Callers never pass an empty list, see Total.")).GUID
				testkit.Equal(t, "state", h.known()[0].State, tt.state)
				replies, err := f.Store.RepliesOf(bg, f.World.Tenant, h.known()[0].ID)
				testkit.OK(t, err)
				testkit.Equal(t, "replies", len(replies), 1)
				testkit.Equal(t, "outcome ("+replies[0].Reason+")", replies[0].Outcome, tt.outcome)
				testkit.Equal(t, "checks", h.replies, tt.checks)
				got := answered(f)
				if len(got) != min(len(tt.says), 1) {
					t.Fatalf("answers: %q", got)
				}
				for _, part := range tt.says {
					if !strings.Contains(got[0], part) {
						t.Errorf("the answer lacks %q:\n%s", part, got[0])
					}
				}
				testkit.Equal(t, "disposition", f.Delivery(guid).Disposition, domain.DispositionApplied)
				// The same comment once more, and the same words in another comment, change nothing.
				f.Deliver(inThread(f, 50, "mona", "Callers never pass an empty list, see Total."))
				f.Deliver(inThread(f, 51, "mona", "Callers never pass an empty list, see Total."))
				testkit.Equal(t, "answers after repetitions", len(answered(f)), len(got))
			})
		})
	}
}

// Replies that nobody answers: of strangers and bots, edited ones, quotations, in other threads, and at closed findings and pull requests.
func TestRepliesWithoutAnswer(t *testing.T) {
	for name, tt := range map[string]struct {
		author string
		change func(f *reviewtest.Fixture, ev *codehost.Event)
		reason string
	}{
		"of a stranger":       {"stranger", nil, "the author of the command has no permission for it"},
		"of a bot":            {"mona", func(_ *reviewtest.Fixture, ev *codehost.Event) { ev.Comment.AuthorIsBot = true }, "written by a bot"},
		"edited":              {"mona", func(_ *reviewtest.Fixture, ev *codehost.Event) { ev.Comment.Edited = true }, "the comment was edited after it was written"},
		"only a quotation":    {"mona", func(_ *reviewtest.Fixture, ev *codehost.Event) { ev.Comment.Body = "> it panics\n\n> really" }, "only a quotation"},
		"in another thread":   {"mona", func(_ *reviewtest.Fixture, ev *codehost.Event) { ev.Comment.InReplyTo = "999" }, "no command, and not in the thread of a finding"},
		"in the conversation": {"mona", func(_ *reviewtest.Fixture, ev *codehost.Event) { ev.Comment.Inline, ev.Comment.InReplyTo = false, "" }, "no command"},
		"a new thread":        {"mona", func(_ *reviewtest.Fixture, ev *codehost.Event) { ev.Comment.InReplyTo = "" }, "no command, and not in the thread of a finding"},
		"after the end": {"mona", func(f *reviewtest.Fixture, _ *codehost.Event) {
			f.Deliver(f.Event("closed", "a"))
		}, "the pull request is not open"},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				h := newHistory(f)
				h.push("a", divides, division)
				h.intent = "declines"
				ev := inThread(f, 50, tt.author, "This cannot happen.")
				if tt.change != nil {
					tt.change(f, &ev)
				}
				d := f.Deliver(ev)
				testkit.Equal(t, "disposition", d.Disposition, domain.DispositionIgnored)
				testkit.Equal(t, "reason", d.Reason, tt.reason)
				testkit.Equal(t, "writes", len(f.Host.Sent()), 0)
				testkit.Equal(t, "state", h.known()[0].State, domain.FindingOpen)
			})
		})
	}
}

// A reply waits while the host refuses to tell the role of its author. The refusal does not count as an answer.
func TestAReplyWaitsForTheRoleOfItsAuthor(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		f := reviewtest.NewFixture(t, s)
		h := newHistory(f)
		h.push("a", divides, division)
		h.intent = "declines"
		f.Host.Fail("permission", &codehost.Error{Class: codehost.ClassForbidden, Op: "permission"})
		guid := f.Send(inThread(f, 50, "mona", "This cannot happen."))
		f.Until("the reply waits", func() bool {
			jobs, err := f.Store.JobsOf(t.Context(), f.Delivery(guid).ID)
			return err == nil && len(jobs) == 1 && jobs[0].State == domain.JobQueued && jobs[0].LastError != ""
		})
		testkit.Equal(t, "disposition while it waits", f.Delivery(guid).Disposition, "")
		f.Host.Fail("permission", nil)
		raw(`UPDATE jobs SET run_us = 0, dispatched_us = NULL WHERE state = 'queued'`)
		f.Until("the reply is handled", func() bool { return f.Delivery(guid).Disposition == domain.DispositionApplied })
	})
}

// The role of a reply's author is asked once when the reply arrives, and once before the decision.
func TestTheRoleOfAReplyIsAskedOnce(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newHistory(f)
		h.push("a", divides, division)
		h.intent = "declines"
		f.Deliver(inThread(f, 50, "mona", "We do this on purpose."))
		f.Settle()
		testkit.Equal(t, "asked for a reply", fmt.Sprint(f.Host.Asked), "[mona mona]")
		testkit.Equal(t, "state", h.known()[0].State, domain.FindingDismissed)
		f.Host.Asked = nil
		f.Deliver(inThread(f, 51, "mona", "/assay ignore It is wanted."))
		f.Settle()
		testkit.Equal(t, "asked for a command", fmt.Sprint(f.Host.Asked), "[mona]")
	})
}

// An unusable answer of the model that sorts replies is not kept: the model is asked once more, and then the reply ends.
func TestAReplyIsSortedAgainAfterAnUnusableAnswer(t *testing.T) {
	for unclear, want := range map[int]domain.ReplyOutcome{1: domain.ReplyDeclined, 2: domain.ReplyUnanswered} {
		t.Run(string(want), func(t *testing.T) {
			t.Parallel()
			storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
				f := reviewtest.NewFixture(t, s)
				h := newHistory(f)
				h.push("a", divides, division)
				h.intent, h.unclear = "declines", unclear
				f.Deliver(inThread(f, 50, "mona", "We accept that."))
				raw(`UPDATE jobs SET run_us = 0, dispatched_us = NULL WHERE state = 'queued'`)
				var got store.FindingReply
				f.Until("the reply has ended", func() bool {
					replies, err := s.RepliesOf(bg, f.World.Tenant, h.known()[0].ID)
					testkit.OK(t, err)
					got = replies[0]
					return got.Outcome != domain.ReplyWaiting
				})
				testkit.Equal(t, "outcome ("+got.Reason+")", got.Outcome, want)
				testkit.Equal(t, "unusable answers left", h.unclear, 0)
			})
		})
	}
}

// A reply waits for the review of a newer head that the host shows already. Nothing is fetched and no model is asked meanwhile.
func TestAReplyWaitsForTheHeadThatTheHostShows(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newHistory(f)
		h.push("a", divides, division)
		h.prepare("b", divides+"// one more line\n", division)
		h.intent = "disputes"
		push := f.Event("synchronize", "b")
		f.Deliver(inThread(f, 50, "mona", "No."))
		replies, err := f.Store.RepliesOf(bg, f.World.Tenant, h.known()[0].ID)
		testkit.OK(t, err)
		testkit.Equal(t, "outcome", replies[0].Outcome, domain.ReplyWaiting)
		testkit.Equal(t, "checks", h.replies, 0)
		f.Deliver(push)
		testkit.Equal(t, "state", f.States(), "completed completed")
	})
}

// The lines of an explanation are those of the commit that was reviewed last, and so are its links.
func TestAnExplanationLinksToTheReviewedCommit(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newHistory(f)
		h.push("a", divides, division)
		f.Event("synchronize", "b")
		f.Deliver(inThread(f, 50, "mona", "/assay explain"))
		got := answered(f)
		testkit.Require(t, "answers", len(got), 1)
		if !strings.Contains(got[0], "/blob/"+storetest.SHA("a")+"/") || strings.Contains(got[0], storetest.SHA("b")) {
			t.Errorf("the explanation links elsewhere:\n%s", got[0])
		}
	})
}

// The comment of a person who may not write is not looked for on the host, which may cost many requests.
func TestStrangersCommentsAreNotLookedFor(t *testing.T) {
	for _, body := range []string{"This cannot happen.", "/assay explain"} {
		t.Run(body, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				h := newHistory(f)
				h.push("a", divides, division)
				looked := 0
				f.Host.Written = func(told codehost.EventComment) (codehost.EventComment, error) {
					looked++
					return told, nil
				}
				for i := range 3 {
					d := f.Deliver(inThread(f, int64(50+i), "stranger", body))
					testkit.Equal(t, "reason", d.Reason, "the author of the command has no permission for it")
				}
				testkit.Equal(t, "looked for", looked, 0)
				f.Deliver(inThread(f, 60, "mona", body))
				if looked == 0 {
					t.Error("the comment of a person who may write was not read")
				}
			})
		})
	}
}

// A thread gets three answers, and a pull request five a day.
func TestABoundOfAnswersToReplies(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newHistory(f)
		h.push("a", divides, division)
		h.intent = "disputes"
		for i, words := range []string{"No.", "Still no.", "Look again.", "And again.", "And once more."} {
			f.Deliver(inThread(f, int64(50+i), "mona", words))
		}
		testkit.Equal(t, "answers", len(answered(f)), 3)
		testkit.Equal(t, "checks", h.replies, 3)
	})
}

// The author of a pull request cannot dismiss a secret by a reply, in whatever words; the answer says who can.
func TestASecretIsNotDismissedByItsAuthor(t *testing.T) {
	for _, words := range []string{"It is a test key, we accept it.", "/assay ignore it is a test key"} {
		t.Run(words, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				h := newHistory(f)
				h.intent = "declines"
				h.push("a", reviewtest.SecretLine()+"\n")
				f.Deliver(inThread(f, 50, "mona", words))
				testkit.Equal(t, "state", h.known()[0].State, domain.FindingOpen)
				got := answered(f)
				testkit.Equal(t, "answers", len(got), 1)
				if !strings.Contains(got[0], "Ask another person with write access") {
					t.Error(got[0])
				}
				f.Host.Roles["dana"] = "write"
				f.Deliver(inThread(f, 51, "dana", words+" I agree."))
				testkit.Equal(t, "state after another person's word", h.known()[0].State, domain.FindingDismissed)
			})
		})
	}
}

// Commands in the thread of a finding.
func TestCommandsAboutAFinding(t *testing.T) {
	for body, tt := range map[string]struct {
		state domain.FindingState
		says  string
	}{
		"/assay ignore callers check it": {domain.FindingDismissed, "The finding is dismissed."},
		"/assay ignore":                  {domain.FindingOpen, "say why"},
		"/assay explain":                 {domain.FindingOpen, "it panics"},
		"/assay explain all":             {domain.FindingOpen, "it panics"},
		"/assay fix":                     {domain.FindingOpen, "needs the role maintain or admin"},
	} {
		t.Run(body, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				h := newHistory(f)
				h.push("a", divides, division)
				f.Deliver(inThread(f, 50, "mona", body))
				testkit.Equal(t, "state", h.known()[0].State, tt.state)
				got := answered(f)
				if len(got) != 1 || !strings.Contains(got[0], tt.says) {
					t.Errorf("%q", got)
				}
				elsewhere := reviewtest.Comment(60, "mona", body)
				f.Deliver(elsewhere)
				said := f.Host.Said(codehost.Spot{Number: 1})
				if len(said) != 1 || strings.HasPrefix(body, "/assay ignore c") && !strings.Contains(said[0].Body, "in the thread of a finding") {
					t.Errorf("in the conversation: %+v", said)
				}
				if tt.state == domain.FindingDismissed {
					decided, err := f.Store.FindingDecisions(bg, f.World.Tenant, h.known()[0].ID)
					testkit.OK(t, err)
					testkit.Equal(t, "reason", decided[0].Reason, "mona on the code host: callers check it")
				}
			})
		})
	}
}

// A defect that is gone from the head is resolved when a person says so, without a model: here nothing reviewed the push.
func TestAReplyThatCallsItMended(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newHistory(f)
		f.Host.Resolves = true
		h.push("a", divides, division)
		f.Deliver(reviewtest.Comment(40, "mona", "/assay pause"))
		h.prepare("b", "// nothing left\n")
		f.Deliver(f.Event("synchronize", "b"))
		h.intent, h.verdict = "mended", "unproven"
		f.Deliver(inThread(f, 50, "mona", "Fixed in the last commit."))
		testkit.Equal(t, "state", h.known()[0].State, domain.FindingResolved)
		got := answered(f)
		if len(got) != 1 || !strings.Contains(got[0], "the defect is gone") {
			t.Errorf("%q", got)
		}
		if body := f.Host.Comments[0].Body; !strings.Contains(body, "**Resolved** in `"+storetest.SHA("b")[:7]+"`") {
			t.Errorf("the comment: %s", body)
		}
		testkit.Equal(t, "closed threads", f.Host.Wrote("resolved true"), 1)
		testkit.Equal(t, "edits", f.Host.Wrote("edit"), 1)
		entries, err := f.Store.AuditEntries(bg, f.World.Tenant, store.AuditFilter{Action: "finding.resolve", Limit: 10})
		testkit.OK(t, err)
		if len(entries) != 1 || !strings.Contains(entries[0].Body, "mona on the code host: Fixed in the last commit.") {
			t.Errorf("audit log: %+v", entries)
		}
	})
}

// A push while a reply is judged overtakes it: the thread stays open, and the reply is judged again by the new head.
func TestAReplyThatAPushOvertakes(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		f := reviewtest.NewFixture(t, s)
		f.Host.Resolves = true
		h := newHistory(f)
		h.push("a", divides, division)
		f.Deliver(reviewtest.Comment(40, "mona", "/assay pause"))
		h.prepare("b", "// nothing left\n")
		f.Deliver(f.Event("synchronize", "b"))
		h.prepare("c", divides, division)
		h.intent, h.verdict = "mended", "unproven"
		h.onSort = func() {
			p, err := f.Store.PullRequest(bg, f.World.Tenant, f.Runs()[0].PullRequest)
			testkit.OK(t, err)
			p.HeadSHA, p.HostUpdatedUS = storetest.SHA("c"), p.HostUpdatedUS+1
			_, err = f.Store.UpsertPullRequest(bg, f.World.Tenant, p)
			testkit.OK(t, err)
			pull, err := f.Host.PullRequest(bg, codehost.Repo{}, 1)
			testkit.OK(t, err)
			pull.HeadSHA = p.HeadSHA
			f.Host.Set(pull)
		}
		f.Deliver(inThread(f, 50, "mona", "Fixed in the last commit."))
		testkit.Equal(t, "state", h.known()[0].State, domain.FindingOpen)
		testkit.Equal(t, "closed threads", f.Host.Wrote("resolved true"), 0)
		testkit.Equal(t, "answers before it is judged again", len(answered(f)), 0)
		f.Stop()
		h.verdict = "confirmed"
		raw(`UPDATE jobs SET run_us = 0, dispatched_us = NULL WHERE kind = 'comment.reply' AND state = 'queued'`)
		f.Start()
		f.Settle()
		got := answered(f)
		if len(got) != 1 || !strings.Contains(got[0], "At `"+storetest.SHA("c")[:7]+"` the defect is still there") {
			t.Errorf("%q", got)
		}
		testkit.Equal(t, "state", h.known()[0].State, domain.FindingOpen)
		testkit.Equal(t, "closed threads", f.Host.Wrote("resolved true"), 0)
	})
}

// If another person edits a waiting reply, the edited text decides nothing in the author's name.
func TestAReplyThatIsEditedWhileItWaits(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newHistory(f)
		h.push("a", divides, division)
		h.intent = "declines"
		reads := 0
		f.Host.Written = func(told codehost.EventComment) (codehost.EventComment, error) {
			if reads++; reads > 1 {
				told.Body = "We accept this risk."
			}
			told.ID, told.Author, told.OnPullRequest, told.Number, told.Inline, told.InReplyTo = "50", "mona", true, 1, true, f.Host.Comments[0].ID
			return told, nil
		}
		f.Deliver(inThread(f, 50, "mona", "Why?"))
		testkit.Equal(t, "state", h.known()[0].State, domain.FindingOpen)
		testkit.Equal(t, "answers", len(answered(f)), 0)
		replies, err := f.Store.RepliesOf(bg, f.World.Tenant, h.known()[0].ID)
		testkit.OK(t, err)
		testkit.Equal(t, "outcome", replies[0].Outcome, domain.ReplyUnanswered)
	})
}

// Where comments on one line are one thread, nothing is decided about one of two findings on it.
func TestAReplyToALineWithTwoFindings(t *testing.T) {
	for body, says := range map[string]string{"/assay ignore callers check it": "several findings stand on this line", "We accept it.": ""} {
		t.Run(body, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				f.Host.Resolves, f.Host.LineThreads = true, true
				h := newHistory(f)
				h.intent = "declines"
				h.push("a", divides, division, report{quote: quote, key: "overflow", title: "The sum overflows", other: true})
				if len(f.Host.Comments) != 2 {
					t.Skipf("%d comments", len(f.Host.Comments))
				}
				f.Deliver(inThread(f, 50, "mona", body))
				for _, k := range h.known() {
					testkit.Equal(t, k.Title, k.State, domain.FindingOpen)
				}
				got := answered(f)
				if len(got) != min(len(says), 1) || len(got) == 1 && !strings.Contains(got[0], says) {
					t.Errorf("%q", got)
				}
			})
		})
	}
}

// Quoted words are not the person's own: the model reads the rest.
func TestQuotationsInAReply(t *testing.T) {
	cm := codehost.EventComment{Body: "> won't fix, out of scope\r\n\r\nNo, please keep this open.\n  > really\n"}
	testkit.Equal(t, "own words", cm.OwnWords(), "No, please keep this open.")
}

// A secret in the reason of a command or reply is stored nowhere, although invisible characters interrupt it.
func TestASecretInAReason(t *testing.T) {
	for words, want := range map[string]string{
		"hunter2 is only for tests":       "[redacted] is only for tests",
		"hun\u200bter2 is only for tests": "[redacted] is only for tests",
		"hun\rter2 is only for tests":     "[redacted] is only for tests",
	} {
		for _, before := range []string{"", "/assay ignore "} {
			if before != "" && strings.Contains(words, "\r") {
				continue // the line of a command ends there
			}
			t.Run(before+words[:8], func(t *testing.T) {
				reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
					hide := func(text string) string { return strings.ReplaceAll(text, "hunter2", "[redacted]") }
					f.Services.Approvals.Scan, f.Service.Scan = hide, hide
					h := newHistory(f)
					h.push("a", divides, division)
					h.intent = "declines"
					f.Deliver(inThread(f, 50, "mona", before+words))
					decided, err := f.Store.FindingDecisions(bg, f.World.Tenant, h.known()[0].ID)
					testkit.OK(t, err)
					testkit.Require(t, "decisions", len(decided), 1)
					if got := decided[0].Reason; !strings.HasPrefix(got, "mona on the code host: "+want) || strings.Contains(got, "hunt") {
						t.Errorf("the reason is %q", got)
					}
				})
			})
		}
	}
}
