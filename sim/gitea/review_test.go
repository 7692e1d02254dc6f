package gitea_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/sim/gitea"
	"github.com/assay-dev/assay/sim/gitea/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

func TestDraftAndSubmit(t *testing.T) {
	t.Parallel()
	b := setup(t, gitea.Options{})
	old := map[string]any{"path": "old.txt", "old_position": 2, "body": "Gone."}
	id := b.call(200, "POST", pr+"/reviews", draft("PENDING", line(4), line(7), old)).id()
	one := fmt.Sprintf("%s/reviews/%d", pr, id)
	if got := b.settle(); strings.Contains(events(got), "review") {
		t.Errorf("a pending review sent events: %s", events(got))
	}
	if n := len(b.callAs(b.bob, 200, "GET", pr+"/reviews", nil).list()); n != 0 {
		t.Errorf("the author sees %d pending reviews", n)
	}
	b.callAs(b.bob, 404, "GET", one, nil)
	places := map[string]bool{}
	for _, c := range b.call(200, "GET", one+"/comments", nil).list() {
		places[fmt.Sprint(c["path"], " ", c["position"], " ", c["original_position"])] = true
	}
	if !places["cart.go 4 0"] || !places["cart.go 7 0"] || !places["old.txt 0 2"] {
		t.Errorf("places: %v", places)
	}
	b.call(422, "POST", one, map[string]any{"event": "COMMENT"})
	b.call(422, "POST", one, map[string]any{"event": "PENDING", "body": "x"})
	if r := b.call(200, "POST", one, map[string]any{"event": "COMMENT", "body": "Final"}).object(); r["state"] != "COMMENT" || r["body"] != "Final" || r["commit_id"] != b.pull.HeadSHA {
		t.Errorf("submitted: %v", r)
	}
	got := b.settle()
	if events(got) != "pull_request_review_comment reviewed" {
		t.Fatalf("events: %s", events(got))
	}
	about := got[0].object()["review"].(map[string]any)
	if len(about) != 2 || about["type"] != "pull_request_review_comment" || about["content"] != "Final" || got[0].header.Get("X-Gitea-Event") != "pull_request_comment" {
		t.Errorf("review of the event: %v", about)
	}
	b.call(422, "POST", one, map[string]any{"event": "COMMENT", "body": "Again"})
	b.callAs(b.bob, 403, "DELETE", one, nil)
	b.call(204, "DELETE", one, nil)
	if len(b.reviews()) != 0 {
		t.Error("a submitted review was not removed")
	}
}

// TestHalfWritten proves that a failed review leaves its first comments, and that the next one takes them over.
func TestHalfWritten(t *testing.T) {
	t.Parallel()
	b := setup(t, gitea.Options{})
	if r := b.call(500, "POST", pr+"/reviews", draft("COMMENT", line(4), line(9999), line(7))); r.object()["message"] != "" {
		t.Errorf("answer: %s", r.body)
	}
	left := b.reviews()
	if len(left) != 1 || left[0].State != "PENDING" || left[0].Body != "" || len(left[0].Comments) != 1 || left[0].Comments[0].Line != 4 {
		t.Fatalf("left: %+v", left)
	}
	b.seen(0)
	b.call(200, "POST", pr+"/reviews", draft("COMMENT", line(7)))
	if all := b.reviews(); len(all) != 1 || len(all[0].Comments) != 2 || all[0].State != "COMMENT" {
		t.Errorf("absorbed: %+v", all)
	}
	b.call(200, "POST", pr+"/reviews", draft("COMMENT", line(7)))
	if all := b.reviews(); len(all) != 2 {
		t.Errorf("the host deduplicates: %+v", all)
	}
	b.seen(2)
}

// TestPlacesThatAreNotThere compares with the answers of a real Gitea 1.26.4 and of a Forgejo of
// December 2024.
func TestPlacesThatAreNotThere(t *testing.T) {
	t.Parallel()
	nowhere := map[string]any{"path": "none.go", "new_position": 1, "body": "x"}
	before := map[string]any{"path": "cart.go", "old_position": 3, "body": "x"}
	for name, tc := range map[string]struct {
		comment       map[string]any
		commit        string
		gitea, forgej int
		left          int // comments of the draft that Gitea keeps
	}{
		"a line":        {line(9999), "", 500, 200, 0},
		"a path":        {nowhere, "", 200, 200, 1},
		"the old side":  {before, "", 200, 200, 1},
		"a commit":      {line(4), strings.Repeat("0", 39) + "1", 500, 200, 0},
		"a commit only": {nil, strings.Repeat("0", 40), 200, 200, 0},
	} {
		for forgejo, status := range map[bool]int{false: tc.gitea, true: tc.forgej} {
			b := setup(t, gitea.Options{Forgejo: forgejo})
			in := draft("PENDING")
			if tc.comment != nil {
				in = draft("PENDING", tc.comment)
			}
			if tc.commit != "" {
				in["commit_id"] = tc.commit
			}
			b.call(status, "POST", pr+"/reviews", in)
			want := tc.left
			if forgejo && tc.comment != nil {
				want = 1
			}
			if all := b.reviews(); len(all) != 1 || all[0].State != "PENDING" || len(all[0].Comments) != want {
				t.Errorf("%s, forgejo %v: left %+v, want a draft with %d comments", name, forgejo, all, want)
			}
		}
	}
}

