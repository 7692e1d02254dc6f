package review_test

import (
	"fmt"
	"slices"
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

const mended = "\treturn total / max(len(items), 1)"

// newFeedback is a history whose host shows reactions and files.
func newFeedback(f *reviewtest.Fixture) *history {
	h := newHistory(f)
	f.Host.Feedback = reviewtest.Feedback{Reacts: true, Given: map[domain.HostID][]codehost.Reaction{},
		File: func(path, sha string) (string, bool) {
			h.mu.Lock()
			defer h.mu.Unlock()
			text, there := h.texts[sha]
			return shop + text, there && path == "shop.go"
		}}
	return h
}

// read runs a job that reads the feedback now.
func (h *history) read(kind domain.JobKind) {
	h.T.Helper()
	_, err := h.Store.Enqueue(bg, store.NewJob{Kind: kind, FairKey: h.World.Tenant.ID, Subject: h.Runs()[0].PullRequest, Tenant: h.World.Tenant.ID})
	testkit.OK(h.T, err)
	h.Settle()
}

// react sets the reactions to the first comment.
func (h *history) react(all ...codehost.Reaction) {
	h.Host.Feedback.Given[h.Host.Comments[0].ID] = all
}

// merge merges the pull request.
func (h *history) merge(head string) {
	h.T.Helper()
	h.Deliver(h.Event("closed", head, func(pr *codehost.PullRequest) { pr.Open, pr.Merged = false, true }))
	h.Settle()
}

func thumb(up bool, login string, id int) codehost.Reaction {
	return codehost.Reaction{Up: up, Person: codehost.Sender{Login: login, ID: domain.NumberID(int64(id))}}
}

// Thumbs of people who may write count until they are taken back. Those of strangers, bots, and people who gave both do not.
func TestThumbsOfPeopleWhoMayWrite(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newFeedback(f)
		f.Host.Roles["olga"], f.Host.Roles["reader"], f.Host.Roles["robot"], f.Host.Roles["both"] = "maintain", "read", "admin", "write"
		h.push("a", divides, division)
		bot := thumb(true, "robot", 3)
		bot.Person.IsBot = true
		h.react(thumb(true, "mona", 1), thumb(false, "olga", 2), bot, thumb(false, "reader", 4), thumb(true, "nobody", 5),
			thumb(true, "both", 6), thumb(false, "both", 6), thumb(true, "mona", 1), codehost.Reaction{Up: true})
		for range 2 { // a repeated job changes nothing
			h.read(domain.KindFeedback)
			testkit.Equal(t, "outcomes", h.outcomes(0), "thumbs_down olga, thumbs_up mona")
		}
		h.react(thumb(false, "mona", 1), thumb(false, "olga", 2))
		f.Host.Roles["olga"] = "read"
		h.read(domain.KindFeedback)
		testkit.Equal(t, "after a change of mind, and a loss of rights", h.outcomes(0), "thumbs_down mona")
		h.react()
		h.read(domain.KindFeedback)
		testkit.Equal(t, "taken back", h.outcomes(0), "")
	})
}

// A crowd of strangers neither counts nor keeps known people from being heard.
func TestACrowdOfStrangersChangesNothing(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newFeedback(f)
		h.push("a", divides, division)
		h.react(thumb(false, "mona", 1))
		h.read(domain.KindFeedback)
		var crowd []codehost.Reaction
		for i := range 150 {
			crowd = append(crowd, thumb(true, fmt.Sprint("stranger", i), 100+i))
		}
		before := len(f.Host.Asked)
		h.react(append(crowd, thumb(false, "mona", 1))...)
		h.read(domain.KindFeedback)
		testkit.Equal(t, "outcomes", h.outcomes(0), "thumbs_down mona")
		testkit.Equal(t, "roles asked", len(f.Host.Asked)-before, 100)
	})
}

