package publish_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/marker"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestAForeignDraftIsNeverTouched(t *testing.T) {
	stranger, err := marker.New(secret.KeyMAC{Sum: []byte("the key of somebody else's instance")})
	testkit.OK(t, err)
	digest := strings.Repeat("a", 64)
	for name, body := range map[string]func(f *fixture) string{
		"a person's draft": func(*fixture) string { return "my notes" },
		"empty":            func(*fixture) string { return "" },
		"with a forged mark": func(f *fixture) string {
			m, _ := stranger.Publication(publish.Place(f.run), "pub_x", digest)
			return m.String()
		},
		"a draft of an unknown publication": func(f *fixture) string {
			m, _ := f.mark.Publication(publish.Place(f.run), "pub_unknown", digest)
			return m.String()
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				f := newFixture(t, s)
				f.host.put(body(f), codehost.ReviewPending, true)
				f.finish()
				f.over(domain.RunFailed, domain.PhaseAbandoned, publish.ReasonSlotBusy)
				visible, pending := f.host.count()
				testkit.Equal(t, "visible", visible, 0)
				testkit.Equal(t, "drafts", pending, 1)
				testkit.Equal(t, "requests to delete", f.host.sent["delete"], 0)
				testkit.OK(t, f.publisher().Clean(bg, f.run, f.host, codehost.Repo{}))
				testkit.Equal(t, "requests of the janitor", f.host.sent["delete"], 0)
			})
		})
	}
}

func TestReviewsOfOthersDoNotMatter(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		f.host.put("a draft in another name", codehost.ReviewPending, false)
		f.host.put("a visible review of a person", codehost.ReviewSubmitted, true)
		f.host.script["create"] = []outcome{lostDropped} // to make it list the reviews
		f.finish()
		f.over(domain.RunCompleted, domain.PhasePublished, "")
	})
}

func TestTheOrphanOfAnEarlierRunIsCleanedUp(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		f.orphan()
		f.finish()
		f.published()
		testkit.Equal(t, "drafts left", second(f.host.count()), 0)
		testkit.Equal(t, "deleted", f.host.effects["delete"], 1)
	})
}

func TestTheCancelPoint(t *testing.T) {
	for name, c := range map[string]struct {
		change func(f *fixture)
		state  domain.RunState
		reason string
	}{
		"a newer head with a run": {func(f *fixture) { f.host.pr.HeadSHA = f.newer().HeadSHA }, domain.RunSuperseded, publish.ReasonSuperseded},
		"closed":                  {func(f *fixture) { f.host.pr.Open = false }, domain.RunCancelled, publish.ReasonClosed},
		"gone":                    {func(f *fixture) { f.host.script["pull"] = []outcome{notFound} }, domain.RunCancelled, publish.ReasonGone},
		"access withdrawn":        {func(f *fixture) { f.host.script["pull"] = []outcome{forbidden} }, domain.RunCancelled, publish.ReasonGone},
	} {
		for _, before := range []string{"left", "pull: before"} {
			t.Run(name+" "+before, func(t *testing.T) {
				each(t, func(t *testing.T, s *store.Store) {
					f := newFixture(t, s)
					if before == "left" {
						c.change(f) // known before a request was sent
					} else { // between draft and submit
						f.host.point = func(n string) {
							if n == "create: after" {
								f.host.point = nil
								c.change(f)
							}
						}
					}
					f.finish()
					f.over(c.state, domain.PhaseAbandoned, c.reason)
					visible, pending := f.host.count()
					testkit.Equal(t, "visible", visible, 0)
					testkit.Equal(t, "drafts", pending, 0)
					run, err := s.RunForWork(bg, f.run.ID)
					testkit.OK(t, err)
					testkit.Equal(t, "names its successor", run.SupersededBy != "", c.state == domain.RunSuperseded)
				})
			})
		}
	}
}

func TestAHeadThatMovedWithoutARunIsPublished(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		f.host.pr.HeadSHA = "ffffffffffffffffffffffffffffffffffffffff"
		f.finish()
		f.published()
	})
}

func TestASupersededDraftThatAPersonSubmittedCounts(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		f.host.point = func(n string) {
			if n == "create: after" {
				f.host.point = nil
				f.host.pr.HeadSHA = f.newer().HeadSHA
				f.host.reviews[0].State = codehost.ReviewSubmitted // by hand, on the host's page
			}
		}
		f.finish()
		f.published()
	})
}

