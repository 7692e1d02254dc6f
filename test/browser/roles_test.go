package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
)

// These members have higher roles on the repository than [vera].
const (
	rita = "Rita Reviewer"
	mona = "Mona Manager"
)

// reviewedOnce creates a review that waits for a person, and a completed one, each with a finding. It
// returns the paths of their pages and of the open finding's page, below the repository's.
func reviewedOnce(ctx context.Context, t testing.TB, s *store.Store, w storetest.World) (waits, done, finding string) {
	t.Helper()
	object := func(v any) string {
		raw, err := json.Marshal(v)
		must(t, err)
		return string(raw)
	}
	type obj = map[string]any
	for number, steps := range map[int][]domain.RunState{81: {domain.RunRunning, domain.RunAwaitingApproval}, 82: {domain.RunRunning, domain.RunPublishing, domain.RunCompleted}} {
		run := storetest.Run(t, s, storetest.PullRequest(t, s, w.Repository, number), "auto")
		found, err := s.SaveRunFindings(ctx, run, []domain.Finding{{Origin: domain.OriginModel, RuleID: "llm/x", Category: domain.CategoryBug, Severity: domain.High, Confidence: .9, Title: fmt.Sprintf("Number %d is wrong", number), Explanation: "It is so.",
			Verdict: domain.VerdictConfirmed, Route: domain.RouteInline, State: domain.FindingOpen, Anchor: domain.Anchor{Path: "a.go", Side: domain.Right, StartLine: 3, EndLine: 3, Level: domain.AnchorLine}, Fingerprints: domain.Fingerprints{Exact: "a.go"}}})
		must(t, err)
		from := domain.RunQueued
		for _, to := range steps {
			_, err := s.MoveRun(ctx, w.Tenant, run.ID, store.RunMove{From: from, To: to})
			must(t, err)
			from = to
		}
		if from == domain.RunCompleted {
			done, finding = run.ID, found[0].ID
			continue
		}
		waits = run.ID
		out, err := s.CreateOutput(ctx, w.Tenant, run.ID, "", object(obj{"kind": "review", "payload": obj{"body": "One finding.", "comments": []obj{{"path": "a.go", "line": 3, "body": "It is so", "findingId": found[0].ID}}, "posted": []string{found[0].ID}, "check": obj{"title": "1 finding", "conclusion": "neutral"}}}), strings.Repeat("ab", 32))
		must(t, err)
		_, err = s.CreateApproval(ctx, w.Tenant, store.NewApproval{Output: out.ID, Run: run.ID, Repository: w.Repository.ID, Digest: out.Digest, For: time.Hour,
			Draft: object(obj{"result": obj{"findings": found, "modelState": "complete"}, "run": obj{"HeadSHA": run.HeadSHA}, "first": true, "policy": domain.DefaultPolicy(), "host": obj{"HTML": true, "MultiLine": true}})})
		must(t, err)
	}
	return waits, done, finding
}

// The actions offered to each role on a review, a finding, a repository and its settings: view reads,
// review decides and dismisses, manage asks for reviews and changes settings, and an administrator may
// do everything.
func TestActionsByRole(t *testing.T) {
	t.Parallel()
	var repository, waits, done, finding string
	o := openOffice(t, func(ctx context.Context, w storetest.World, o *office) {
		o.hire(ctx, t, w, rita, domain.RoleMember, "review")
		o.hire(ctx, t, w, mona, domain.RoleMember, "manage")
		waits, done, finding = reviewedOnce(ctx, t, o.store, w)
		repository = "/repositories/" + w.Repository.ID
	})
	p := newTab(t)
	grades := []string{vera, rita, mona, ada}
	for grade, who := range grades {
		p.as(o.links[who])
		for _, tc := range []struct {
			path, ready string
			says        map[string]int // index of the first of grades that may do it
		}{
			{repository + "/runs/" + waits, "document.querySelector('main .state')", map[string]int{"Approve": 1, "Reject": 1}},
			{repository + "/findings/" + finding, "document.body.innerText.includes('Number 82 is wrong')", map[string]int{"Dismiss": 1}},
			{repository + "/runs/" + done, "document.querySelector('main .state')", map[string]int{"Review again": 2}},
			{repository, "document.querySelector('main tbody')", map[string]int{"Review now": 2}},
			{repository + "/rules", "document.querySelector('main h1')", map[string]int{"Create the first rule": 2}},
		} {
			p.move(o.tenant + tc.path)
			p.until(tc.ready)
			p.ready()
			for says, from := range tc.says {
				var offered bool
				must(t, p.run("[...document.querySelectorAll('main button')].some(b => (b.getAttribute('aria-label') ?? b.innerText).startsWith("+quote(says)+") && !b.disabled)", &offered))
				if offered != (grade >= from) {
					t.Errorf("%s at %s is offered %q: %t, at %s", who, tc.path, says, offered, p.at())
				}
			}
		}
	}
	p.clean(o.base, o.base)
}
