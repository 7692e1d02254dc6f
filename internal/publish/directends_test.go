package publish_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A person's draft on the same account is neither deleted nor absorbed into a review.
func TestAPersonsDraftIsNeverTakenIn(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newDirect(t, s)
		f.host.put("", codehost.ReviewPending, true)
		f.host.reviews[0].comments = []codehost.DraftComment{{Path: "a.go", Line: 1, Body: markdown.Const("what a person says")}}
		err, _ := f.attempt(two())
		testkit.OK(t, err)
		f.over(domain.RunFailed, domain.PhaseAbandoned, publish.ReasonSlotBusy)
		f.clean()
		testkit.Equal(t, "requests to create", f.host.sent["create"], 0)
		testkit.Equal(t, "drafts", second(f.host.count()), 1)
	})
}

func TestTheCancelPointOfOneWrite(t *testing.T) {
	s := storetest.SQLite(t)
	for name, c := range map[string]struct {
		change func(f *fixture)
		state  domain.RunState
		reason string
	}{
		"a newer head with a run":  {func(f *fixture) { f.host.pr.HeadSHA = f.newer().HeadSHA }, domain.RunSuperseded, publish.ReasonSuperseded},
		"closed":                   {func(f *fixture) { f.host.pr.Open = false }, domain.RunCancelled, publish.ReasonClosed},
		"gone":                     {func(f *fixture) { f.host.script["pull"] = []outcome{notFound} }, domain.RunCancelled, publish.ReasonGone},
		"reviews may not be read":  {func(f *fixture) { f.host.script["list"] = []outcome{forbidden} }, domain.RunCancelled, publish.ReasonGone},
		"reviews are not accepted": {func(f *fixture) { f.host.script["create"] = []outcome{forbidden} }, domain.RunCancelled, publish.ReasonGone},
		"the content is refused":   {func(f *fixture) { f.host.script["create"] = []outcome{invalid, invalid} }, domain.RunFailed, publish.ReasonRefused},
	} {
		for _, before := range []outcome{"", lostDropped} { // known before a request was sent, or after one that had no effect
			if before != "" && name == "reviews may not be read" { // lost access to reviews does not end a publication whose review may be visible
				continue
			}
			t.Run(fmt.Sprint(name, " ", before), func(t *testing.T) {
				f := newDirect(t, s)
				if before == "" {
					c.change(f)
				} else {
					f.host.script["create"] = []outcome{before}
					f.host.point = func(at string) {
						if at == "create: after" {
							f.host.point = nil
							c.change(f)
						}
					}
				}
				var err error
				for range 3 {
					if err, _ = f.attempt(two()); err == nil {
						break
					}
				}
				testkit.OK(t, err)
				f.over(c.state, domain.PhaseAbandoned, c.reason)
				testkit.Equal(t, "visible", f.visible(), 0)
			})
		}
	}
}

// If the host refuses a line, the comments move into the body.
func TestARefusedLineOfOneWrite(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newDirect(t, s)
		f.host.script["create"] = []outcome{invalid}
		err, _ := f.attempt(two())
		testkit.OK(t, err)
		f.published()
		if shown := f.host.shown(); len(shown.comments) != 0 || strings.Count(shown.Body, "comment") < 2 {
			t.Fatalf("published: %+v", shown)
		}
	})
}

// A review that a person deletes before it is recorded is not created again.
func TestAReviewThatAPersonDeletesIsNotMadeAgain(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newDirect(t, s)
		f.host.point = func(at string) {
			if at == "comments: before" {
				f.host.point = nil
				f.host.remove(f.host.reviews[0].ID)
			}
		}
		err, _ := f.attempt(two())
		testkit.OK(t, err)
		f.over(domain.RunFailed, domain.PhaseAbandoned, publish.ReasonDeleted)
		testkit.Equal(t, "created", f.host.effects["create"], 1)

		f = newDirect(t, s) // while a lagging list could be the reason, the publication waits
		f.quiet = 90 * time.Second
		f.host.point = func(at string) {
			if at == "comments: before" {
				f.host.crashAt(1)
				f.host.at(at)
			}
		}
		_, died := f.attempt(two())
		testkit.Equal(t, "died", died, true)
		f.host.point, f.host.hidden = nil, 1
		err, _ = f.attempt(two())
		testkit.Equal(t, "class", codehost.ClassOf(err), codehost.ClassLimited)
		f.host.hidden = 0
		f.complete()
		testkit.Equal(t, "created", f.host.effects["create"], 1)
	})
}

