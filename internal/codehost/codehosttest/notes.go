package codehosttest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// byProtocol returns the test that fits the host: for reviews that are drafts first, for reviews that one
// write makes visible, for comments published one by one, or for comments written one by one.
func byProtocol(draft, direct, notes, marked func(*testing.T, *Fixture)) func(*testing.T, *Fixture) {
	return func(t *testing.T, f *Fixture) {
		t.Helper()
		switch {
		case f.marked() != nil:
			marked(t, f)
		case f.notes() != nil:
			notes(t, f)
		case f.direct() != nil:
			direct(t, f)
		default:
			draft(t, f)
		}
	}
}

// direct returns the host's DirectReviewer, or nil.
func (f *Fixture) direct() codehost.DirectReviewer { return codehost.DirectOf(f.Host) }

// create makes a review as one object: a draft, or a visible review on hosts without drafts.
func (f *Fixture) create(ctx context.Context, d codehost.Draft) (codehost.Review, error) {
	if host := f.direct(); host != nil {
		return host.CreateReview(ctx, f.Repo, f.Number, d)
	}
	return f.Host.CreateDraft(ctx, f.Repo, f.Number, d)
}

// notes returns the host's NoteByNote, or nil.
func (f *Fixture) notes() codehost.NoteByNote { return codehost.NotesOf(f.Host) }

// note makes a draft of a comment, or a visible comment on hosts without drafts.
func (f *Fixture) note(ctx context.Context, number int, commit string, c codehost.DraftComment) (err error) {
	if m := f.marked(); m != nil {
		_, err = m.CreateNote(ctx, f.Repo, number, commit, c)
	} else {
		_, err = f.notes().DraftNote(ctx, f.Repo, number, commit, c)
	}
	return err
}

// summary returns a comment of the conversation.
func summary(body string) codehost.DraftComment {
	return codehost.DraftComment{Body: markdown.Stored(body)}
}

// prepare makes a draft of a review or of a conversation comment, or a visible review on hosts without
// drafts.
func (f *Fixture) prepare(ctx context.Context, body string) error {
	if f.notes() != nil || f.marked() != nil {
		return f.note(ctx, f.Number, f.Head, summary(body))
	}
	_, err := f.create(ctx, f.draft(body))
	return err
}

// submit publishes a draft of a review or of one comment.
func (f *Fixture) submit(ctx context.Context, id domain.HostID) error {
	if n := f.notes(); n != nil {
		return n.PublishNote(ctx, f.Repo, f.Number, id)
	}
	_, err := f.Host.SubmitDraft(ctx, f.Repo, f.Number, id, markdown.Const("x"))
	return err
}

// drop deletes a draft of a review or of one comment, or a review or comment on hosts without drafts.
func (f *Fixture) drop(ctx context.Context, id domain.HostID) error {
	if m := f.marked(); m != nil {
		return m.DeleteNote(ctx, f.Repo, f.Number, id)
	}
	if n := f.notes(); n != nil {
		return n.DeleteNoteDraft(ctx, f.Repo, f.Number, id)
	}
	if d := f.direct(); d != nil {
		return d.DeleteReview(ctx, f.Repo, f.Number, id)
	}
	return f.Host.DeleteDraft(ctx, f.Repo, f.Number, id)
}

// left returns the number of reviews, of drafts of comments, or of comments of ours.
func (f *Fixture) left(t *testing.T) int {
	t.Helper()
	if m := f.marked(); m != nil {
		return len(slices.DeleteFunc(must[[]codehost.Comment](t)(m.Notes(t.Context(), f.Repo, f.Number)), notOurs))
	}
	if n := f.notes(); n != nil {
		return len(must[[]codehost.NoteDraft](t)(n.NoteDrafts(t.Context(), f.Repo, f.Number)))
	}
	return len(must[[]codehost.Review](t)(f.Host.Reviews(t.Context(), f.Repo, f.Number)))
}