// TestPageAndMails: a draft is on the page and is mailed, and a second time when it is submitted. A
// review created by one call appears once. Only Gitea removes the comment of a draft.
func TestPageAndMails(t *testing.T) {
	t.Parallel()
	for _, forgejo := range []bool{false, true} {
		b := setup(t, gitea.Options{Forgejo: forgejo})
		b.call(422, "POST", pr+"/reviews", map[string]any{"event": "PENDING", "comments": []any{line(4)}})
		b.seen(0)
		made := b.call(200, "POST", pr+"/reviews", draft("PENDING", line(4))).object()
		b.seen(1)
		_, shown, _ := strings.Cut(made["html_url"].(string), "#issuecomment-")
		b.call(204, "DELETE", repo+"/issues/comments/"+shown, nil)
		left := 0
		if forgejo {
			left = 1
		}
		if got := need(b.ctl.Shown(t.Context(), "acme/shop", 1, "robot")); len(got) != left {
			t.Errorf("forgejo %v: after the deletion the page has %q", forgejo, got)
		}
		b.call(200, "POST", fmt.Sprintf("%s/reviews/%d", pr, int64(made["id"].(float64))), map[string]any{"event": "COMMENT", "body": "Final"})
		if got := need(b.ctl.Shown(t.Context(), "acme/shop", 1, "robot")); len(got) != left+1 {
			t.Errorf("forgejo %v: the page has %q", forgejo, got)
		}
		if got := need(b.ctl.Mails(t.Context(), "acme/shop", 1)); len(got) != 2 || got[0].State != "PENDING" || got[1].State != "COMMENT" {
			t.Errorf("forgejo %v: mails %+v", forgejo, got)
		}
		comment := b.reviews()[0].Comments[0].ID
		b.call(204, "DELETE", fmt.Sprintf("%s/issues/comments/%d", repo, comment), nil)
		if n := len(b.reviews()[0].Comments); n != left {
			t.Errorf("forgejo %v: %d comments on lines after the deletion", forgejo, n)
		}

		b = setup(t, gitea.Options{Forgejo: forgejo})
		b.call(200, "POST", pr+"/reviews", draft("COMMENT", line(4), line(7)))
		b.seen(1)
	}
}

// seen checks how often reviews of the machine account are on the page and were mailed.
func (b *bundle) seen(n int) {
	b.t.Helper()
	shown, mails := need(b.ctl.Shown(b.t.Context(), "acme/shop", 1, "robot")), need(b.ctl.Mails(b.t.Context(), "acme/shop", 1))
	if len(shown) != n || len(mails) != n {
		b.t.Errorf("the page has %q and %+v were mailed, want %d of each", shown, mails, n)
	}
}

