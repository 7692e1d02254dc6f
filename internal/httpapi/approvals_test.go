package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// waiting makes the world's run wait with a review of two findings, and returns their ids.
func (w *world) waiting() (output string, findings []string) {
	w.t.Helper()
	w.person(reviewer, false, w.Tenant, domain.RoleMember)
	w.role(reviewer, w.Repository, "review")
	found, err := w.store.SaveRunFindings(bg, w.Run, []domain.Finding{waits("The <b>key</b> is in the code", "a.go"), waits("A line that misleads", "b.go")})
	must(w.t, err)
	for _, m := range []store.RunMove{{From: domain.RunQueued, To: domain.RunRunning}, {From: domain.RunRunning, To: domain.RunAwaitingApproval}} {
		_, err := w.store.MoveRun(bg, w.Tenant, w.Run.ID, m)
		must(w.t, err)
	}
	draft := object{"result": object{"findings": found, "modelState": "complete"}, "run": object{"HeadSHA": w.Run.HeadSHA}, "first": true, "policy": domain.DefaultPolicy(),
		"host": object{"HTML": true, "MultiLine": true}}
	body := object{"kind": "review", "payload": object{"body": "Two findings. <script>", "comments": []object{{"path": "a.go", "line": 3, "body": "The key", "findingId": found[0].ID}}, "posted": []string{found[0].ID, found[1].ID},
		"check": object{"title": "2 findings", "conclusion": "neutral"}}}
	out, err := w.store.CreateOutput(bg, w.Tenant, w.Run.ID, "", draftText(w.t, body), strings.Repeat("ab", 32))
	must(w.t, err)
	_, err = w.store.CreateApproval(bg, w.Tenant, store.NewApproval{Output: out.ID, Run: w.Run.ID, Repository: w.Repository.ID, Digest: out.Digest, Draft: draftText(w.t, draft), For: time.Hour})
	must(w.t, err)
	return out.ID, []string{found[0].ID, found[1].ID}
}

type object = map[string]any

func draftText(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	must(t, err)
	return string(b)
}

func waits(title, path string) domain.Finding {
	return domain.Finding{Origin: domain.OriginModel, RuleID: "llm/x", Category: domain.CategoryBug, Severity: domain.High, Confidence: 0.9, Title: title, Explanation: "It is so.", Verdict: domain.VerdictConfirmed, Route: domain.RouteInline,
		State: domain.FindingOpen, Anchor: domain.Anchor{Path: path, Side: domain.Right, StartLine: 3, EndLine: 3, Level: domain.AnchorLine}, Fingerprints: domain.Fingerprints{Exact: path, Context: path}}
}

// The list shows waiting reviews with their exact texts, and by default no decided ones.
func TestApprovalsAreListed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		output, found := w.waiting()
		digest := strings.Repeat("ab", 32)
		for _, path := range []string{w.tenantPath() + "/approvals", w.repo() + "/approvals"} {
			var list httpList[httpapi.Approval]
			w.into(&list, w.call(admin, http.MethodGet, path, ""))
			testkit.Require(t, path, len(list.Items), 1)
			v := list.Items[0]
			if v.ID != output || v.Digest != digest || v.State != "pending" || v.PullRequest.Number != 1 || v.Decision != nil || !v.Changeable || len(v.Findings) != 2 || v.Findings[0].ID != found[0] ||
				v.Review.Body != "Two findings. <script>" || len(v.Review.Comments) != 1 || v.Review.Comments[0].Line != 3 || v.ExpiresAt.Sub(v.CreatedAt) != time.Hour {
				t.Errorf("%s: %+v", path, v)
			}
		}
		testkit.Equal(t, "a viewer", w.call(member, http.MethodGet, w.repo()+"/approvals", "").status, http.StatusForbidden)
		got := w.call(reviewer, http.MethodPost, w.repo()+"/approvals/"+output+"/approve", `{"digest":"`+digest+`","note":"fine","drop":["`+found[0]+`"],"edit":[{"findingId":"`+found[1]+`","title":"Read line 3"}]}`)
		var v httpapi.Approval
		w.into(&v, got)
		if v.State != "approved" || v.Decision == nil || v.Decision.Name != reviewer || v.Decision.How != "interface" || v.Decision.Note != "fine" || len(v.Decision.Drop) != 1 || *v.Decision.Edit[0].Title != "Read line 3" ||
			v.Decision.Published == nil || v.Decision.Published.Digest == digest || !strings.Contains(draftText(t, v.Decision.Published.Review), "Read line 3") || strings.Contains(draftText(t, v.Decision.Published.Review), "a.go") || v.Changeable {
			t.Errorf("%s", got.body)
		}
		for state, want := range map[string]int{"": 0, "?state=approved": 1, "?state=all": 1, "?state=rejected": 0} {
			var list httpList[httpapi.Approval]
			w.into(&list, w.call(admin, http.MethodGet, w.repo()+"/approvals"+state, ""))
			testkit.Equal(t, "listed "+state, len(list.Items), want)
		}
		testkit.Equal(t, "state", w.call(admin, http.MethodGet, w.repo()+"/approvals?state=x", "").status, http.StatusUnprocessableEntity)
		log := w.call(admin, http.MethodGet, w.tenantPath()+"/audit", "").body
		for _, want := range []string{"approval.approve", digest, v.Decision.Published.Digest, "fine", found[0]} {
			if !strings.Contains(log, want) {
				t.Errorf("no %s in the audit log: %s", want, log)
			}
		}
	})
}

