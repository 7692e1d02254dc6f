package store_test

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// verdictRun makes a run of a pull request in a state, with a verdict.
func verdictRun(t *testing.T, s *store.Store, w storetest.World, p store.PullRequest, key string, to domain.RunState, verdict string) store.Run {
	t.Helper()
	v, made, err := s.CreateRun(bg, w.Tenant, store.Run{Repository: p.Repository, PullRequest: p.ID, Number: p.Number, HeadSHA: p.HeadSHA, BaseRef: p.BaseRef, TriggerKey: key, TriggerEvent: "x"})
	testkit.OK(t, err)
	testkit.Require(t, "made", made, true)
	raw(t, s, `UPDATE review_runs SET state = '`+string(to)+`', verdict = '`+verdict+`', finished_us = created_us WHERE id = '`+v.ID+`'`)
	return v
}

// numbered makes an open pull request with the head of the world's.
func numbered(t *testing.T, s *store.Store, w storetest.World, n int, change func(p *store.PullRequest)) store.PullRequest {
	t.Helper()
	p := store.PullRequest{Repository: w.Repository.ID, Number: n, Title: "x", HeadSHA: storetest.SHA("shared"), HeadRef: "topic", BaseRef: "main", State: "open", HostUpdatedUS: int64(n)}
	change(&p)
	return must2(s.UpsertPullRequest(bg, w.Tenant, p))(t)
}

// The worst of the newest runs of the open pull requests of a head counts, whichever is newer. A run
// without a review does not withdraw a failure.
func TestHeadVerdicts(t *testing.T) {
	type runs [][2]string // state, verdict; oldest first
	for name, c := range map[string]struct {
		first, second runs
		change        func(p *store.PullRequest) // of the second pull request
		want          string
	}{
		"failure, then success":           {runs{{"completed", "failure"}}, runs{{"completed", "success"}}, nil, "1 failure, 2 success"},
		"success, then failure":           {runs{{"completed", "success"}}, runs{{"completed", "failure"}}, nil, "2 failure, 1 success"},
		"failure, then a skipped one":     {runs{{"completed", "failure"}}, runs{{"skipped", ""}}, nil, "1 failure, 2 skipped"},
		"under way, then a skipped one":   {runs{{"running", ""}}, runs{{"skipped", ""}}, nil, "1 pending, 2 skipped"},
		"waits, beside a neutral one":     {runs{{"awaiting_approval", ""}}, runs{{"completed", "neutral"}}, nil, "1 pending, 2 neutral"},
		"failure beside one under way":    {runs{{"queued", ""}}, runs{{"completed", "failure"}}, nil, "2 failure, 1 pending"},
		"cancelled beside success":        {runs{{"cancelled", ""}}, runs{{"completed", "success"}}, nil, "1 neutral, 2 success"},
		"a later review of the same":      {runs{{"completed", "failure"}, {"completed", "success"}}, nil, nil, "1 success"},
		"skipped after a failure":         {runs{{"completed", "failure"}, {"skipped", ""}}, nil, nil, "1 failure"},
		"skipped after a success":         {runs{{"completed", "success"}, {"skipped", ""}}, nil, nil, "1 skipped"},
		"failed after a failure":          {runs{{"completed", "failure"}, {"failed", ""}}, runs{{"completed", "success"}}, nil, "1 failure, 2 success"},
		"nothing is shown":                {runs{{"completed", ""}}, nil, nil, "1 "},
		"closed":                          {runs{{"completed", "success"}}, runs{{"completed", "failure"}}, func(p *store.PullRequest) { p.State = "closed" }, "1 success"},
		"another head":                    {runs{{"completed", "success"}}, runs{{"completed", "failure"}}, func(p *store.PullRequest) { p.HeadSHA = storetest.SHA("other") }, "1 success"},
		"from another branch":             {runs{{"completed", "success"}}, runs{{"completed", "failure"}}, func(p *store.PullRequest) { p.HeadRef = "copy" }, "2 failure, 1 success"},
		"a pull request without any runs": {runs{{"completed", "success"}}, nil, nil, "1 success"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				w := storetest.Seed(t, s)
				if c.change == nil {
					c.change = func(*store.PullRequest) {}
				}
				a, b := numbered(t, s, w, 11, func(*store.PullRequest) {}), numbered(t, s, w, 12, c.change)
				for i, r := range c.first {
					verdictRun(t, s, w, a, fmt.Sprint("auto", i), domain.RunState(r[0]), r[1])
				}
				for i, r := range c.second {
					verdictRun(t, s, w, b, fmt.Sprint("auto", i), domain.RunState(r[0]), r[1])
				}
				testkit.Equal(t, "verdicts", heldOf(t, s, w, ""), c.want)
				if name == "from another branch" {
					testkit.Equal(t, "verdicts of the branch", heldOf(t, s, w, "topic"), "1 success")
				}
			})
		})
	}
}