// A version that submitted drafts has left a chosen draft.
func TestADraftOfAVersionWithDraftsIsReplaced(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newDirect(t, s)
		f.host.crashAt(1)
		_, died := f.attempt(two())
		testkit.Equal(t, "died", died, true)
		pub := f.publication()
		mark, err := f.mark.Publication(publish.Place(f.run), pub.ID, pub.PayloadSHA256)
		testkit.OK(t, err)
		draft := f.host.put("the body\n\n"+mark.String(), codehost.ReviewPending, true)
		id, _, err := s.BeginWrite(bg, f.world.Tenant, store.WriteAttempt{SubjectKind: "publication", SubjectID: pub.ID, Verb: "create", Gen: pub.Gen})
		testkit.OK(t, err)
		testkit.OK(t, s.EndWrite(bg, id, store.WriteEnd{Outcome: "ok"}))
		chosen, err := s.ChooseReview(bg, f.world.Tenant, pub.ID, pub.Gen, draft)
		testkit.OK(t, err)
		testkit.Equal(t, "chosen", chosen, true)
		f.complete()
		testkit.Equal(t, "intents", strings.Join(f.verbs(), ", "), "create, delete orphan, create")
	})
}

func TestAZombieOfOneWriteChangesNothing(t *testing.T) {
	for _, at := range []string{"pull: before", "list: before", "left", "create: before", "create: after", "comments: after", "delete: before", "delete: after"} {
		t.Run(at, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				f := newDirect(t, s)
				f.host.script["create"] = []outcome{partly}
				took := false
				f.host.point = func(name string) {
					if name != at {
						return
					}
					took = true
					f.host.point = nil
					f.complete()
				}
				_, _ = f.attempt(two())
				testkit.Equal(t, "stopped", took, true)
				f.host.point = nil
				f.exact()
			})
		})
	}
}

// twins makes two reviews of one publication. One was recorded, and the other appeared late.
func twins(t *testing.T, s *store.Store, first outcome) (f *fixture, older, younger domain.HostID) {
	t.Helper()
	f = newDirect(t, s)
	f.host.script["create"] = []outcome{first}
	f.host.point = func(at string) {
		if at == "create: after" {
			f.host.hidden = 1 // and stays hidden, because the list lags
		}
	}
	var findings []domain.Finding
	p := two()
	for i := range p.Comments {
		findings = append(findings, domain.Finding{Title: fmt.Sprint(i), Fingerprints: domain.Fingerprints{Exact: fmt.Sprint(i)}})
	}
	stored, err := s.SaveRunFindings(bg, f.run, findings)
	testkit.OK(t, err)
	for i, k := range stored {
		p.Comments[i].FindingID = k.ID
	}
	err, _ = f.attempt(p)
	testkit.OK(t, err)
	f.host.point, f.host.hidden = nil, 0
	f.host.late()
	testkit.Require(t, "reviews", len(f.host.reviews), 2)
	for i, k := range stored { // as the run's reflection would record them
		c, err := f.host.ReviewComments(bg, codehost.Repo{}, 1, f.publication().ReviewID)
		testkit.OK(t, err)
		_, err = s.SetComment(bg, f.world.Tenant, k.ID, "", c[i].ID, c[i].URL)
		testkit.OK(t, err)
	}
	return f, f.host.reviews[0].ID, f.host.reviews[1].ID
}

func TestTheJanitorDeletesTheYoungerTwin(t *testing.T) {
	for name, first := range map[string]outcome{"the older one was recorded": lostLate, "the younger one was recorded": lostApplied} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				f, older, younger := twins(t, s, first)
				testkit.Equal(t, "recorded", f.publication().ReviewID, map[outcome]domain.HostID{lostLate: older, lostApplied: younger}[first])
				f.clean()
				f.clean()
				testkit.Equal(t, "visible", f.visible(), 1)
				testkit.Equal(t, "stays", f.host.shown().ID, older)
				f.published()
				pull, err := s.PullRequest(bg, f.world.Tenant, f.run.PullRequest)
				testkit.OK(t, err)
				testkit.Equal(t, "summary", pull.SummaryReview, older)
				known, err := s.KnownFindings(bg, f.world.Tenant, f.run.PullRequest)
				testkit.OK(t, err)
				for _, k := range known {
					if !strings.HasPrefix(string(k.CommentID), string(older)+"00") {
						t.Errorf("the comment of a finding is %s, want a comment of review %s", k.CommentID, older)
					}
				}
			})
		})
	}
}

// An older twin with a payload that the host refused later does not count: its comments are on lines, and
// those of the review are in its body.
func TestATwinOfAnotherPayloadIsDeleted(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newDirect(t, s)
		f.host.script["create"] = []outcome{lostApplied, invalid}
		f.host.point = func(at string) {
			if at == "create: after" {
				f.host.hidden = 1 // the list lags
			}
		}
		err, _ := f.attempt(two())
		testkit.OK(t, err)
		f.host.point, f.host.hidden = nil, 0
		testkit.Require(t, "reviews", len(f.host.reviews), 2)
		f.clean()
		testkit.Equal(t, "visible", f.visible(), 1)
		f.published()
		testkit.Equal(t, "comments on lines", len(f.host.shown().comments), 0)
	})
}

