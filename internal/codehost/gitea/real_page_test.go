package gitea

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/markdown"
)

// The page shows a review once, with each comment once, and also shows its edit.
func TestPageOfAReviewOnARealHost(t *testing.T) {
	r := newReal(t)
	f := r.fixture()
	r.do("PATCH", "/repos/"+r.name+"/demo", "", map[string]any{"private": false})
	page := func() string {
		req, _ := http.NewRequestWithContext(t.Context(), "GET", fmt.Sprintf("%s/%s/demo/pulls/%d", r.url, r.name, f.Number), nil)
		resp, err := http.DefaultClient.Do(req) // without signing in
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		if resp.StatusCode != 200 {
			t.Fatalf("page: %s", resp.Status)
		}
		return string(text)
	}
	count := func(text, of string) int { return strings.Count(text, "<p dir=\"auto\">"+of) }
	d := codehost.Draft{Commit: f.Head, Body: markdown.Const("the body of it"), Comments: []codehost.DraftComment{{Path: f.Path, Side: "RIGHT", Line: f.Line, Body: markdown.Const("the comment of it")}}}
	host := codehost.DirectOf(f.Host)
	made := must(host.CreateReview(t.Context(), f.Repo, f.Number, d))(t)
	text := page()
	if b, c := count(text, "the body of it"), count(text, "the comment of it"); b != 1 || c != 1 {
		t.Errorf("the page has the body %d times and the comment %d times", b, c)
	}
	if err := f.Host.EditReview(t.Context(), f.Repo, f.Number, made.ID, markdown.Const("another body")); err != nil {
		t.Fatal(err)
	}
	if text = page(); count(text, "another body") != 1 || count(text, "the body of it") != 0 {
		t.Error("the edit does not show")
	}
	if err := host.DeleteReview(t.Context(), f.Repo, f.Number, made.ID); err != nil {
		t.Fatal(err)
	}
	if text = page(); count(text, "another body")+count(text, "the comment of it") != 0 {
		t.Error("a deleted review is on the page")
	}
}

func TestTextOfARealReviewThatAPersonDeleted(t *testing.T) {
	r := newReal(t)
	deletesText(t, r.fixture())
}

// The host answers to invalid places as the simulated host does. assay itself does not send invalid places.
func TestPlacesOnARealHost(t *testing.T) {
	for name, c := range map[string]struct {
		comment  map[string]any
		commit   string
		status   int
		comments int // comments of the remaining draft
	}{
		"a line":        {map[string]any{"path": "half.go", "new_position": 9999, "body": "x"}, "", 500, 0},
		"a path":        {map[string]any{"path": "none.go", "new_position": 1, "body": "x"}, "", 200, 1},
		"the old side":  {map[string]any{"path": "half.go", "old_position": 2, "body": "x"}, "", 200, 1},
		"a commit":      {map[string]any{"path": "half.go", "new_position": 4, "body": "x"}, strings.Repeat("0", 39) + "1", 500, 0},
		"a commit only": {nil, strings.Repeat("0", 40), 200, 0},
	} {
		r := newReal(t)
		f := r.fixture()
		path := fmt.Sprintf("/repos/%s/demo/pulls/%d/reviews", r.name, f.Number)
		in := map[string]any{"event": "PENDING", "body": "b", "commit_id": cmp.Or(c.commit, f.Head)}
		if c.comment != nil {
			in["comments"] = []any{c.comment}
		}
		if status, out := r.try("POST", path, "bot", in); status != c.status {
			t.Errorf("%s: status %d, want %d: %v", name, status, c.status, out)
		}
		list := must(f.Host.Reviews(t.Context(), f.Repo, f.Number))(t)
		if len(list) != 1 || list[0].State != codehost.ReviewPending {
			t.Errorf("%s: left %+v", name, list)
			continue
		}
		if got := must(f.Host.ReviewComments(t.Context(), f.Repo, f.Number, list[0].ID))(t); len(got) != c.comments {
			t.Errorf("%s: the draft has %d comments, want %d", name, len(got), c.comments)
		}
	}
}