// People whom a crowd on other comments precedes are known, too. A stored thumb stays while its person's role is not asked.
func TestACrowdBeforeAKnownPerson(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newFeedback(f)
		h.push("a", divides, division)
		crowd := func(n int, and ...codehost.Reaction) (out []codehost.Reaction) {
			for i := range n {
				f.Host.Roles[fmt.Sprint("writer", i)] = "write"
				out = append(out, thumb(true, fmt.Sprint("writer", i), 100+i))
			}
			return append(out, and...)
		}
		all := func() []domain.Outcome {
			t.Helper()
			rows, err := f.Store.Outcomes(bg, h.World.Tenant, h.Runs()[0].Repository, store.OutcomesFilter{})
			testkit.OK(t, err)
			return rows
		}
		h.react(thumb(false, "mona", 1))
		h.read(domain.KindFeedback)
		h.react(crowd(600, thumb(false, "mona", 1))...)
		h.read(domain.KindFeedback)
		testkit.Equal(t, "outcomes", len(all()), 100)
		h.react(crowd(600, thumb(false, "mona", 1), thumb(true, "late", 99))...)
		h.read(domain.KindFeedback)
		if rows := all(); len(rows) < 100 || !slices.ContainsFunc(rows, func(o domain.Outcome) bool { return o.Name == "mona" }) {
			t.Errorf("%d outcomes after the last reading", len(rows))
		}
	})
}

// A writer whom a crowd of strangers leaves out of a reading is among the first of the next one.
func TestAWriterBehindACrowd(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newFeedback(f)
		f.Host.Roles["late"] = "write"
		h.push("a", divides, division)
		var all []codehost.Reaction
		for i := range 250 {
			all = append(all, thumb(true, fmt.Sprint("stranger", i), 100+i))
		}
		h.react(append(all, thumb(false, "late", 999), thumb(true, "mona", 1))...)
		wants := []string{"thumbs_up mona", "thumbs_up mona", "thumbs_down late, thumbs_up mona", "thumbs_down late, thumbs_up mona"}
		for i, want := range wants {
			h.read(domain.KindFeedback)
			testkit.Equal(t, fmt.Sprint("outcomes of reading ", i), h.outcomes(0), want)
			testkit.Equal(t, fmt.Sprint("roles asked by reading ", i), len(f.Host.Asked), 100*(i+1))
		}
	})
}

// A host that refuses to tell roles, or whose repository is gone, takes no stored thumb away. A person without rights loses theirs.
func TestRolesThatCannotBeRead(t *testing.T) {
	fails := func(c codehost.Class) func(h *history) {
		return func(h *history) { h.Host.Fail("permission", &codehost.Error{Class: c}) }
	}
	for name, tt := range map[string]struct {
		fault func(h *history)
		want  string
	}{
		"forbidden":           {fails(codehost.ClassForbidden), "thumbs_up mona"},
		"an unreadable name":  {fails(codehost.ClassInvalid), "thumbs_up mona"},
		"the account is gone": {fails(codehost.ClassNotFound), ""},
		"no rights":           {func(h *history) { delete(h.Host.Roles, "mona") }, ""},
		"the repository is gone": {func(h *history) {
			delete(h.Host.Roles, "mona")
			h.Host.Feedback.Vanishes = true
		}, "thumbs_up mona"},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				h := newFeedback(f)
				h.push("a", divides, division)
				h.react(thumb(true, "mona", 1))
				h.read(domain.KindFeedback)
				testkit.Equal(t, "before", h.outcomes(0), "thumbs_up mona")
				tt.fault(h)
				h.read(domain.KindFeedback)
				testkit.Equal(t, "after", h.outcomes(0), tt.want)
			})
		})
	}
}

// A host that cannot show reactions is not asked, and a refused reading changes nothing.
func TestReactionsThatCannotBeRead(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newFeedback(f)
		h.push("a", divides, division)
		h.react(thumb(true, "mona", 1))
		f.Host.Feedback.Reacts = false
		h.read(domain.KindFeedback)
		testkit.Equal(t, "readings", f.Host.Feedback.Read, 0)
		f.Host.Feedback.Reacts = true
		h.read(domain.KindFeedback)
		f.Host.Fail("reactions", &codehost.Error{Class: codehost.ClassForbidden})
		h.react()
		h.read(domain.KindFeedback)
		testkit.Equal(t, "outcomes", h.outcomes(0), "thumbs_up mona")
	})
}