// The policy decides the verdict of an end without a review, by the state and depth of the run. A failure of an
// earlier review of the head stays.
func TestHeadVerdictsOfEndsWithoutAReview(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		p := numbered(t, s, w, 11, func(*store.PullRequest) {})
		pass, fail := domain.UnreviewedPass, domain.UnreviewedFail
		verdict := func(u domain.Unreviewed) string {
			return must2(s.HeadVerdicts(bg, w.Tenant, w.Repository.ID, p.HeadSHA, "", "", u))(t)[0].Verdict
		}
		for i, c := range []struct {
			state        domain.RunState
			depth        domain.Depth
			u            domain.Unreviewed
			usual, named string
		}{
			{domain.RunFailed, domain.DepthFull, domain.Unreviewed{Failed: &pass}, "neutral", "success"},
			{domain.RunSkipped, domain.DepthFull, domain.Unreviewed{Skipped: &fail, Outsider: &pass}, "skipped", "failure"},
			{domain.RunSkipped, domain.DepthReduced, domain.Unreviewed{Skipped: &pass, Outsider: &fail}, "skipped", "failure"},
			{domain.RunCancelled, domain.DepthFull, domain.Unreviewed{Cancelled: &fail}, "neutral", "failure"},
			{domain.RunSuperseded, domain.DepthFull, domain.Unreviewed{Cancelled: &pass}, "neutral", "success"},
		} {
			run, _, err := s.CreateRun(bg, w.Tenant, store.Run{Repository: p.Repository, PullRequest: p.ID, Number: p.Number, HeadSHA: p.HeadSHA,
				BaseRef: p.BaseRef, TriggerKey: fmt.Sprint("auto", i), TriggerEvent: "e", Depth: c.depth})
			testkit.OK(t, err)
			_, err = s.MoveRun(bg, w.Tenant, run.ID, store.RunMove{From: domain.RunQueued, To: c.state})
			testkit.OK(t, err)
			what := fmt.Sprint(c.state, " ", c.depth)
			testkit.Equal(t, what+", default", verdict(domain.Unreviewed{Preset: domain.PresetDefault}), c.usual)
			testkit.Equal(t, what+", named", verdict(c.u), c.named)
			testkit.Equal(t, what+", strict", verdict(domain.Unreviewed{Preset: domain.PresetStrict}), "failure")
		}
		hidden := func(key string) {
			t.Helper()
			run := verdictRun(t, s, w, p, key, domain.RunCompleted, "")
			out := must2(s.CreateOutput(bg, w.Tenant, run.ID, "", "{}", "x"))(t)
			raw(t, s, `INSERT INTO publications (id, tenant_id, run_id, output_id, kind, payload, payload_sha256, phase, gen, created_us, updated_us)
				VALUES ('`+domain.NewID("pub")+`', '`+w.Tenant.ID+`', '`+run.ID+`', '`+out.ID+`', 'none', '{}', 'x', 'PUBLISHED', 1, 1, 1)`)
		}
		hidden("hidden")
		testkit.Equal(t, "reviewed under a silent policy", verdict(domain.Unreviewed{Preset: domain.PresetDefault}), "neutral")
		testkit.Equal(t, "reviewed under a silent policy, named", verdict(domain.Unreviewed{Skipped: &fail}), "failure")
		verdictRun(t, s, w, p, "reviewed", domain.RunCompleted, "failure")
		verdictRun(t, s, w, p, "after", domain.RunFailed, "")
		testkit.Equal(t, "after a failure", verdict(domain.Unreviewed{Failed: &pass}), "failure")
		hidden("hidden after a failure")
		testkit.Equal(t, "reviewed under a silent policy after a failure", verdict(domain.Unreviewed{Skipped: &pass}), "failure")
		verdictRun(t, s, w, p, "later", domain.RunFailed, "")
		testkit.Equal(t, "a failed run after both", verdict(domain.Unreviewed{Failed: &pass}), "failure")
		verdictRun(t, s, w, p, "mended", domain.RunCompleted, "success")
		testkit.Equal(t, "after a success", verdict(domain.Unreviewed{}), "success")
	})
}

