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

// newDirect returns a fixture whose host makes a review visible by one write.
func newDirect(t *testing.T, s *store.Store) *fixture {
	t.Helper()
	f := newFixture(t, s)
	f.host.direct = true
	return f
}

// two returns a payload with two comments.
func two() publish.Payload {
	p := payload("the body")
	p.Comments = append(p.Comments, publish.Comment{FindingID: "f2",
		DraftComment: codehost.DraftComment{Path: "b.go", Side: "RIGHT", Line: 9, Body: markdown.Const("another comment")}})
	return p
}

// complete publishes until the publication is over, and checks that exactly the frozen payload is visible.
func (f *fixture) complete() {
	f.t.Helper()
	err, died := f.attempt(two())
	testkit.OK(f.t, err)
	testkit.Equal(f.t, "died", died, false)
	f.exact()
}

// exact checks that, after the janitor has run, one review is visible with exactly the frozen comments, and
// no draft is left.
func (f *fixture) exact() {
	f.t.Helper()
	f.clean()
	f.published()
	var got []string
	for _, c := range f.host.shown().comments {
		text, _, _ := strings.Cut(c.Body.String(), "\n")
		got = append(got, fmt.Sprint(c.Path, ":", c.Line, " ", text))
	}
	slices.Sort(got)
	testkit.Equal(f.t, "comments", strings.Join(got, ", "), "a.go:3 the comment, b.go:9 another comment")
	testkit.Equal(f.t, "drafts left", second(f.host.count()), 0)
}

// clean runs the janitor. Its deletions do not count as writes of the publication.
func (f *fixture) clean() {
	f.t.Helper()
	point, sent, effects := f.host.point, f.host.sent["delete"], f.host.effects["delete"]
	f.host.point = nil
	testkit.OK(f.t, f.publisher().Clean(bg, f.run, f.host, codehost.Repo{Owner: "octo", Name: "repo"}))
	f.host.point, f.host.sent["delete"], f.host.effects["delete"] = point, sent, effects
}

func (f *fixture) visible() int { return first(f.host.count()) }

func TestOneWriteMakesAReview(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newDirect(t, s)
		f.complete()
		testkit.Equal(t, "intents", strings.Join(f.verbs(), ", "), "create")
		testkit.Equal(t, "phase", f.publication().Phase, domain.PhasePublished)

		f = newDirect(t, s) // a payload without findings
		err, _ := f.attempt(publish.Payload{Commit: f.run.HeadSHA, Body: markdown.Const("nothing found")})
		testkit.OK(t, err)
		f.published()
		testkit.Equal(t, "intents", strings.Join(f.verbs(), ", "), "create")
	})
}

func TestOneWriteAndACrashAtAnyPoint(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		points := 0
		for n, died := 1, true; died; n++ {
			f := newDirect(t, s)
			f.host.crashAt(n)
			_, died = f.attempt(two())
			f.host.point = nil
			if died {
				points++
				f.complete()
			} else {
				f.exact()
			}
			testkit.Equal(t, "made", f.host.effects["create"], 1)
		}
		if points < 10 {
			t.Errorf("only %d points", points)
		}
	})
}

func TestOneWriteAndTwoCrashesAtAnyPoints(t *testing.T) {
	s := storetest.SQLite(t)
	for n, died := 1, true; died; n++ {
		for m, again := 1, true; again; m++ {
			f := newDirect(t, s)
			f.host.crashAt(n)
			if _, died = f.attempt(two()); !died {
				break
			}
			f.host.crashAt(m)
			if _, again = f.attempt(two()); again {
				f.host.point = nil
				f.complete()
			} else {
				f.exact()
			}
		}
	}
}

func TestOneWriteAndAmbiguousRequests(t *testing.T) {
	for name, c := range map[string]struct {
		script map[string][]outcome
		late   string
		hidden bool // lists omit the newest review until the publication has ended
	}{
		"in part":                            {script: map[string][]outcome{"create": {partly}}},
		"in part twice":                      {script: map[string][]outcome{"create": {partly, partly}}},
		"applied, reply lost":                {script: map[string][]outcome{"create": {lostApplied}}},
		"applied, reply lost, the list lags": {script: map[string][]outcome{"create": {lostApplied}}, hidden: true},
		"dropped":                            {script: map[string][]outcome{"create": {lostDropped}}},
		"dropped twice":                      {script: map[string][]outcome{"create": {lostDropped, lostDropped}}},
		"applied before the second":          {script: map[string][]outcome{"create": {lostLate}}, late: "create: before"},
		"applied before the list":            {script: map[string][]outcome{"create": {lostLate}}, late: "list: before"},
		"applied before the comparison":      {script: map[string][]outcome{"create": {lostLate}}, late: "comments: before"},
		"applied after the end":              {script: map[string][]outcome{"create": {lostLate}}},
		"refused for now":                    {script: map[string][]outcome{"create": {limited, unavailable}}},
		"deletion applied, reply lost":       {script: map[string][]outcome{"create": {partly}, "delete": {lostApplied}}},
		"deletion dropped":                   {script: map[string][]outcome{"create": {partly}, "delete": {lostDropped}}},
		"lists and comments without answers": {script: map[string][]outcome{"list": {unavailable}, "comments": {unavailable}}},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				f := newDirect(t, s)
				for op, o := range c.script {
					f.host.script[op] = slices.Clone(o)
				}
				f.host.point = func(at string) {
					if at == c.late && f.host.sent["create"] > 0 { // only after the create was sent
						f.host.late()
					}
					if c.hidden && at == "create: after" {
						f.host.hidden = 1
					}
				}
				for range 4 { // a missing answer is a failed attempt
					if err, _ := f.attempt(two()); err == nil {
						break
					}
				}
				f.host.point, f.host.hidden = nil, 0
				f.host.late()
				f.exact()
			})
		})
	}
}