// Activity schedules one reading an hour, and the merge one more, at once.
func TestFeedbackIsReadHourlyAndAtTheMerge(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newFeedback(f)
		h.push("a", divides, division)
		h.push("b", divides+"// one more line\n", division)
		f.Deliver(h.Event("edited", "b"))
		jobs, err := f.Store.JobsOf(bg, h.Runs()[0].PullRequest)
		testkit.OK(t, err)
		hours := map[string]bool{}
		for _, j := range jobs {
			testkit.Equal(t, "kind", j.Kind, domain.KindFeedback)
			hours[fmt.Sprint(j.RunUS/3600e6)] = true
		}
		if len(jobs) == 0 || len(jobs) > len(hours) {
			t.Errorf("%d readings in %d hours", len(jobs), len(hours))
		}
		testkit.Equal(t, "readings so far", f.Host.Feedback.Read, 0)
		h.react(thumb(true, "mona", 1))
		h.merge("b")
		testkit.Equal(t, "readings at the merge", f.Host.Feedback.Read, 1)
		testkit.Equal(t, "outcomes", h.outcomes(0), "ignored, thumbs_up mona")
		h.read(domain.KindFeedback)
		testkit.Equal(t, "readings after the merge", f.Host.Feedback.Read, 1)
		h.read(domain.KindMergeFeedback)
		testkit.Equal(t, "after a repetition", h.outcomes(0), "ignored, thumbs_up mona")
	})
}

// A finding that is open when its pull request is merged was ignored if the merged head was reviewed. A closed pull request says nothing.
func TestFindingsIgnoredAtTheMerge(t *testing.T) {
	for name, tt := range map[string]struct {
		end  func(h *history)
		want string
	}{
		"merged":                         {func(h *history) { h.merge("a") }, "ignored"},
		"merged with an unreviewed head": {func(h *history) { h.texts[storetest.SHA("b")] = divides; h.merge("b") }, ""},
		"merged with the suggestion": {func(h *history) {
			h.texts[storetest.SHA("b")] = strings.Replace(divides, "\treturn total / len(items)", mended, 1)
			h.merge("b")
		}, "applied"},
		"closed": {func(h *history) {
			h.Deliver(h.Event("closed", "a", func(pr *codehost.PullRequest) { pr.Open = false }))
			h.read(domain.KindFeedback)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				h := newFeedback(f)
				h.mend = mended
				h.push("a", divides, division)
				tt.end(h)
				testkit.Equal(t, "outcomes", h.outcomes(0), tt.want)
			})
		})
	}
}

// A review of the merged head that is published after the merge was settled settles it again, without another reading of reactions.
func TestAReviewPublishedAfterTheMerge(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newFeedback(f)
		h.push("a", divides, division)
		h.merge("b")
		testkit.Equal(t, "readings at the merge", f.Host.Feedback.Read, 1)
		testkit.Equal(t, "outcomes before the review", h.outcomes(0), "")
		run := h.Runs()[0]
		run.HeadSHA = storetest.SHA("b")
		testkit.OK(t, f.Store.FinishPullRequest(bg, h.World.Tenant, run, "1"))
		h.active(run.PullRequest)
		testkit.Equal(t, "outcomes after the review", h.outcomes(0), "ignored")
		testkit.Equal(t, "readings after the review", f.Host.Feedback.Read, 1)
	})
}

// An event of a merged pull request reads its reactions no more, also after the store has forgotten the job of the merge.
func TestAnEventLongAfterTheMerge(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newFeedback(f)
		h.push("a", divides, division)
		h.merge("a")
		testkit.Equal(t, "readings at the merge", f.Host.Feedback.Read, 1)
		_, err := f.Store.DropJobs(bg, -time.Hour)
		testkit.OK(t, err)
		h.react(thumb(true, "mona", 1))
		h.active(h.Runs()[0].PullRequest)
		testkit.Equal(t, "readings after the event", f.Host.Feedback.Read, 1)
		testkit.Equal(t, "outcomes", h.outcomes(0), "ignored")
	})
}