func TestARefusedLineMovesTheCommentsIntoTheBodyOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		f.host.script["create"] = []outcome{invalid}
		f.finish()
		f.published()
		shown := f.host.shown()
		if len(shown.comments) != 0 || !strings.Contains(shown.Body, "the body") || strings.Count(shown.Body, "the comment") != 1 {
			t.Fatalf("published: %+v", shown)
		}
		mark, _ := f.mark.FindPublication(publish.Place(f.run), shown.Body)
		testkit.Equal(t, "the mark belongs to the new payload", strings.HasPrefix(f.publication().PayloadSHA256, mark.SHA), true)

		f = newFixture(t, s)
		f.host.script["create"] = []outcome{invalid, invalid}
		f.finish()
		f.over(domain.RunFailed, domain.PhaseAbandoned, publish.ReasonRefused)
		testkit.Equal(t, "requests", f.host.sent["create"], 2)
		testkit.Equal(t, "visible", first(f.host.count()), 0)
	})
}

func TestALimitWaitsAndLosesNothing(t *testing.T) {
	for _, op := range []string{"pull", "create", "submit"} {
		t.Run(op, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				f := newFixture(t, s)
				f.host.script[op] = []outcome{limited}
				err, _ := f.attempt(payload("the body"))
				if codehost.ClassOf(err) != codehost.ClassLimited || codehost.RetryAfter(err) != 7*time.Minute {
					t.Fatalf("the error is %v", err)
				}
				f.finish()
				f.published()
			})
		})
	}
	for _, op := range []string{"list", "get", "delete"} {
		t.Run(op, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				f := newFixture(t, s)
				if op == "delete" {
					f.orphan()
				} else {
					f.host.script["create"], f.host.script["submit"] = []outcome{lostDropped}, []outcome{lostDropped}
				}
				f.host.script[op] = []outcome{limited}
				err, _ := f.attempt(payload("the body"))
				if codehost.ClassOf(err) != codehost.ClassLimited {
					t.Fatalf("the error is %v", err)
				}
				f.finish()
				f.published()
			})
		})
	}
}

func TestAHostThatDoesNotAnswerIsACountedFailure(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		for _, op := range []string{"pull", "create", "submit"} {
			f := newFixture(t, s)
			f.host.script[op] = []outcome{unavailable}
			err, _ := f.attempt(payload("the body"))
			testkit.Equal(t, "class", codehost.ClassOf(err), codehost.ClassUnavailable)
			f.finish()
			f.published()
		}
	})
}

func TestADeletedChoiceIsNeverPostedAgain(t *testing.T) {
	for _, at := range []string{"submit: before", "submit: after"} {
		t.Run(at, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				f := newFixture(t, s)
				f.host.point = func(n string) {
					if n == at {
						f.host.point = nil
						f.host.remove(f.host.reviews[0].ID)
					}
				}
				if at == "submit: after" {
					f.host.script["submit"] = []outcome{lostDropped}
				}
				f.finish()
				f.over(domain.RunFailed, domain.PhaseAbandoned, publish.ReasonDeleted)
				testkit.Equal(t, "created", f.host.effects["create"], 1)
				testkit.Equal(t, "visible", first(f.host.count()), 0)
			})
		})
	}
}

// While the job of a publication runs and the repository cannot be reached, it is unknown whether the review
// is visible. The host is queried again, and the review is found when the access is back.
func TestAnAccessThatIsGoneForAWhile(t *testing.T) {
	for _, answer := range []outcome{notFound, forbidden} {
		t.Run(string(answer), func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				f := newFixture(t, s)
				f.host.script = map[string][]outcome{"submit": {lostApplied}, "get": {answer}, "pull": {"", "", answer, answer}, "list": {answer}}
				if err, _ := f.attempt(payload("the body")); err == nil {
					t.Fatal("it was given up")
				}
				testkit.Equal(t, "phase", f.publication().Phase, domain.PhaseSubmitting)
				f.finish()
				f.published()
				testkit.Equal(t, "visible", first(f.host.count()), 1)
			})
		})
	}
}
