package codehosttest

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// Run runs the suite. fresh creates a fixture for one test.
func Run(t *testing.T, fresh func(t *testing.T) *Fixture) {
	all := map[string]func(*testing.T, *Fixture){
		"read":                      testRead,
		"absent things":             testAbsent,
		"life of a draft":           byProtocol(testDraft, testDirect, testNote, testMarked),
		"one draft slot":            testSlot,
		"an absent line":            byProtocol(testInvalidLine, testInvalidLine, testNoteNowhere, testNoteNowhere),
		"a body that is too long":   byProtocol(testTooLong, testTooLong, testNoteTooLong, testNoteTooLong),
		"long lists":                testLongLists,
		"merged pull requests":      testMerged,
		"messages of commits":       testMessages,
		"issues of the host":        testIssues,
		"many comments":             testManyComments,
		"checks are upserts":        testChecks,
		"replies":                   testReply,
		"comments are read back":    testComment,
		"threads":                   testThreads,
		"threads are resolved":      testResolve,
		"who closed a thread":       testClosedThreads,
		"reactions":                 testReactions,
		"people":                    testPeople,
		"applied, answer lost":      byProtocol(testLostAnswers, testLostReview, testLostNotes, testLostMarked),
		"not applied, answer lost":  byProtocol(testRefused, testRefused, testNoteRefused, testNoteRefused),
		"limits":                    testLimits,
		"lack of permission":        testDenied,
		"cancelled before the send": testCancelled,
	}
	maps.Copy(all, commitTests)
	maps.Copy(all, triageTests)
	maps.Copy(all, ciTests)
	for name, test := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, fresh(t))
		})
	}
}