// A page ends early if its texts are long, and the next page continues.
func TestApprovalsAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	body := draftText(t, object{"kind": "review", "payload": object{"body": strings.Repeat("x", 3<<20)}})
	for n := range 4 {
		run := storetest.Run(t, w.store, storetest.PullRequest(t, w.store, w.Repository, 70+n), "a")
		out, err := w.store.CreateOutput(bg, w.Tenant, run.ID, "", body, "d")
		must(t, err)
		_, err = w.store.CreateApproval(bg, w.Tenant, store.NewApproval{Output: out.ID, Run: run.ID, Repository: w.Repository.ID, Digest: "d", For: time.Hour})
		must(t, err)
	}
	cursor, seen := "", 0
	for range 4 {
		var list httpList[httpapi.Approval]
		w.into(&list, w.call(admin, http.MethodGet, w.repo()+"/approvals?cursor="+cursor, ""))
		if len(list.Items) > 2 {
			t.Fatalf("%d items of 3 MiB", len(list.Items))
		}
		seen += len(list.Items)
		if cursor = list.NextCursor; cursor == "" {
			break
		}
	}
	testkit.Equal(t, "seen", seen, 4)
}

// A rejection is recorded. The author of a pull request is refused, and the author's inbox
// does not list the review.
func TestDecisionsInTheInterface(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := newWorld(t, s)
		output, _ := w.waiting()
		path, ok := w.repo()+"/approvals/"+output, `{"digest":"`+strings.Repeat("ab", 32)+`"}`
		raw(`UPDATE pull_requests SET author_id = 4711`)
		raw(`INSERT INTO identities (id, user_id, issuer, subject, kind, login, created_us, used_us) SELECT 'idn_1', $1, web_url, '4711', 'codehost', 'x', 1, 1 FROM apps WHERE id = (SELECT app_id FROM installations WHERE id = $2)`,
			w.people[reviewer].id, w.Installation.ID)
		refused := w.call(reviewer, http.MethodPost, path+"/approve", ok)
		testkit.Equal(t, "the author", refused.status, http.StatusForbidden)
		testkit.Equal(t, "the author", problemOf(t, refused), "own_pull_request")
		lists := func() bool {
			return strings.Contains(w.call(reviewer, http.MethodGet, w.tenantPath()+"/inbox", "").body, output)
		}
		testkit.Equal(t, "the inbox lists a review that the author must not decide", lists(), false)
		must(t, s.PutSetting(bg, w.Tenant, "", store.SettingTenant, `{"authorMayApprove":true}`))
		testkit.Equal(t, "the inbox lists a review that the author may decide", lists(), true)
		testkit.Equal(t, "the author, with permission", w.call(reviewer, http.MethodPost, path+"/reject", ok).status, http.StatusOK)
		if log := w.call(admin, http.MethodGet, w.tenantPath()+"/audit", "").body; !strings.Contains(log, "approval.reject") || strings.Contains(log, "approval.approve") {
			t.Errorf("the audit log has other decisions: %s", log)
		}
		late := w.call(admin, http.MethodPost, path+"/approve", ok)
		testkit.Equal(t, "decided", late.status, http.StatusConflict)
	})
}