func TestEventsOfReviews(t *testing.T) {
	t.Parallel()
	b := setup(t, gitea.Options{})
	b.settle()
	for _, state := range []string{"APPROVED", "REQUEST_CHANGES"} {
		b.callAs(b.bob, 422, "POST", pr+"/reviews", draft(state))
		b.call(200, "POST", pr+"/reviews", draft(state))
	}
	b.call(422, "POST", pr+"/reviews", map[string]any{"event": "COMMENT"})
	b.call(422, "POST", pr+"/reviews", map[string]any{"event": "PENDING", "comments": []any{line(4)}})
	b.call(200, "POST", pr+"/reviews", map[string]any{"event": "COMMENT", "comments": []any{line(4)}})
	want := "pull_request_review_approved reviewed, pull_request_review_rejected reviewed, pull_request_review_comment reviewed"
	if got := b.settle(); events(got) != want {
		t.Errorf("events: %s", events(got))
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	for _, forgejo := range []bool{false, true} {
		b := setup(t, gitea.Options{Forgejo: forgejo})
		b.call(200, "POST", pr+"/reviews", draft("COMMENT", line(4)))
		b.settle()
		path := fmt.Sprintf("%s/pulls/comments/%d/resolve", repo, b.reviews()[0].Comments[0].ID)
		b.call(map[bool]int{false: 204, true: 404}[forgejo], "POST", path, nil)
		if b.reviews()[0].Comments[0].Resolved == forgejo || len(b.settle()) != 0 {
			t.Errorf("forgejo %v: %+v", forgejo, b.reviews())
		}
	}
}

func TestDoubts(t *testing.T) {
	t.Parallel()
	b := setup(t, gitea.Options{})
	on := func(d simapi.Doubt) {
		t.Helper()
		must(t, b.ctl.Configure(t.Context(), simapi.Settings{Doubts: map[simapi.Doubt]bool{d: true}}))
	}
	readme := map[string]any{"path": "README.md", "new_position": 1, "body": "Not in the diff."}
	b.call(200, "POST", pr+"/reviews", draft("COMMENT", readme))
	on(simapi.OutsideDiff)
	b.call(500, "POST", pr+"/reviews", draft("COMMENT", readme))
	on(simapi.OneSlot)
	b.call(422, "POST", pr+"/reviews", draft("COMMENT", line(4)))
	b.call(204, "DELETE", fmt.Sprintf("%s/reviews/%d", pr, b.reviews()[1].ID), nil)
	on(simapi.AtomicReview)
	b.call(422, "POST", pr+"/reviews", draft("COMMENT", line(4), line(99)))
	if n := len(b.reviews()); n != 1 {
		t.Errorf("%d reviews", n)
	}
	on(simapi.SubmitKeepsBody)
	id := b.call(200, "POST", pr+"/reviews", draft("PENDING", line(4))).id()
	if r := b.call(200, "POST", fmt.Sprintf("%s/reviews/%d", pr, id), map[string]any{"event": "COMMENT"}).object(); r["body"] != "Summary <!-- marker -->" {
		t.Errorf("submitted: %v", r)
	}
	root := b.reviews()[1].Comments[0].ID
	reply := fmt.Sprintf("%s/comments/%d/replies", pr, root)
	b.call(404, "POST", reply, map[string]any{"body": "Yes."})
	on(simapi.Replies)
	b.call(201, "POST", reply, map[string]any{"body": "Yes."})
	need(b.ctl.Reply(t.Context(), "acme/shop", 1, shared.ReplySpec{Comment: root, Author: "bob", Body: "No."}))
	if c := b.reviews()[1].Comments; len(c) != 3 || c[2].User != "bob" || c[2].ReviewID != id {
		t.Errorf("replies: %+v", c)
	}
	if err := b.ctl.Configure(t.Context(), simapi.Settings{Doubts: map[simapi.Doubt]bool{"nonsense": true}}); err == nil {
		t.Error("accepted an unknown doubt")
	}
	if _, err := simapi.Doubts().Parse([]string{"one-slot"}); err == nil {
		t.Error("took a doubt without a position")
	}
	if list := need(simapi.Doubts().Parse([]string{"one-slot=on", "replies=on", "replies=off"})); len(list) != 1 || list[0] != simapi.OneSlot {
		t.Errorf("doubts: %v", list)
	}
}

// TestForgejoComments: comments are added to a pending review one by one.
func TestForgejoComments(t *testing.T) {
	t.Parallel()
	b := setup(t, gitea.Options{Forgejo: true})
	id := b.call(200, "POST", pr+"/reviews", draft("PENDING")).id()
	path := fmt.Sprintf("%s/reviews/%d/comments", pr, id)
	made := b.call(200, "POST", path, line(4)).id()
	one := fmt.Sprintf("%s/%d", path, made)
	b.call(200, "GET", one, nil)
	b.call(204, "DELETE", one, nil)
	b.call(404, "GET", one, nil)
	if v := b.call(200, "GET", "/version", nil).object()["version"]; v != "10.0.0+gitea-1.22.0" {
		t.Errorf("version: %v", v)
	}
}

func TestPersonsReview(t *testing.T) {
	t.Parallel()
	b := setup(t, gitea.Options{})
	b.settle()
	rv := need(b.ctl.Review(t.Context(), "acme/shop", 1, simapi.ReviewSpec{Author: "ada", Body: "Fine.", State: "APPROVED", Comments: []simapi.InlineSpec{{Path: "cart.go", NewLine: 4, Body: "Why?"}}}))
	if rv.State != "APPROVED" || len(rv.Comments) != 1 || rv.User != "ada" {
		t.Errorf("review: %+v", rv)
	}
	if got := b.settle(); events(got) != "pull_request_review_approved reviewed" {
		t.Errorf("events: %s", events(got))
	}
	must(t, b.ctl.EditComment(t.Context(), "acme/shop", rv.Comments[0].ID, shared.EditSpec{Actor: "ada", Resolve: new(bool)}))
	said := need(b.ctl.Comment(t.Context(), "acme/shop", 1, shared.CommentSpec{Author: "bob", Body: "/assay review"}))
	must(t, b.ctl.EditComment(t.Context(), "acme/shop", said.ID, shared.EditSpec{Actor: "ada", Body: "/assay stop"}))
	must(t, b.ctl.EditComment(t.Context(), "acme/shop", said.ID, shared.EditSpec{Actor: "ada", Delete: true}))
	got := b.settle()
	if events(got) != "pull_request_comment created, pull_request_comment edited, pull_request_comment deleted" || got[0].header.Get("X-Gitea-Event") != "issue_comment" || got[0].object()["is_pull"] != true {
		t.Errorf("events: %s", events(got))
	}
}