func must[T any](t *testing.T) func(v T, err error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func (f *Fixture) draft(body string) codehost.Draft {
	return codehost.Draft{Commit: f.Head, Body: markdown.Stored(body), Comments: []codehost.DraftComment{
		{Path: f.Path, Side: "RIGHT", Line: f.Line, Body: markdown.Const("one line")},
		{Path: f.Path, Side: "RIGHT", StartLine: f.Line - 1, Line: f.Line, Body: markdown.Const("two lines")},
	}}
}

func testRead(t *testing.T, f *Fixture) {
	ctx := t.Context()
	p := must[codehost.PullRequest](t)(f.Host.PullRequest(ctx, f.Repo, f.Number))
	if p.Number != f.Number || p.HeadSHA != f.Head || p.BaseSHA != f.Base || !p.Open || p.Merged || p.Draft || p.FromFork ||
		p.Author != f.Author || p.AuthorIsBot || p.ChangedFiles == 0 || p.UpdatedAt.IsZero() || p.URL == "" {
		t.Errorf("pull request %+v", p)
	}
	renamed := f.Repo // and another repository has its name
	renamed.ExternalID = "987654321"
	if got, err := f.Host.PullRequest(ctx, renamed, f.Number); codehost.ClassOf(err) != codehost.ClassMoved {
		t.Errorf("the pull request of a repository that has the name of another one: %+v, %v", got, err)
	}
	files, complete, err := f.Host.Files(ctx, f.Repo, f.Number)
	if err != nil || !complete || !slices.ContainsFunc(files, func(c codehost.ChangedFile) bool {
		return c.Path == f.Path && (f.Lacks[LackPatches] != "" || c.Patch != "" && c.Additions > 0)
	}) {
		t.Errorf("files %+v, complete %v, err %v", files, complete, err)
	}
	if diff := must[[]byte](t)(f.Host.Diff(ctx, f.Repo, f.Number)); !strings.Contains(string(diff), "+++ b/"+f.Path) {
		t.Errorf("diff %q", diff)
	}
	cmp := must[codehost.Comparison](t)(f.Host.Compare(ctx, f.Repo, f.Base, f.Head))
	if cmp.MergeBase != f.Base || cmp.AheadBy == 0 || cmp.BehindBy != 0 {
		t.Errorf("comparison %+v", cmp)
	}
	if text := must[[]byte](t)(f.Host.Content(ctx, f.Repo, f.Path, f.Head)); string(text) != f.Text {
		t.Errorf("content %q, want %q", text, f.Text)
	}
	access := must[codehost.CloneAccess](t)(f.Host.Clone(ctx, f.Repo))
	if access.URL == "" || strings.Contains(access.URL, "@") || access.Username == "" || access.Token.Reveal() == "" || access.Budget == "" {
		t.Errorf("clone access to %s as %s by the budget %q", access.URL, access.Username, access.Budget)
	}
	if word := must[string](t)(f.Host.Permission(ctx, f.Repo, f.Author)); word != "write" {
		t.Errorf("permission %q", word)
	}
	if open := must[[]codehost.PullRequest](t)(f.Host.OpenPullRequests(ctx, f.Repo)); len(open) != 1 || open[0].HeadSHA != f.Head {
		t.Errorf("open pull requests %+v", open)
	}
}

func testAbsent(t *testing.T, f *Fixture) {
	ctx, other := t.Context(), f.Repo
	other.Name += "-absent"
	calls := map[string]func() error{
		"pull request": func() error { _, err := f.Host.PullRequest(ctx, f.Repo, 9999); return err },
		"files":        func() error { _, _, err := f.Host.Files(ctx, f.Repo, 9999); return err },
		"diff":         func() error { _, err := f.Host.Diff(ctx, f.Repo, 9999); return err },
		"content":      func() error { _, err := f.Host.Content(ctx, f.Repo, "absent/file.go", f.Head); return err },
		"commit":       func() error { _, err := f.Host.Compare(ctx, f.Repo, f.Base, strings.Repeat("0", 39)+"1"); return err },
		"repository":   func() error { _, err := f.Host.OpenPullRequests(ctx, other); return err },
		"review":       func() error { _, err := f.Host.Review(ctx, f.Repo, f.Number, "999999"); return err },
		"submit":       func() error { return f.submit(ctx, "999999") },
		"edit":         func() error { return f.Host.EditReview(ctx, f.Repo, f.Number, "999999", markdown.Const("x")) },
		"edit comment": func() error { return f.Host.EditComment(ctx, f.Repo, "999999", markdown.Const("x")) },
		"edit reply": func() error {
			return f.Host.EditReply(ctx, f.Repo, codehost.Spot{Number: f.Number}, "999999", markdown.Const("x"))
		},
	}
	if host := f.direct(); host != nil { // direct hosts cannot submit
		calls["submit"] = func() error { _, err := host.CreateReview(ctx, f.Repo, 9999, f.draft("x")); return err }
	}
	if host := f.marked(); host != nil {
		calls["submit"] = func() error { _, err := host.Note(ctx, f.Repo, f.Number, "999999"); return err }
	}
	for name, call := range calls {
		if err := call(); codehost.ClassOf(err) != codehost.ClassNotFound {
			t.Errorf("%s: %v, want class not_found", name, err)
		}
	}
	if err := f.drop(ctx, "999999"); err != nil {
		t.Errorf("deleting a deleted review: %v", err)
	}
}

func testDraft(t *testing.T, f *Fixture) {
	ctx := t.Context()
	made := must[codehost.Review](t)(f.Host.CreateDraft(ctx, f.Repo, f.Number, f.draft("hidden body")))
	if made.State != codehost.ReviewPending || made.ID == "" || !made.Mine || made.Commit != f.Head || made.Body != "hidden body" {
		t.Fatalf("created %+v", made)
	}
	list := must[[]codehost.Review](t)(f.Host.Reviews(ctx, f.Repo, f.Number))
	if len(list) != 1 || list[0] != made {
		t.Fatalf("list %+v, want %+v", list, made)
	}
	if got := must[codehost.Review](t)(f.Host.Review(ctx, f.Repo, f.Number, made.ID)); got != made {
		t.Fatalf("read %+v, want %+v", got, made)
	}
	done := must[codehost.Review](t)(f.Host.SubmitDraft(ctx, f.Repo, f.Number, made.ID, markdown.Const("hidden body")))
	if done.ID != made.ID || done.State != codehost.ReviewSubmitted || !done.Mine || done.URL == "" {
		t.Fatalf("submitted %+v", done)
	}
	if _, err := f.Host.SubmitDraft(ctx, f.Repo, f.Number, made.ID,
		markdown.Const("hidden body")); codehost.ClassOf(err) != codehost.ClassInvalid {
		t.Errorf("submitting twice: %v, want class invalid", err)
	}
	if err := f.Host.DeleteDraft(ctx, f.Repo, f.Number, made.ID); err == nil {
		t.Error("a submitted review was deleted")
	}
	f.testEdits(t, made.ID)
}

// testEdits replaces the texts of a review and of one of its comments.
func (f *Fixture) testEdits(t *testing.T, review domain.HostID) {
	t.Helper()
	ctx := t.Context()
	if err := f.Host.EditReview(ctx, f.Repo, f.Number, review, markdown.Const("new body")); err != nil {
		t.Fatal(err)
	}
	comments := must[[]codehost.Comment](t)(f.Host.ReviewComments(ctx, f.Repo, f.Number, review))
	if len(comments) != 2 || comments[0].Body != "one line" || comments[0].Path != f.Path || comments[0].Line != f.Line ||
		!comments[0].Mine || comments[1].Review != review {
		t.Fatalf("comments %+v", comments)
	}
	if err := f.Host.EditComment(ctx, f.Repo, comments[0].ID, markdown.Const("resolved")); err != nil {
		t.Fatal(err)
	}
	comments = must[[]codehost.Comment](t)(f.Host.ReviewComments(ctx, f.Repo, f.Number, review))
	list := must[[]codehost.Review](t)(f.Host.Reviews(ctx, f.Repo, f.Number))
	if comments[0].Body != "resolved" || len(list) != 1 || f.body(list[0]) != "new body" || list[0].State != codehost.ReviewSubmitted {
		t.Fatalf("after the edits: %+v, %+v", comments[0], list)
	}
}

func testSlot(t *testing.T, f *Fixture) {
	ctx := t.Context()
	if !f.Host.Capabilities().OneDraftSlot {
		t.Skip("the host allows several drafts")
	}
	first := must[codehost.Review](t)(f.Host.CreateDraft(ctx, f.Repo, f.Number, f.draft("first")))
	if _, err := f.Host.CreateDraft(ctx, f.Repo, f.Number, f.draft("second")); codehost.ClassOf(err) != codehost.ClassSlotTaken {
		t.Fatalf("second draft: %v", err)
	}
	if err := f.Host.DeleteDraft(ctx, f.Repo, f.Number, first.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Host.Review(ctx, f.Repo, f.Number, first.ID); codehost.ClassOf(err) != codehost.ClassNotFound {
		t.Fatalf("deleted draft: %v", err)
	}
	must[codehost.Review](t)(f.Host.CreateDraft(ctx, f.Repo, f.Number, f.draft("second")))
}

func testInvalidLine(t *testing.T, f *Fixture) {
	ctx := t.Context()
	d := f.draft("body")
	d.Comments = append(d.Comments, codehost.DraftComment{Path: f.Path, Side: "RIGHT", Line: 99999, Body: markdown.Const("nowhere")})
	if _, err := f.create(ctx, d); codehost.ClassOf(err) != codehost.ClassInvalid {
		t.Fatalf("err = %v", err)
	} else if e, _ := errors.AsType[*codehost.Error](err); e.Message == "" || (e.Status == 0) == f.Host.Capabilities().AtomicCreate {
		// The adapter must refuse before a request if the host would leave a part of the review.
		t.Errorf("the error does not say the cause: %+v", e)
	}
	if list := must[[]codehost.Review](t)(f.Host.Reviews(ctx, f.Repo, f.Number)); len(list) != 0 {
		t.Fatalf("the refused draft left %+v", list)
	}
}

func testTooLong(t *testing.T, f *Fixture) {
	limit := f.Host.Capabilities().MaxBody
	if limit == 0 {
		t.Skip("the host has no limit")
	}
	d := codehost.Draft{Commit: f.Head, Body: markdown.Stored(strings.Repeat("é", limit+1))}
	if _, err := f.create(t.Context(), d); codehost.ClassOf(err) != codehost.ClassTooLarge {
		t.Fatalf("err = %v", err)
	}
}

func testLongLists(t *testing.T, f *Fixture) {
	ctx := t.Context()
	f.Foreign(230)
	made := f.begin(t, "mine")
	list := must[[]codehost.Review](t)(f.Host.Reviews(ctx, f.Repo, f.Number))
	var mine []domain.HostID
	for _, r := range list {
		if r.Mine {
			mine = append(mine, r.ID)
		}
	}
	if len(list) != 231 || len(mine) != 1 || mine[0] != made {
		t.Fatalf("%d reviews, of them mine %v", len(list), mine)
	}
	f.MorePull(120)
	open := must[[]codehost.PullRequest](t)(f.Host.OpenPullRequests(ctx, f.Repo))
	seen := map[int]bool{}
	for _, p := range open {
		seen[p.Number] = true
	}
	if len(open) != 121 || len(seen) != 121 {
		t.Fatalf("%d open pull requests, %d different", len(open), len(seen))
	}
}

func testChecks(t *testing.T, f *Fixture) {
	if f.Host.Capabilities().Outcome != codehost.OutcomeCheck {
		testStatuses(t, f)
		return
	}
	ctx := t.Context()
	c := codehost.Check{ExternalID: "run_1", Name: "assay", HeadSHA: f.Head, Status: "in_progress", Title: markdown.Const("Reviewing"),
		Summary: markdown.Const("…")}
	if ids := must[[]string](t)(f.Host.FindChecks(ctx, f.Repo, c)); len(ids) != 0 {
		t.Fatalf("found %v before anything was made", ids)
	}
	id := must[string](t)(f.Host.CreateCheck(ctx, f.Repo, c))
	for _, step := range []func(){
		func() {},
		func() { c.Title = markdown.Const("Still reviewing") },
		func() {
			c.Status, c.Conclusion, c.Title, c.Summary = "completed", "failure", markdown.Const("2 findings"), markdown.Const("Two findings.")
		},
		func() { c.Summary = markdown.Const("Said again.") },
	} {
		step()
		if err := f.Host.UpdateCheck(ctx, f.Repo, id, c); err != nil {
			t.Fatal(err)
		}
		if got := f.Checks(); len(got) != 1 || got[0] != c {
			t.Fatalf("check runs %+v, want one %+v", got, c)
		}
	}
	twin := must[string](t)(f.Host.CreateCheck(ctx, f.Repo, c))
	if ids := must[[]string](t)(f.Host.FindChecks(ctx, f.Repo, c)); len(ids) != 2 || ids[0] != twin || ids[1] != id {
		t.Fatalf("found %v, want the newest first: %s, %s", ids, twin, id)
	}
	c.ExternalID = "run_2"
	if ids := must[[]string](t)(f.Host.FindChecks(ctx, f.Repo, c)); len(ids) != 0 {
		t.Fatalf("found %v of another run", ids)
	}
}

func testReply(t *testing.T, f *Fixture) {
	ctx, before := t.Context(), time.Now().Add(-time.Minute)
	review := f.publish(t, f.draft("a review"))
	thread := must[[]codehost.Comment](t)(f.Host.ReviewComments(ctx, f.Repo, f.Number, review))[0].ID
	for i, at := range []codehost.Spot{{Number: f.Number}, {Number: f.Number, Thread: thread}} {
		if at.Thread != "" && f.lacks(t, LackThreadReplies) {
			return
		}
		body := []string{"In the conversation.", "In the thread."}[i]
		c := must[codehost.Comment](t)(f.Host.Reply(ctx, f.Repo, at, markdown.Stored(body)))
		if c.ID == "" || c.Body != body || !c.Mine {
			t.Fatalf("reply %+v", c)
		}
		list := must[[]codehost.Comment](t)(f.Host.Replies(ctx, f.Repo, at, before))
		if len(list) != 1 || list[0].ID != c.ID || list[0].Body != body || !list[0].Mine {
			t.Fatalf("%s: listed %+v", body, list)
		}
	}
	if _, err := f.Host.Reply(ctx, f.Repo, codehost.Spot{Number: f.Number, Thread: "999999"},
		markdown.Const("x")); codehost.ClassOf(err) != codehost.ClassNotFound {
		t.Errorf("a thread that is not there: %v", err)
	}
}
