package github_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/sim/github/simapi"
)

func TestPendingSlot(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.call(200, "POST", pr+"/reviews", draft(line(4), line(7))).object()
	if first["state"] != "PENDING" || first["submitted_at"] != nil {
		t.Fatalf("not pending: %v", first)
	}
	id := int64(first["id"].(float64))
	for _, event := range []string{"", "COMMENT"} {
		again := draft(line(4))
		if event != "" {
			again["event"] = event
		}
		if r := b.call(422, "POST", pr+"/reviews", again); !strings.Contains(string(r.body), "User can only have one pending review per pull request") {
			t.Errorf("event %q: %s", event, r.body)
		}
	}
	// A person has a slot of their own and does not see the app's draft.
	bob := need(b.ctl.CreateUser(t.Context(), simapi.UserSpec{Login: "bob"})).Token
	if n := len(b.callAs(bob, 200, "GET", pr+"/reviews", nil).list()); n != 0 {
		t.Errorf("a stranger sees %d drafts", n)
	}
	b.callAs(bob, 404, "GET", fmt.Sprintf("%s/reviews/%d", pr, id), nil)
	b.callAs(bob, 404, "POST", fmt.Sprintf("%s/reviews/%d/events", pr, id), map[string]any{"event": "COMMENT"})
	b.callAs(bob, 200, "POST", pr+"/reviews", draft())
	if n := len(b.call(200, "GET", pr+"/reviews", nil).list()); n != 1 {
		t.Errorf("the app sees %d reviews, want its own draft", n)
	}
	if n := len(b.call(200, "GET", pr+"/comments", nil).list()); n != 0 {
		t.Errorf("draft comments are listed: %d", n)
	}
	if n := len(b.call(200, "GET", fmt.Sprintf("%s/reviews/%d/comments", pr, id), nil).list()); n != 2 {
		t.Errorf("the author sees %d draft comments, want 2", n)
	}
	submit := fmt.Sprintf("%s/reviews/%d/events", pr, id)
	b.call(422, "POST", submit, map[string]any{})
	if r := b.call(200, "POST", submit, map[string]any{"event": "COMMENT"}).object(); r["state"] != "COMMENTED" || r["submitted_at"] == nil {
		t.Errorf("not submitted: %v", r)
	}
	b.call(422, "POST", submit, map[string]any{"event": "COMMENT"})
	b.call(422, "DELETE", fmt.Sprintf("%s/reviews/%d", pr, id), nil)
	visible := need(b.ctl.VisibleReviews(t.Context(), "acme/shop", 1))
	if len(visible) != 1 || len(visible[0].Comments) != 2 {
		t.Errorf("visible reviews: %+v", visible)
	}
	// The slot is free again; a draft can be deleted once.
	second := b.call(200, "POST", pr+"/reviews", draft(line(4))).object()
	path := fmt.Sprintf("%s/reviews/%d", pr, int64(second["id"].(float64)))
	b.call(200, "DELETE", path, nil)
	b.call(404, "DELETE", path, nil)
	b.call(200, "PUT", fmt.Sprintf("%s/reviews/%d", pr, id), map[string]any{"body": "Edited."})
}

func TestRacingCreates(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	status := map[int]int{}
	for range 20 {
		wg.Go(func() {
			r, err := b.send(b.request(b.token, "POST", pr+"/reviews", draft(line(4))))
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			status[r.status]++
		})
	}
	wg.Wait()
	if status[200] != 1 || status[422] != 19 {
		t.Errorf("answers: %v", status)
	}
	if n := len(need(b.s.Reviews("acme/shop", 1))); n != 1 {
		t.Errorf("%d reviews were made", n)
	}
}

func TestCommentPlaces(t *testing.T) {
	t.Parallel()
	b := setup(t)
	// The diff of cart.go: line 4 changed, lines 6 and 7 added; context 1-3 and 5.
	tests := []struct {
		name    string
		comment map[string]any
		want    int
		text    string
	}{
		{"added line", line(7), 200, ""},
		{"context line", line(3), 200, ""},
		{"removed line on the left", line(4, "side", "LEFT"), 200, ""},
		{"range", line(7, "start_line", 6, "start_side", "RIGHT"), 200, ""},
		{"range from left to right", line(4, "start_line", 4, "start_side", "LEFT"), 200, ""},
		{"old position", map[string]any{"path": "cart.go", "position": 5, "body": "x"}, 200, ""},
		{"whole file", map[string]any{"path": "cart.go", "subject_type": "file", "body": "x"}, 200, ""},
		{"line outside of the diff", line(99), 422, "Line could not be resolved"},
		{"line 0", line(0), 422, "Line could not be resolved"},
		{"unknown path", line(4, "path", "nope.go"), 422, "Path could not be resolved"},
		{"file that did not change", line(1, "path", "README.md"), 422, "Path could not be resolved"},
		{"start after end", line(6, "start_line", 7), 422, "start line must precede"},
		{"start equals end", line(6, "start_line", 6), 422, "start line must precede"},
		{"start outside", line(6, "start_line", 70), 422, "Start line could not be resolved"},
		{"unknown side", line(4, "side", "MIDDLE"), 422, "side"},
		{"empty body", line(4, "body", ""), 422, "body"},
		{"body too long", line(4, "body", strings.Repeat("x", 65537)), 422, "too long"},
		{"no line", map[string]any{"path": "cart.go", "body": "x"}, 422, "Line could not be resolved"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := *b
			b.t = t
			r := b.call(tt.want, "POST", pr+"/reviews", draft(line(4), tt.comment))
			if tt.want == 200 {
				b.call(200, "DELETE", fmt.Sprintf("%s/reviews/%d", pr, int64(r.object()["id"].(float64))), nil)
			} else if !strings.Contains(string(r.body), tt.text) {
				t.Errorf("answer %s lacks %q", r.body, tt.text)
			}
			if n := len(need(b.s.Reviews("acme/shop", 1))); n != 0 {
				t.Errorf("%d reviews were left behind", n)
			}
			if n := len(b.call(200, "GET", pr+"/comments", nil).list()); n != 0 {
				t.Errorf("%d comments were left behind", n)
			}
		})
	}
}