func TestATwinWithWordsOfAPersonStays(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f, older, _ := twins(t, s, lostLate)
		f.host.reviews[1].replies = []string{"I see."}
		f.clean()
		testkit.Equal(t, "visible", f.visible(), 2)
		testkit.Equal(t, "recorded", f.publication().ReviewID, older)
	})
}

// A review that becomes visible after its publication was given up is deleted. A review that only looks like
// it is not.
func TestAReviewOfAPublicationThatWasGivenUp(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newDirect(t, s)
		f.host.script["create"] = []outcome{lostLate}
		f.host.point = func(at string) {
			if at == "create: after" {
				f.host.pr.Open = false
			}
		}
		err, _ := f.attempt(two())
		testkit.OK(t, err)
		f.over(domain.RunCancelled, domain.PhaseAbandoned, publish.ReasonClosed)
		f.host.point = nil
		f.host.late()
		body := f.host.reviews[0].Body
		f.host.put("a review of a person", codehost.ReviewSubmitted, true)
		f.host.put(body, codehost.ReviewSubmitted, false) // copied by another account
		f.clean()
		testkit.Equal(t, "reviews", len(f.host.reviews), 2)
		testkit.Equal(t, "visible", f.visible(), 1)
	})
}

// If the job of a publication dies after the intent, the answers of the host end the publication, once no
// review can appear any more.
func TestSettlingOneWrite(t *testing.T) {
	for name, c := range map[string]struct {
		create []outcome
		asked  []outcome
		quiet  time.Duration
		remove bool
		open   bool // not known yet
		late   bool // the request is applied before the second question
		state  domain.RunState
		end    domain.EndCause
		shown  int
	}{
		"applied":                        {create: []outcome{lostApplied}, state: domain.RunCompleted, end: domain.EndPublished, shown: 1},
		"applied, may not be listed yet": {create: []outcome{lostApplied}, quiet: time.Hour, state: domain.RunCompleted, end: domain.EndPublished, shown: 1},
		"dropped":                        {create: []outcome{lostDropped}, state: domain.RunFailed, end: domain.EndError},
		"dropped, may still be applied":  {create: []outcome{lostDropped}, quiet: time.Hour, open: true, state: domain.RunFailed, end: domain.EndError},
		"comes late":                     {create: []outcome{lostLate}, quiet: time.Hour, open: true, late: true, state: domain.RunCompleted, end: domain.EndPublished, shown: 1},
		"in part":                        {create: []outcome{partly}, state: domain.RunFailed, end: domain.EndError},
		"deleted by a person":            {create: []outcome{""}, remove: true, state: domain.RunFailed, end: domain.EndDeleted},
		"the host does not answer":       {create: []outcome{lostApplied}, asked: []outcome{unavailable}, open: true, state: domain.RunCompleted, end: domain.EndPublished, shown: 1},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				f := newDirect(t, s)
				f.quiet = time.Hour
				f.host.script["create"], f.host.script["comments"] = c.create, repeat(unavailable, 9)
				f.host.point = func(at string) {
					if at == "create: after" {
						f.host.script["list"] = repeat(unavailable, 9)
					}
				}
				if err, _ := f.attempt(two()); err == nil {
					t.Fatal("the job did not fail")
				}
				f.host.script, f.host.point, f.quiet = map[string][]outcome{"list": c.asked}, nil, c.quiet
				testkit.Equal(t, "left open", f.die(domain.EndError), true)
				if c.remove {
					f.host.remove(f.host.reviews[0].ID)
				}
				settled, err := f.settle(time.Hour)
				testkit.Equal(t, "settled", settled, !c.open)
				testkit.Equal(t, "answered", err == nil, !c.open)
				if c.open {
					if c.late {
						f.host.late()
					}
					f.quiet = 0
					settled, err = f.settle(0)
					testkit.OK(t, err)
					testkit.Equal(t, "settled later", settled, true)
				}
				run, err := s.RunForWork(bg, f.run.ID)
				testkit.OK(t, err)
				testkit.Equal(t, "run", fmt.Sprint(run.State, " ", run.End), fmt.Sprint(c.state, " ", c.end))
				f.clean()
				testkit.Equal(t, "visible", f.visible(), c.shown)
				testkit.Equal(t, "drafts", second(f.host.count()), 0)
				f.intents()
			})
		})
	}
}