// heldOf returns the verdicts of the shared head.
func heldOf(t *testing.T, s *store.Store, w storetest.World, place string) (out string) {
	t.Helper()
	for i, v := range must2(s.HeadVerdicts(bg, w.Tenant, w.Repository.ID, storetest.SHA("shared"), place, "", domain.Unreviewed{}))(t) {
		if i > 0 {
			out += ", "
		}
		out += fmt.Sprint(v.Number-10, " ", v.Verdict)
	}
	return out
}

// A run into another target does not count for the current target of the pull request.
func TestHeadVerdictsAreOfTheTarget(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		p := numbered(t, s, w, 11, func(*store.PullRequest) {})
		first := verdictRun(t, s, w, p, "auto", domain.RunCompleted, "failure")
		p = numbered(t, s, w, 11, func(p *store.PullRequest) { p.BaseRef = "release" })
		testkit.Equal(t, "before it is reviewed", heldOf(t, s, w, ""), "")
		second := verdictRun(t, s, w, p, "auto:after:"+first.ID, domain.RunSkipped, "")
		testkit.Equal(t, "onto the other target", heldOf(t, s, w, ""), "1 skipped")
		testkit.Equal(t, "newest", must2(s.NewestRunOfHead(bg, w.Tenant, p.ID, p.HeadSHA))(t).ID, second.ID)
		testkit.Equal(t, "onto main", must2(s.LastRunOnto(bg, w.Tenant, p.ID, p.HeadSHA, "main"))(t).ID, first.ID)
		testkit.Equal(t, "published onto main", must2(s.PublishedOnto(bg, w.Tenant, store.Run{ID: "x", PullRequest: p.ID, HeadSHA: p.HeadSHA, BaseRef: "main"}))(t).ID, first.ID)
		p = numbered(t, s, w, 11, func(*store.PullRequest) {})
		verdictRun(t, s, w, p, "auto:after:"+second.ID, domain.RunSkipped, "")
		testkit.Equal(t, "back", heldOf(t, s, w, ""), "1 failure")
	})
}

// However many pull requests have a head, the worst verdict is found, and two are listed.
func TestHeadVerdictsOfManyPullRequests(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		for n := range 120 {
			verdict := "success"
			if n == 117 {
				verdict = "failure"
			}
			verdictRun(t, s, w, numbered(t, s, w, 11+n, func(*store.PullRequest) {}), "auto", domain.RunCompleted, verdict)
		}
		testkit.Equal(t, "verdicts", heldOf(t, s, w, ""), "118 failure, 1 success")
	})
}

// The check with the highest id is the newest of its head, in whatever order they are recorded.
func TestTheNewestCheckOfAHead(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		h := headOf(t, s)
		testkit.Equal(t, "before", must2(s.TakeHeadCheck(bg, h.w.Tenant, h.check(h.w.Run.ID, "10"), false))(t), store.HeadCheck{})
		testkit.Equal(t, "before an older one", must2(s.TakeHeadCheck(bg, h.w.Tenant, h.check(h.other, "9"), false))(t).CheckID, "10")
		h.is("an older one", "10 by 10")
		must2(s.TakeHeadCheck(bg, h.w.Tenant, h.check(h.other, "11"), false))(t)
		h.is("a newer one", "11 by 11")
		must2(s.TakeHeadCheck(bg, h.w.Tenant, h.check(h.w.Run.ID, "12"), true))(t)
		h.is("one that another write may have met", "12 ")
		testkit.Equal(t, "places", len(must2(s.HeadChecks(bg, h.w.Tenant, h.w.Repository.ID, h.w.Pull.HeadSHA))(t)), 1)
	})
}