// begin creates an object that [codehost.Publisher.Reviews] lists as ours: a draft, a visible review, or a
// visible conversation comment.
func (f *Fixture) begin(t *testing.T, body string) domain.HostID {
	t.Helper()
	if f.notes() != nil || f.marked() != nil {
		return must[codehost.Comment](t)(f.Host.Reply(t.Context(), f.Repo, codehost.Spot{Number: f.Number}, markdown.Stored(body))).ID
	}
	return must[codehost.Review](t)(f.create(t.Context(), f.draft(body))).ID
}

// publish makes a review visible on any host. On hosts without review objects it publishes only the
// comments, without the body, and returns "".
func (f *Fixture) publish(t *testing.T, d codehost.Draft) domain.HostID {
	t.Helper()
	ctx, n := t.Context(), f.notes()
	if m := f.marked(); m != nil {
		for _, c := range d.Comments {
			must[codehost.Comment](t)(m.CreateNote(ctx, f.Repo, f.Number, d.Commit, c))
		}
		return ""
	}
	if n == nil {
		made := must[codehost.Review](t)(f.create(ctx, d))
		if made.State == codehost.ReviewPending {
			must[codehost.Review](t)(f.Host.SubmitDraft(ctx, f.Repo, f.Number, made.ID, d.Body))
		}
		return made.ID
	}
	for _, c := range d.Comments {
		made := must[codehost.NoteDraft](t)(n.DraftNote(ctx, f.Repo, f.Number, d.Commit, c))
		if err := n.PublishNote(ctx, f.Repo, f.Number, made.ID); err != nil {
			t.Fatal(err)
		}
	}
	return ""
}

// testNote prepares hidden comments, publishes them by their ids, finds them and edits them.
func testNote(t *testing.T, f *Fixture) {
	ctx, n := t.Context(), f.notes()
	d := f.draft("hidden body")
	body := must[codehost.NoteDraft](t)(n.DraftNote(ctx, f.Repo, f.Number, f.Head, summary("hidden body")))
	one := must[codehost.NoteDraft](t)(n.DraftNote(ctx, f.Repo, f.Number, f.Head, d.Comments[0]))
	two := must[codehost.NoteDraft](t)(n.DraftNote(ctx, f.Repo, f.Number, f.Head, d.Comments[1]))
	spare := must[codehost.NoteDraft](t)(n.DraftNote(ctx, f.Repo, f.Number, f.Head, d.Comments[1]))
	if one.Path != f.Path || one.Side != "RIGHT" || one.Line != f.Line || one.Commit != f.Head || one.Body != "one line" ||
		body.Path != "" || body.Line != 0 || body.Commit != "" {
		t.Errorf("drafts %+v, %+v", body, one)
	}
	if list := must[[]codehost.NoteDraft](t)(n.NoteDrafts(ctx, f.Repo, f.Number)); !slices.Equal(list,
		[]codehost.NoteDraft{body, one, two, spare}) {
		t.Fatalf("drafts %+v", list)
	}
	for range 2 {
		if err := n.DeleteNoteDraft(ctx, f.Repo, f.Number, spare.ID); err != nil {
			t.Fatal(err)
		}
		isClass(t, "a deleted draft", n.EditNoteDraft(ctx, f.Repo, f.Number, spare.ID, markdown.Const("new")), codehost.ClassNotFound)
		if err := n.EditNoteDraft(ctx, f.Repo, f.Number, body.ID, markdown.Const("edited body")); err != nil {
			t.Fatal(err)
		}
	}
	if list := must[[]codehost.NoteDraft](t)(n.NoteDrafts(ctx, f.Repo, f.Number)); list[0].ID != body.ID ||
		list[0].Body != "edited body" || list[0].Path != "" {
		t.Fatalf("after the edit: %+v", list[0])
	}
	if visible := must[[]codehost.Comment](t)(n.Notes(ctx, f.Repo, f.Number)); len(visible) != 0 {
		t.Fatalf("visible before they were published: %+v", visible)
	}
	if f.Host.Capabilities().AbsorbsDrafts {
		f.testPublishedTogether(t, one.ID, body.ID)
	} else {
		f.testPublishedOneByOne(t, one.ID, body.ID, two)
	}
	comments := must[[]codehost.Comment](t)(f.Host.ReviewComments(ctx, f.Repo, f.Number, ""))
	if len(comments) != 2 || comments[0].Body != "one line" || comments[0].Path != f.Path || comments[0].Line != f.Line ||
		!comments[0].Mine || comments[0].URL == "" {
		t.Fatalf("comments %+v", comments)
	}
	list := must[[]codehost.Review](t)(f.Host.Reviews(ctx, f.Repo, f.Number))
	if len(list) != 1 || list[0].Body != "edited body" || !list[0].Mine || list[0].State != codehost.ReviewSubmitted || list[0].URL == "" {
		t.Fatalf("the summary: %+v", list)
	}
	if err := f.Host.EditReview(ctx, f.Repo, f.Number, list[0].ID, markdown.Const("new body")); err != nil {
		t.Fatal(err)
	}
	if err := f.Host.EditComment(ctx, f.Repo, comments[0].ID, markdown.Const("resolved")); err != nil {
		t.Fatal(err)
	}
	comments = must[[]codehost.Comment](t)(f.Host.ReviewComments(ctx, f.Repo, f.Number, ""))
	if got := must[codehost.Review](t)(f.Host.Review(ctx, f.Repo, f.Number, list[0].ID)); got.Body != "new body" ||
		comments[0].Body != "resolved" {
		t.Errorf("after the edits: %+v, %+v", got, comments[0])
	}
	_, err := f.Host.Review(ctx, f.Repo, f.Number, comments[0].ID)
	isClass(t, "an inline comment as the summary", err, codehost.ClassNotFound)
	_, err = f.Host.CreateDraft(ctx, f.Repo, f.Number, d)
	isClass(t, "a review as one object", err, codehost.ClassInvalid)
}

