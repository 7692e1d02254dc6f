package gitea

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

func TestStatuses(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	h := f.host(domain.Forgejo)
	var got sdk.CreateStatusOption
	f.on("POST /repos/octo/demo/statuses/"+headSHA, func(w http.ResponseWriter, r *http.Request) {
		got = sdk.CreateStatusOption{}
		_ = json.NewDecoder(r.Body).Decode(&got)
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"id":1,"status":"success","context":"assay"}`)
	})
	for conclusion, want := range map[string]sdk.StatusState{"": "pending", "success": "success", "failure": "failure", "neutral": "success", "skipped": "success",
		"cancelled": "error", "action_required": "pending"} {
		c := codehost.Check{ExternalID: "run_1", Name: "assay", HeadSHA: headSHA, Status: "completed", Conclusion: conclusion, DetailsURL: "https://assay.example/r/1",
			Title: markdown.Stored("two\nlines " + strings.Repeat("é", 400))}
		if conclusion == "" {
			c.Status = "in_progress"
		}
		id, err := h.CreateCheck(t.Context(), testRepo, c)
		if err != nil || got.State != want || got.Context != "assay" || got.TargetURL != c.DetailsURL || len([]rune(got.Description)) != maxDescription || !strings.HasPrefix(got.Description, "two lines ") {
			t.Errorf("%q: %+v, %v", conclusion, got, err)
		}
		if err := h.UpdateCheck(t.Context(), testRepo, id, c); err != nil {
			t.Errorf("%q: %v", conclusion, err)
		}
	}
	c := codehost.Check{ExternalID: "run_1", Name: "assay", HeadSHA: headSHA, Status: "queued"}
	if _, err := h.CreateCheck(t.Context(), testRepo, c); err != nil || got.Description != "assay" {
		t.Errorf("%+v, %v", got, err)
	}
	for list, want := range map[string]int{
		`[]`: 0,
		`[{"id":2,"context":"assay","creator":{"id":3}},{"id":1,"context":"other","creator":{"id":9}},null]`: 0,
		`[{"id":2,"context":"other","creator":{"id":9}},{"id":1,"context":"assay","creator":{"id":9}}]`:      1,
	} {
		f.json("GET /repos/octo/demo/commits/"+headSHA+"/statuses", list)
		if ids, err := h.FindChecks(t.Context(), testRepo, c); err != nil || len(ids) != want {
			t.Errorf("%s: %v, %v", list, ids, err)
		}
	}
}

// If a run ends without a review, its status is not success on a Gitea that has a better state. Verdicts keep
// their state. On older hosts, and on hosts that do not report a version, every state stays the same.
func TestStatusesOfRunsWithoutAReview(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind       domain.ConnectionKind
		version    string
		conclusion string
		unread     bool
		want       sdk.StatusState
	}{
		{domain.Gitea, "1.26.4", "skipped", true, "skipped"},
		{domain.Gitea, "1.26.4", "neutral", true, "skipped"},
		{domain.Gitea, "v1.27.0+dev-12-gabcdef", "neutral", true, "skipped"},
		{domain.Gitea, "2.0.0", "neutral", true, "skipped"},
		{domain.Gitea, "1.26.4", "failure", true, "failure"}, // an earlier review of the head blocks
		{domain.Gitea, "1.26.4", "neutral", false, "success"},
		{domain.Gitea, "1.26.4", "success", false, "success"},
		{domain.Gitea, "1.24.9", "skipped", true, "success"},
		{domain.Gitea, "1.2600000.1", "skipped", true, "success"},
		{domain.Gitea, "<b>", "skipped", true, "success"},
		{domain.Gitea, "", "skipped", true, "success"},
		{domain.Forgejo, "15.0.0+gitea-1.26.4", "skipped", true, "success"},
	} {
		f := newFake(t)
		h := f.host(c.kind)
		var got sdk.CreateStatusOption
		f.on("POST /repos/octo/demo/statuses/"+headSHA, func(w http.ResponseWriter, r *http.Request) {
			_ = json.NewDecoder(r.Body).Decode(&got)
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, `{"id":1,"context":"assay"}`)
		})
		if c.version != "" {
			f.json("GET /version", `{"version":"`+c.version+`"}`)
		}
		check := codehost.Check{ExternalID: "run_1", Name: "assay", HeadSHA: headSHA, Status: "completed", Conclusion: c.conclusion, Unread: c.unread, Title: markdown.Stored("Skipped")}
		if _, err := h.CreateCheck(t.Context(), testRepo, check); err != nil || got.State != c.want {
			t.Errorf("%+v: %s, %v", c, got.State, err)
		}
	}
}