// active records activity on a pull request, and waits for its reading of feedback.
func (h *history) active(pull string) {
	h.T.Helper()
	row, err := h.Store.PullRequest(bg, h.World.Tenant, pull)
	testkit.OK(h.T, err)
	testkit.OK(h.T, h.Service.Runs.ScheduleFeedback(bg, h.World.Tenant, row))
	h.Settle()
}

// A finding that a person dismisses while the merged head is read was neither applied nor ignored.
func TestAFindingDismissedDuringTheReading(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newFeedback(f)
		h.mend = mended
		h.push("a", divides, division)
		h.texts[storetest.SHA("b")] = strings.Replace(divides, "\treturn total / len(items)", mended, 1)
		file, dismissed := f.Host.Feedback.File, false
		f.Host.Feedback.File = func(path, sha string) (string, bool) {
			if !dismissed && sha == storetest.SHA("b") {
				dismissed = true
				testkit.OK(t, f.Store.DecideFinding(bg, h.World.Tenant, h.Runs()[0].Repository, domain.FindingOpen,
					store.FindingDecision{Finding: h.known()[0].ID, State: domain.FindingDismissed}))
			}
			return file(path, sha)
		}
		h.merge("b")
		testkit.Equal(t, "dismissed", dismissed, true)
		testkit.Equal(t, "outcomes", h.outcomes(0), "")
	})
}

// A finding whose code has its suggestion when it is resolved counts as applied, once, instead of fixed.
func TestAppliedSuggestions(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"the suggestion":                {strings.Replace(divides, "\treturn total / len(items)", mended, 1), "applied"},
		"the suggestion and more edits": {strings.Replace(divides, "\treturn total / len(items)", mended, 1) + "// more\n", "applied"},
		"another mend":                  {"// nothing is left\n", "fixed"},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				h := newFeedback(f)
				h.mend = mended
				h.push("a", divides, division)
				if g := h.known()[0].Suggestion; g == nil || !g.Applies {
					t.Fatalf("suggestion %+v", g)
				}
				h.push("b", tt.text)
				testkit.Equal(t, "state", h.known()[0].State, domain.FindingResolved)
				testkit.Equal(t, "outcomes", h.outcomes(0), tt.want)
				h.push("c", divides, division)
				testkit.Equal(t, "outcomes of a finding that is back", h.outcomes(0), "")
			})
		})
	}
}

// A fix counts as accepted while the head has its edits and its finding is resolved.
func TestFixesInTheCode(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want int64
	}{
		"the fix":      {strings.Replace(divides, "\treturn total / len(items)", mended, 1), 1},
		"another mend": {"// nothing is left\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				h := newFeedback(f)
				h.push("a", divides, division)
				run, k := f.Runs()[0], h.known()[0]
				fixRun, err := store.AddRecord(t.Context(), f.Store, f.World.Tenant, store.FixRun{Run: run.ID, FindingIDs: "[]", State: domain.FixRunning,
					Record: store.Record{Tenant: run.Tenant, Repository: run.Repository}, PullRequest: run.PullRequest, HeadSHA: run.HeadSHA})
				testkit.OK(t, err)
				edit := domain.Suggestion{Path: k.Anchor.Path, Start: k.Anchor.StartLine, End: k.Anchor.EndLine, Old: k.Anchor.Quote, New: mended}
				_, err = f.Store.SetFixOutcome(t.Context(), f.World.Tenant, fixRun.ID, store.FixOutcome{Result: "{}", Proposed: 2, Passed: 1,
					Findings: []store.FixFinding{{Finding: k.ID, Edits: []domain.Suggestion{edit}}, {Finding: "fnd_other", Reason: "no_code"}}})
				testkit.OK(t, err)
				count := func() store.FixCounts {
					n, refused, err := f.Store.FixFigures(t.Context(), f.World.Tenant, run.Repository, 0, 1<<60)
					testkit.OK(t, err)
					testkit.Equal(t, "refused", fmt.Sprint(refused), "[{no_code 1}]")
					return n
				}
				h.push("b", tt.text)
				testkit.Equal(t, "figures", count(), store.FixCounts{Runs: 1, Proposed: 2, Passed: 1, Accepted: tt.want})
				h.push("c", divides, division)
				testkit.Equal(t, "accepted after the finding is back", count().Accepted, 0)
			})
		})
	}
}