// testPublishedOneByOne publishes drafts by their ids, and leaves the others.
func (f *Fixture) testPublishedOneByOne(t *testing.T, one, body domain.HostID, two codehost.NoteDraft) {
	t.Helper()
	ctx, n := t.Context(), f.notes()
	for i, id := range []domain.HostID{one, body} {
		if err := n.PublishNote(ctx, f.Repo, f.Number, id); err != nil {
			t.Fatal(err)
		}
		if visible := must[[]codehost.Comment](t)(n.Notes(ctx, f.Repo, f.Number)); len(visible) != i+1 {
			t.Fatalf("after %d of them were published: %+v", i+1, visible)
		}
		isClass(t, "published twice", n.PublishNote(ctx, f.Repo, f.Number, id), codehost.ClassNotFound)
	}
	if list := must[[]codehost.NoteDraft](t)(n.NoteDrafts(ctx, f.Repo, f.Number)); len(list) != 1 || list[0] != two {
		t.Fatalf("left: %+v, want the unpublished one", list)
	}
	if err := n.PublishNote(ctx, f.Repo, f.Number, two.ID); err != nil {
		t.Fatal(err)
	}
}

// testPublishedTogether publishes one draft on a host that then publishes all of the account.
func (f *Fixture) testPublishedTogether(t *testing.T, one, body domain.HostID) {
	t.Helper()
	ctx, n := t.Context(), f.notes()
	if err := n.PublishNote(ctx, f.Repo, f.Number, one); err != nil {
		t.Fatal(err)
	}
	if visible := must[[]codehost.Comment](t)(n.Notes(ctx, f.Repo, f.Number)); len(visible) != 3 {
		t.Fatalf("after one of them was published: %+v", visible)
	}
	for _, id := range []domain.HostID{one, body} {
		isClass(t, "published twice", n.PublishNote(ctx, f.Repo, f.Number, id), codehost.ClassNotFound)
	}
	if left := f.left(t); left != 0 {
		t.Fatalf("%d drafts are left", left)
	}
}

