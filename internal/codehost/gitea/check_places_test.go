package gitea

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

func (f *fake) text(what, body string) {
	f.on(what, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
}

func draftOf(commit string, comments ...codehost.DraftComment) codehost.Draft {
	for i := range comments {
		if comments[i].Body.Empty() {
			comments[i].Body = markdown.Const("hm")
		}
	}
	return codehost.Draft{Commit: commit, Body: markdown.Const("a body"), Comments: comments}
}

// A review with an invalid place is refused, and no part of it is sent.
func TestPlacesAreCheckedBeforeAReviewIsSent(t *testing.T) {
	t.Parallel()
	const moved = "3333333333333333333333333333333333333333"
	able := codehost.CapabilitiesOf(domain.Gitea)
	many := make([]codehost.DraftComment, able.MaxComments+1)
	for i := range many {
		many[i] = codehost.DraftComment{Path: "half.go", Side: "RIGHT", Line: 2}
	}
	long := markdown.Stored(strings.Repeat("é", able.MaxBody+1))
	for name, tc := range map[string]struct {
		draft codehost.Draft
		want  codehost.Class
	}{
		"right":               {draftOf(headSHA, codehost.DraftComment{Path: "half.go", Side: "RIGHT", Line: 3}, codehost.DraftComment{Path: "half.go", Side: "LEFT", Line: 2}), ""},
		"lines":               {draftOf(headSHA, codehost.DraftComment{Path: "half.go", Side: "RIGHT", StartLine: 2, Line: 3}), ""},
		"past the change":     {draftOf(headSHA, codehost.DraftComment{Path: "half.go", Side: "RIGHT", Line: 5}), codehost.ClassInvalid},
		"beyond the old file": {draftOf(headSHA, codehost.DraftComment{Path: "half.go", Side: "LEFT", Line: 4}), codehost.ClassInvalid},
		"from before it":      {draftOf(headSHA, codehost.DraftComment{Path: "half.go", Side: "RIGHT", StartLine: 4, Line: 3}), codehost.ClassInvalid},
		"another file":        {draftOf(headSHA, codehost.DraftComment{Path: "other.go", Side: "RIGHT", Line: 1}), codehost.ClassInvalid},
		"climbing":            {draftOf(headSHA, codehost.DraftComment{Path: "../half.go", Side: "RIGHT", Line: 1}), codehost.ClassInvalid},
		"no side":             {draftOf(headSHA, codehost.DraftComment{Path: "half.go", Line: 1}), codehost.ClassInvalid},
		"empty comment":       {draftOf(headSHA, codehost.DraftComment{Path: "half.go", Side: "RIGHT", Line: 2, Body: markdown.Stored(" ")}), codehost.ClassInvalid},
		"no body":             {codehost.Draft{Commit: headSHA}, codehost.ClassInvalid},
		"long body":           {codehost.Draft{Commit: headSHA, Body: long}, codehost.ClassTooLarge},
		"long comment":        {draftOf(headSHA, codehost.DraftComment{Path: "half.go", Side: "RIGHT", Line: 2, Body: long}), codehost.ClassTooLarge},
		"many comments":       {draftOf(headSHA, many...), codehost.ClassTooLarge},
		"a branch":            {draftOf("main"), codehost.ClassInvalid},
		"older head":          {draftOf(moved, codehost.DraftComment{Path: "half.go", Side: "RIGHT", Line: 6}, codehost.DraftComment{Path: "half.go", Side: "LEFT", Line: 2}), ""},
		"older, past file":    {draftOf(moved, codehost.DraftComment{Path: "half.go", Side: "RIGHT", Line: 7}), codehost.ClassInvalid},
		"older, old file":     {draftOf(moved, codehost.DraftComment{Path: "half.go", Side: "LEFT", Line: 3}), codehost.ClassInvalid},
		"older, not a file":   {draftOf(moved, codehost.DraftComment{Path: "other.go", Side: "RIGHT", Line: 1}), codehost.ClassInvalid},
		"older, empty file":   {draftOf(moved, codehost.DraftComment{Path: "empty", Side: "RIGHT", Line: 1}), codehost.ClassInvalid},
		"another wrong last":  {draftOf(headSHA, codehost.DraftComment{Path: "half.go", Side: "RIGHT", Line: 3}, codehost.DraftComment{Path: "half.go", Side: "RIGHT", Line: 99999}), codehost.ClassInvalid},
	} {
		f := newFake(t)
		f.json("GET /repos/octo/demo/pulls/7", pullBody(7))
		f.text("GET /repos/octo/demo/pulls/7.diff", diffBody)
		f.on("GET /repos/octo/demo/raw/half.go", func(w http.ResponseWriter, r *http.Request) {
			lines := map[string]string{moved: "1\n2\n3\n4\n5\n6", baseSHA: "1\n2\n"}[r.URL.Query().Get("ref")]
			_, _ = io.WriteString(w, lines)
		})
		f.text("GET /repos/octo/demo/raw/empty", "")
		var sent sdk.CreatePullReviewOptions
		f.on("POST /repos/octo/demo/pulls/7/reviews", func(w http.ResponseWriter, r *http.Request) {
			_ = json.NewDecoder(r.Body).Decode(&sent)
			_, _ = fmt.Fprintf(w, `{"id":11,"state":"COMMENT","user":{"id":9},"body":"a body","commit_id":%q,"html_url":""}`, tc.draft.Commit)
		})
		made, err := f.host(domain.Gitea).CreateReview(t.Context(), testRepo, 7, tc.draft)
		if codehost.ClassOf(err) != tc.want {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
		writes := f.requests("POST", "DELETE", "PATCH", "PUT")
		if tc.want != "" {
			if len(writes) != 0 {
				t.Errorf("%s: sent %v", name, writes)
			}
			continue
		}
		if len(writes) != 1 || made.ID != "11" || !made.Mine || made.State != codehost.ReviewSubmitted || sent.State != sdk.ReviewStateComment || len(sent.Comments) != len(tc.draft.Comments) {
			t.Errorf("%s: made %+v by %v with %+v", name, made, writes, sent)
		}
		for i, c := range sent.Comments {
			want := int64(tc.draft.Comments[i].Line)
			if tc.draft.Comments[i].Side == "LEFT" && (c.OldLineNum != want || c.NewLineNum != 0) || tc.draft.Comments[i].Side == "RIGHT" && (c.NewLineNum != want || c.OldLineNum != 0) {
				t.Errorf("%s: comment %+v", name, c)
			}
		}
	}
}

// Only reviews of our account are deleted, drafts as well as visible ones.
func TestReviewsOfOthersAreNotDeleted(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	h := f.host(domain.Gitea)
	f.json("GET /repos/octo/demo/pulls/7/reviews/11", `{"id":11,"state":"COMMENT","user":{"id":8}}`)
	if err := h.DeleteReview(t.Context(), testRepo, 7, "11"); codehost.ClassOf(err) != codehost.ClassInvalid || len(f.requests("DELETE")) != 0 {
		t.Errorf("the review of another account was deleted: %v", err)
	}
	f.json("GET /repos/octo/demo/pulls/7/reviews/11", `{"id":11,"state":"PENDING","user":{"id":9}}`)
	if err := h.DeleteReview(t.Context(), testRepo, 7, "11"); err != nil || len(f.requests("DELETE")) != 1 { // a draft of our account
		t.Errorf("%v after %v", err, f.requests("DELETE"))
	}
	f.status("DELETE /repos/octo/demo/pulls/7/reviews/11", 403, `{"message":"no"}`)
	if err := h.DeleteReview(t.Context(), testRepo, 7, "11"); codehost.ClassOf(err) != codehost.ClassForbidden {
		t.Errorf("a deletion that is refused: %v", err)
	}
}

func TestEdits(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	h := f.host(domain.Gitea)
	f.json("GET /repos/octo/demo/pulls/7/reviews/11", `{"id":11,"state":"COMMENT","user":{"id":9},"html_url":"http://x/octo/demo/pulls/7#issuecomment-41"}`)
	f.json("GET /repos/octo/demo/pulls/7/reviews/12", `{"id":12,"state":"COMMENT","user":{"id":9},"html_url":""}`)
	f.json("PATCH /repos/octo/demo/issues/comments/41", `{"id":41,"body":"new"}`)
	f.status("PATCH /repos/octo/demo/issues/comments/42", 204, "")
	if err := h.EditReview(t.Context(), testRepo, 7, "11", markdown.Const("new")); err != nil {
		t.Error(err)
	}
	if err := h.EditReview(t.Context(), testRepo, 7, "12", markdown.Const("new")); codehost.ClassOf(err) != codehost.ClassNotFound {
		t.Errorf("a review that is not shown: %v", err)
	}
	if err := h.EditComment(t.Context(), testRepo, "42", markdown.Const("new")); codehost.ClassOf(err) != codehost.ClassInvalid {
		t.Errorf("a comment without text: %v", err)
	}
	if err := h.EditComment(t.Context(), testRepo, "43", markdown.Const("new")); codehost.ClassOf(err) != codehost.ClassNotFound {
		t.Errorf("a comment that is gone: %v", err)
	}
}
