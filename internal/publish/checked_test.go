package publish_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// newChecked is a fixture whose host makes drafts in part, and puts them together.
func newChecked(t *testing.T, s *store.Store) *fixture {
	t.Helper()
	f := newFixture(t, s)
	f.host.absorbs, f.host.slot = true, false
	return f
}

// two is a payload with two comments.
func two() publish.Payload {
	p := payload("the body")
	p.Comments = append(p.Comments, publish.Comment{FindingID: "f2",
		DraftComment: codehost.DraftComment{Path: "b.go", Side: "RIGHT", Line: 9, Body: markdown.Const("another comment")}})
	return p
}

// complete publishes until it is over, and checks that exactly what was frozen is visible.
func (f *fixture) complete() {
	f.t.Helper()
	err, died := f.attempt(two())
	testkit.OK(f.t, err)
	testkit.Equal(f.t, "died", died, false)
	f.exact()
}

// exact checks what frozen does, and that no draft is left.
func (f *fixture) exact() {
	f.t.Helper()
	f.frozen()
	testkit.Equal(f.t, "drafts left", second(f.host.count()), 0)
}

// frozen checks that one review is visible, with exactly the comments that were frozen.
func (f *fixture) frozen() {
	f.t.Helper()
	f.published()
	var got []string
	for _, c := range f.host.shown().comments {
		text, _, _ := strings.Cut(c.Body.String(), "\n")
		got = append(got, fmt.Sprint(c.Path, ":", c.Line, " ", text))
	}
	slices.Sort(got)
	testkit.Equal(f.t, "comments", strings.Join(got, ", "), "a.go:3 the comment, b.go:9 another comment")
}

func TestPublishingACheckedDraft(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newChecked(t, s)
		f.complete()
		testkit.Equal(t, "intents", strings.Join(f.verbs(), ", "), "create, submit")
	})
}

func TestACheckedDraftAndACrashAtAnyPoint(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		for n, died := 1, true; died; n++ {
			f := newChecked(t, s)
			f.host.crashAt(n)
			_, died = f.attempt(two())
			f.host.point = nil
			if died {
				f.complete()
			} else {
				f.exact()
			}
		}
	})
}

// The way on which a draft is left in part, another differs, and is made again.
func troubled(h *host) {
	h.script["create"] = []outcome{partly, lostLate}
	before := 0
	h.point = func(name string) {
		if name == "create: before" {
			if before++; before == 3 { // after the look: the third create becomes a part of the second
				h.late()
			}
		}
	}
}

func TestADraftThatDiffersIsMadeAgain(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newChecked(t, s)
		troubled(f.host)
		f.complete()
		testkit.Equal(t, "intents", strings.Join(f.verbs(), ", "), "create, delete orphan, create, create, delete draft, create, submit")
	})
}

func TestADraftThatDiffersAndACrashAtAnyPoint(t *testing.T) {
	s := storetest.SQLite(t)
	for n, died := 1, true; died; n++ {
		f := newChecked(t, s)
		troubled(f.host)
		trouble := f.host.point
		left := n
		f.host.point = func(name string) {
			trouble(name)
			if left--; left == 0 {
				f.host.crashAt(1)
				f.host.at(name)
			}
		}
		_, died = f.attempt(two())
		f.host.point = nil
		f.host.late()
		if died {
			f.complete()
		} else {
			f.exact()
		}
	}
}

func TestACheckedDraftAndAmbiguousRequests(t *testing.T) {
	for name, c := range map[string]struct {
		script map[string][]outcome
		late   string
	}{
		"create in part":                      {script: map[string][]outcome{"create": {partly}}},
		"create in part twice":                {script: map[string][]outcome{"create": {partly, partly}}},
		"create applied, reply lost":          {script: map[string][]outcome{"create": {lostApplied}}},
		"create dropped":                      {script: map[string][]outcome{"create": {lostDropped}}},
		"create applied before the second":    {script: map[string][]outcome{"create": {lostLate}}, late: "create: before"},
		"create applied before the look":      {script: map[string][]outcome{"create": {lostLate}}, late: "list: before"},
		"create applied before the compare":   {script: map[string][]outcome{"create": {lostLate}}, late: "get: before"},
		"create applied after the submit":     {script: map[string][]outcome{"create": {lostLate}}, late: "submit: after"},
		"deletion applied, reply lost":        {script: map[string][]outcome{"create": {partly}, "delete": {lostApplied}}},
		"deletion dropped":                    {script: map[string][]outcome{"create": {partly}, "delete": {lostDropped}}},
		"submit applied, reply lost":          {script: map[string][]outcome{"submit": {lostApplied}}},
		"submit dropped":                      {script: map[string][]outcome{"submit": {lostDropped}}},
		"lists and comments that do not come": {script: map[string][]outcome{"list": {unavailable}, "comments": {unavailable}}},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				f := newChecked(t, s)
				for op, o := range c.script {
					f.host.script[op] = slices.Clone(o)
				}
				seen := 0
				f.host.point = func(at string) {
					if at != c.late {
						return
					}
					if seen++; f.host.sent["create"] > 0 { // not before it was sent
						f.host.late()
					}
				}
				for range 4 { // an answer that did not come is a failed attempt
					if err, _ := f.attempt(two()); err == nil {
						break
					}
				}
				f.host.point = nil
				f.host.late()
				f.frozen()
				testkit.OK(t, f.publisher().Clean(bg, f.run, f.host, codehost.Repo{Owner: "octo", Name: "repo"}))
				testkit.Equal(t, "drafts left", second(f.host.count()), 0)
			})
		})
	}
}