func testNoteNowhere(t *testing.T, f *Fixture) {
	ctx := t.Context()
	at := codehost.DraftComment{Path: f.Path, Side: "RIGHT", Line: 99999, Body: markdown.Const("nowhere")}
	for what, change := range map[string]func(*codehost.DraftComment){
		"a line beyond the end": func(*codehost.DraftComment) {},
		"an unknown file":       func(c *codehost.DraftComment) { c.Path = "none.go" },
		"no side":               func(c *codehost.DraftComment) { c.Side = "" },
		"a path that climbs":    func(c *codehost.DraftComment) { c.Path = "../x" },
		"no text":               func(c *codehost.DraftComment) { c.Body = markdown.Text{} },
		"a line without a path": func(c *codehost.DraftComment) { c.Path = "" },
	} {
		c := at
		change(&c)
		err := f.note(ctx, f.Number, f.Head, c)
		isClass(t, what, err, codehost.ClassInvalid)
		if err != nil && !strings.Contains(err.Error(), ": ") {
			t.Errorf("%s: the error does not say the cause: %v", what, err)
		}
	}
	at.Line = f.Line
	isClass(t, "a commit that is not there", f.note(ctx, f.Number, strings.Repeat("0", 39)+"1", at), codehost.ClassInvalid)
	isClass(t, "a pull request that is not there", f.note(ctx, 9999, f.Head, at), codehost.ClassNotFound)
	if left := f.left(t); left != 0 {
		t.Errorf("%d drafts or comments are left", left)
	}
}

func testNoteTooLong(t *testing.T, f *Fixture) {
	able := f.Host.Capabilities()
	f.Gate.Reset()
	err := f.note(t.Context(), f.Number, f.Head, summary(strings.Repeat("é", able.MaxBody+1)))
	isClass(t, "a summary", err, codehost.ClassTooLarge)
	err = f.note(t.Context(), f.Number, f.Head, codehost.DraftComment{Path: f.Path, Side: "RIGHT", Line: f.Line,
		Body: markdown.Stored(strings.Repeat("é", able.MaxComment+1))})
	isClass(t, "a comment", err, codehost.ClassTooLarge)
	if events := f.Gate.Events(); len(events) != 0 {
		t.Errorf("the host got requests: %+v", events)
	}
}

// testLostNotes finds a draft whose answer was lost by its text, and a comment whose publication had no
// answer among the visible comments.
func testLostNotes(t *testing.T, f *Fixture) {
	ctx, n := t.Context(), f.notes()
	f.Fault(ApplyThen500)
	isClass(t, "create", f.prepare(ctx, "lost and found"), codehost.ClassAmbiguous)
	list := must[[]codehost.NoteDraft](t)(n.NoteDrafts(ctx, f.Repo, f.Number))
	if len(list) != 1 || list[0].Body != "lost and found" {
		t.Fatalf("the lost draft is not found: %+v", list)
	}
	f.Fault(ApplyThenReset)
	isClass(t, "publish", n.PublishNote(ctx, f.Repo, f.Number, list[0].ID), codehost.ClassAmbiguous)
	if left := f.left(t); left != 0 {
		t.Errorf("%d drafts after the lost publication", left)
	}
	if visible := must[[]codehost.Comment](t)(n.Notes(ctx, f.Repo, f.Number)); len(visible) != 1 ||
		visible[0].Body != "lost and found" || !visible[0].Mine {
		t.Errorf("visible %+v", visible)
	}
	second := must[codehost.NoteDraft](t)(n.DraftNote(ctx, f.Repo, f.Number, f.Head, summary("not sent")))
	f.Fault(Refuse)
	isClass(t, "publish that did not arrive", n.PublishNote(ctx, f.Repo, f.Number, second.ID), codehost.ClassAmbiguous)
	if left := f.left(t); left != 1 {
		t.Errorf("%d drafts after a publication that did not arrive", left)
	}
}

func testNoteRefused(t *testing.T, f *Fixture) {
	f.Fault(Refuse)
	isClass(t, "create", f.prepare(t.Context(), "refused"), codehost.ClassAmbiguous)
	if n := f.left(t); n != 0 {
		t.Fatalf("%d drafts or comments: the adapter repeated it, or the fault had no effect", n)
	}
}