// While the outcome of a create is unknown, for this publication or an earlier one, no other create is sent.
func TestACreateThatMayStillComeIsWaitedFor(t *testing.T) {
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		waits := func(f *fixture, creates int) {
			t.Helper()
			for range 2 {
				err, _ := f.attempt(two())
				if wait := codehost.RetryAfter(err); codehost.ClassOf(err) != codehost.ClassLimited || wait <= 0 || wait > 90*time.Second {
					t.Fatalf("the error is %v", err)
				}
				testkit.Equal(t, "creates", f.host.sent["create"], creates)
			}
		}
		f := newDirect(t, s)
		f.quiet = 90 * time.Second
		f.host.script["create"] = []outcome{lostDropped}
		waits(f, 1)
		raw(`UPDATE write_attempts SET started_us = started_us - 90000000`)
		f.complete()

		f = newDirect(t, s)
		f.host.script["create"] = []outcome{partly}
		f.orphan()
		f.quiet = 90 * time.Second
		waits(f, 0)
		raw(`UPDATE write_attempts SET started_us = started_us - 90000000`)
		f.complete()
		testkit.Equal(t, "intents", strings.Join(f.verbs(), ", "), "delete orphan, create")

		f = newDirect(t, s) // an existing review is found at once
		f.quiet = 90 * time.Second
		f.host.script["create"] = []outcome{lostApplied}
		f.complete()
		testkit.Equal(t, "creates", f.host.sent["create"], 1)
	})
}

// A partial draft of an earlier publication does not have a publication's mark.
func TestAPartialDraftOfAnEarlierPublicationIsDeleted(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newDirect(t, s)
		f.host.script["create"] = []outcome{partly}
		f.orphan()
		f.complete()
		testkit.Equal(t, "intents", strings.Join(f.verbs(), ", "), "delete orphan, create")
		f = newDirect(t, s)
		f.host.script["create"] = []outcome{partly}
		f.orphan()
		f.host.pr.Open = false // there is no later create, so that the janitor deletes it
		err, _ := f.attempt(two())
		testkit.OK(t, err)
		f.clean()
		testkit.Equal(t, "drafts left", second(f.host.count()), 0)
	})
}

func TestAReviewThatDiffersIsMadeAgainOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newDirect(t, s)
		f.host.alters = func(body string) string { return strings.Replace(body, "comment", "remark", 1) }
		err, _ := f.attempt(two())
		testkit.OK(t, err)
		f.published()
		shown := f.host.shown()
		if len(shown.comments) != 0 || strings.Count(shown.Body, "comment") < 2 {
			t.Fatalf("published: %+v", shown)
		}
		testkit.Equal(t, "intents", strings.Join(f.verbs(), ", "), "create, delete twin, create")

		f = newDirect(t, s) // a person has replied to it
		f.host.alters = func(body string) string { return strings.Replace(body, "comment", "remark", 1) }
		f.host.point = func(at string) {
			if at == "comments: before" && len(f.host.reviews) > 0 {
				f.host.reviews[0].replies = []string{"Why?"}
			}
		}
		err, _ = f.attempt(two())
		testkit.OK(t, err)
		f.published()
		testkit.Equal(t, "intents", strings.Join(f.verbs(), ", "), "create")

		f = newDirect(t, s) // altered marks count as a person's text
		f.host.alters = strings.ToUpper
		err, _ = f.attempt(two())
		testkit.OK(t, err)
		f.published()
		testkit.Equal(t, "intents", strings.Join(f.verbs(), ", "), "create")
	})
}

// A worker may die at each step between the comparison and the second review.
func TestAReviewThatDiffersAndACrashAtAnyPoint(t *testing.T) {
	s := storetest.SQLite(t)
	for n, died := 1, true; died; n++ {
		f := newDirect(t, s)
		f.host.alters = func(body string) string { return strings.Replace(body, "comment", "remark", 1) }
		f.host.crashAt(n)
		var err error
		if _, died = f.attempt(two()); died {
			f.host.point = nil
			err, _ = f.attempt(two())
		}
		testkit.OK(t, err)
		f.published()
		if shown := f.host.shown(); len(shown.comments) != 0 || strings.Count(shown.Body, "comment") < 2 {
			t.Fatalf("published: %+v", shown)
		}
	}
}

// Nothing is sent to a host without a protocol.
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