// The text of a check is known only if no other write may have overlapped.
func TestStoredTextOfACheck(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		h := headOf(t, s)
		must2(s.TakeHeadCheck(bg, h.w.Tenant, h.check(h.w.Run.ID, "10"), false))(t)
		say := func(run string) store.HeadCheck {
			c := h.check(run, "10")
			c.Shown = "failure:x"
			return c
		}
		testkit.Equal(t, "another run's", must2(s.BeginCheckWrite(bg, h.w.Tenant, say(h.other), false))(t), int64(0))
		h.is("that is another check", "10 by 10")
		gen := must2(s.BeginCheckWrite(bg, h.w.Tenant, say(h.w.Run.ID), false))(t)
		h.is("while it is written", "10 ")
		testkit.OK(t, s.EndCheckWrite(bg, h.w.Tenant, say(h.w.Run.ID), gen))
		h.is("once it is written", "10 failure:x")
		told := must2(s.HeadCheck(bg, h.w.Tenant, h.w.Repository.ID, h.w.Pull.HeadSHA, ""))(t)
		testkit.Equal(t, "says", fmt.Sprint(told.ShowsVerdict("failure"), told.ShowsVerdict("success"), told.ShowsVerdict("pending")), "true false false")

		gen = must2(s.BeginCheckWrite(bg, h.w.Tenant, say(h.w.Run.ID), false))(t)
		second := must2(s.BeginCheckWrite(bg, h.w.Tenant, say(h.other), true))(t)
		testkit.OK(t, s.EndCheckWrite(bg, h.w.Tenant, say(h.other), second))
		h.is("the check that replaced it", "10 ")
		testkit.OK(t, s.EndCheckWrite(bg, h.w.Tenant, say(h.w.Run.ID), gen))
		h.is("of two that met", "10 ")
	})
}

// checkedHead is a head with two runs.
type checkedHead struct {
	t     *testing.T
	s     *store.Store
	w     storetest.World
	other string
}

func headOf(t *testing.T, s *store.Store) checkedHead {
	t.Helper()
	w := storetest.Seed(t, s)
	return checkedHead{t, s, w, storetest.Run(t, s, w.Pull, "auto:b").ID}
}

func (h checkedHead) check(run, id string) store.HeadCheck {
	return store.HeadCheck{Repository: h.w.Repository.ID, Head: h.w.Pull.HeadSHA, Run: run, CheckID: id, Shown: "by " + id}
}

func (h checkedHead) is(what, want string) {
	h.t.Helper()
	got := must2(h.s.HeadCheck(bg, h.w.Tenant, h.w.Repository.ID, h.w.Pull.HeadSHA, ""))(h.t)
	testkit.Equal(h.t, what, got.CheckID+" "+got.Shown, want)
}

// A hunk that was reviewed against one target is not reviewed against another.
func TestReviewedHunksAreOfATarget(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		testkit.OK(t, s.AddReviewedHunks(bg, w.Tenant, w.Pull.ID, "main", w.Run.ID, []string{"a", "b"}))
		testkit.OK(t, s.AddReviewedHunks(bg, w.Tenant, w.Pull.ID, "release", w.Run.ID, []string{"b"}))
		for base, want := range map[string]string{"main": "map[a:true b:true]", "release": "map[b:true]", "other": "map[]"} {
			testkit.Equal(t, base, fmt.Sprint(must2(s.ReviewedHunks(bg, w.Tenant, w.Pull.ID, base, domain.DepthFull))(t)), want)
		}
	})
}