func TestRangeAcrossHunks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var before, after []string
	for i := range 60 {
		before = append(before, fmt.Sprint("line ", i+1))
	}
	after = append(after, before...)
	after[2], after[50] = "changed early", "changed late"
	text := func(l []string) string { return strings.Join(l, "\n") + "\n" }
	need(b.ctl.Commit(t.Context(), "acme/shop", simapi.CommitSpec{Branch: "main", Files: map[string]string{"long.txt": text(before)}}))
	need(b.ctl.Commit(t.Context(), "acme/shop", simapi.CommitSpec{Branch: "long", From: "main", Files: map[string]string{"long.txt": text(after)}}))
	p := need(b.ctl.OpenPull(t.Context(), "acme/shop", simapi.PullSpec{Title: "Long", Head: "long", Author: "bob"}))
	r := b.call(422, "POST", fmt.Sprintf("/repos/acme/shop/pulls/%d/reviews", p.Number), draft(line(51, "path", "long.txt", "start_line", 3)))
	if !strings.Contains(string(r.body), "same hunk") {
		t.Errorf("answer: %s", r.body)
	}
}

func TestReviewTexts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	suggestion := "Use this:\n\n```suggestion\n\treturn 3 // <b>&amp;\n```\n"
	b.call(422, "POST", pr+"/reviews", map[string]any{"body": strings.Repeat("x", 65537), "event": "COMMENT"})
	b.call(422, "POST", pr+"/reviews", map[string]any{"event": "COMMENT"})
	b.call(422, "POST", pr+"/reviews", map[string]any{"event": "MERGE", "body": "x"})
	b.call(422, "POST", pr+"/reviews", map[string]any{"event": "COMMENT", "body": "x", "commit_id": strings.Repeat("a", 40)})
	b.call(422, "POST", pr+"/reviews", map[string]any{"event": "COMMENT", "body": "x", "commit_id": b.pull.BaseSHA})
	b.call(200, "POST", pr+"/reviews", map[string]any{"event": "COMMENT", "body": strings.Repeat("ä", 65536), "commit_id": b.pull.HeadSHA,
		"comments": []any{line(4, "body", suggestion)}})
	got := b.call(200, "GET", pr+"/comments", nil).list()
	if len(got) != 1 || got[0]["body"] != suggestion {
		t.Errorf("the suggestion was changed: %v", got)
	}
}

func TestCommentsFollowTheCode(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.call(200, "POST", pr+"/reviews", map[string]any{"event": "COMMENT", "body": "x", "comments": []any{line(7), line(4)}})
	need(b.ctl.Commit(t.Context(), "acme/shop", simapi.CommitSpec{Branch: "feature", Author: "bob",
		Files: map[string]string{"cart.go": goFile("// Total sums up.", "func Total() int {", "\treturn 5", "}", "", "func Discount() int { return 0 }")}}))
	head := need(b.ctl.GetPull(t.Context(), "acme/shop", 1)).HeadSHA
	got := b.call(200, "GET", pr+"/comments", nil).list()
	if got[0]["line"] != float64(8) || got[0]["original_line"] != float64(7) || got[0]["commit_id"] != head || got[0]["original_commit_id"] != b.pull.HeadSHA {
		t.Errorf("the comment did not move along: line %v, original %v", got[0]["line"], got[0]["original_line"])
	}
	if got[1]["line"] != nil || got[1]["position"] != nil || got[1]["original_line"] != float64(4) {
		t.Errorf("the comment on the changed line is not outdated: %v", got[1]["line"])
	}
	b.call(422, "POST", pr+"/reviews", map[string]any{"event": "COMMENT", "body": "x", "comments": []any{line(70)}})
	b.call(200, "POST", pr+"/reviews", map[string]any{"event": "COMMENT", "body": "old head", "commit_id": b.pull.HeadSHA, "comments": []any{line(4)}})
}