// What an earlier publication has left in part carries no mark of a publication.
func TestWhatAnEarlierOneHasLeftInPartIsDeleted(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newChecked(t, s)
		f.host.script["create"] = []outcome{partly}
		f.orphan()
		f.complete()
		testkit.Equal(t, "intents", strings.Join(f.verbs(), ", "), "delete orphan, create, submit")
		f = newChecked(t, s)
		f.host.script["create"] = []outcome{partly}
		f.orphan()
		f.host.pr.Open = false // nothing follows: the janitor deletes it
		err, _ := f.attempt(two())
		testkit.OK(t, err)
		testkit.OK(t, f.publisher().Clean(bg, f.run, f.host, codehost.Repo{}))
		testkit.Equal(t, "drafts left", second(f.host.count()), 0)
	})
}

// While it is not known what became of a create, its draft waits to be submitted.
func TestADraftIsNotSubmittedWhileACreateMayStillCome(t *testing.T) {
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		f := newChecked(t, s)
		f.quiet = 90 * time.Second
		f.host.script["create"] = []outcome{lostDropped}
		for range 2 {
			err, _ := f.attempt(two())
			if wait := codehost.RetryAfter(err); codehost.ClassOf(err) != codehost.ClassLimited || wait <= 0 || wait > 90*time.Second {
				t.Fatalf("the error is %v", err)
			}
			testkit.Equal(t, "submits", f.host.sent["submit"], 0)
		}
		raw(`UPDATE write_attempts SET started_us = started_us - 90000000`)
		f.complete()
	})
}

func TestAHostThatKeepsOtherCommentsGetsThemInTheBody(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newChecked(t, s)
		f.host.alters = strings.ToUpper
		err, _ := f.attempt(two())
		if err != nil {
			t.Fatal(err)
		}
		// An altered mark is nobody's: the draft is left alone.
		f.over(domain.RunFailed, domain.PhaseAbandoned, publish.ReasonSlotBusy)

		f = newChecked(t, s)
		f.host.alters = func(body string) string { return strings.Replace(body, "comment", "remark", 1) }
		err, _ = f.attempt(two())
		testkit.OK(t, err)
		f.published()
		shown := f.host.shown()
		if len(shown.comments) != 0 || strings.Count(shown.Body, "comment") < 2 {
			t.Fatalf("published: %+v", shown)
		}
		testkit.Equal(t, "drafts deleted", f.host.effects["delete"], 3)
	})
}

func TestAPersonsWordsAreNeverDeleted(t *testing.T) {
	person := codehost.DraftComment{Path: "a.go", Line: 1, Body: markdown.Const("what a person says")}
	for name, c := range map[string]struct {
		at     string // when the person writes, "" for before
		change func(f *fixture)
		state  domain.RunState
		reason string
	}{
		"before":                             {"", nil, domain.RunFailed, publish.ReasonSlotBusy},
		"into our draft":                     {"create: after", nil, domain.RunFailed, publish.ReasonSlotBusy},
		"into our draft, a newer head":       {"create: after", func(f *fixture) { f.host.pr.HeadSHA = f.newer().HeadSHA }, domain.RunSuperseded, publish.ReasonSuperseded},
		"into our draft, the request closed": {"create: after", func(f *fixture) { f.host.pr.Open = false }, domain.RunCancelled, publish.ReasonClosed},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				f := newChecked(t, s)
				writes := func(at string) {
					if at != c.at {
						return
					}
					f.host.point = nil
					if len(f.host.reviews) == 0 {
						f.host.put("", codehost.ReviewPending, true)
					}
					f.host.reviews[0].comments = append(f.host.reviews[0].comments, person)
					if c.change != nil {
						c.change(f)
					}
				}
				f.host.point = writes
				writes("")
				err, _ := f.attempt(two())
				testkit.OK(t, err)
				f.over(c.state, domain.PhaseAbandoned, c.reason)
				testkit.OK(t, f.publisher().Clean(bg, f.run, f.host, codehost.Repo{}))
				testkit.Equal(t, "requests to delete", f.host.sent["delete"], 0)
				testkit.Equal(t, "visible", first(f.host.count()), 0)
				testkit.Equal(t, "drafts", second(f.host.count()), 1)
			})
		})
	}
}

func TestAChoiceIsOnlyTakenBackAfterOurOwnDeletion(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newChecked(t, s)
		f.host.point = func(at string) {
			if at == "create: after" {
				f.host.point = nil
				f.host.remove(f.host.reviews[0].ID)
			}
		}
		err, _ := f.attempt(two())
		testkit.OK(t, err)
		f.over(domain.RunFailed, domain.PhaseAbandoned, publish.ReasonDeleted)
		testkit.Equal(t, "created", f.host.effects["create"], 1)
	})
}

func TestAZombieOfACheckedDraftChangesNothing(t *testing.T) {
	for _, at := range []string{"pull: before", "list: before", "left", "create: before", "create: after", "get: before", "comments: after", "delete: before", "delete: after", "submit: before", "submit: after"} {
		t.Run(at, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				f := newChecked(t, s)
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
				f.frozen()
				testkit.OK(t, f.publisher().Clean(bg, f.run, f.host, codehost.Repo{Owner: "octo", Name: "repo"}))
				testkit.Equal(t, "drafts left", second(f.host.count()), 0)
			})
		})
	}
}

// A host for which there is no protocol is sent nothing.
func TestAHostWithoutAProtocolIsSentNothing(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		for _, kind := range []domain.ConnectionKind{domain.GitLab, domain.AzureDevOps, "nonesuch"} {
			f := newFixture(t, s)
			f.host.kind = kind
			err, _ := f.attempt(two())
			if !errs.Is(err, errs.Unbuilt) {
				t.Errorf("%s: the error is %v", kind, err)
			}
			testkit.Require(t, "requests", len(f.host.sent), 0)
		}
	})
}
