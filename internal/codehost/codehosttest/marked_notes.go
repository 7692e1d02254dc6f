package codehosttest

import (
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/markdown"
)

// marked returns the host's MarkedNotes, or nil.
func (f *Fixture) marked() codehost.MarkedNotes { return codehost.MarkedOf(f.Host) }

func notOurs(c codehost.Comment) bool { return !c.Mine }

// hiddenMark is a mark in the form of hosts that show HTML as text, or keep marks beside texts.
const hiddenMark = "[assay:pub=pub_1 sha=0123456789abcdef mac=v2.0123456789abcdef0123456789abcdef]: " + markdown.MarkAddress

// testMarked writes visible comments with marks, reads them back by their ids, lists, edits and deletes them.
func testMarked(t *testing.T, f *Fixture) {
	ctx, m, d := t.Context(), f.marked(), f.draft("the body")
	one := must[codehost.Comment](t)(m.CreateNote(ctx, f.Repo, f.Number, f.Head, d.Comments[0]))
	two := must[codehost.Comment](t)(m.CreateNote(ctx, f.Repo, f.Number, f.Head, d.Comments[1]))
	marked := "the body\n\n" + hiddenMark
	body := must[codehost.Comment](t)(m.CreateNote(ctx, f.Repo, f.Number, f.Head, summary(marked)))
	if one.Path != f.Path || one.Side != "RIGHT" || one.Line != f.Line || one.Body != "one line" || !one.Mine || one.URL == "" ||
		two.Line != f.Line || body.Path != "" || body.Line != 0 || body.Body != marked || !body.Mine || body.URL == "" {
		t.Fatalf("written %+v, %+v, %+v", one, two, body)
	}
	if list := must[[]codehost.Comment](t)(m.Notes(ctx, f.Repo, f.Number)); !slices.Equal(list, []codehost.Comment{one, two, body}) {
		t.Fatalf("listed %+v, want %+v", list, []codehost.Comment{one, two, body})
	}
	for _, c := range []codehost.Comment{one, two, body} {
		if got := must[codehost.Comment](t)(m.Note(ctx, f.Repo, f.Number, c.ID)); got != c {
			t.Errorf("read %+v, want %+v", got, c)
		}
	}
	if list := must[[]codehost.Review](t)(f.Host.Reviews(ctx, f.Repo, f.Number)); len(list) != 1 || list[0].ID != body.ID ||
		list[0].Body != marked || !list[0].Mine || list[0].State != codehost.ReviewSubmitted || list[0].URL == "" {
		t.Fatalf("the summary: %+v", list)
	}
	if list := must[[]codehost.Comment](t)(f.Host.ReviewComments(ctx, f.Repo, f.Number, "")); len(list) != 2 ||
		list[0].ID != one.ID || list[1].ID != two.ID {
		t.Fatalf("comments %+v", list)
	}
	_, err := f.Host.Review(ctx, f.Repo, f.Number, one.ID)
	isClass(t, "an inline comment as the summary", err, codehost.ClassNotFound)
	_, err = f.Host.CreateDraft(ctx, f.Repo, f.Number, d)
	isClass(t, "a review as one object", err, codehost.ClassInvalid)

	edited := "new body\n\n" + hiddenMark
	if err := f.Host.EditReview(ctx, f.Repo, f.Number, body.ID, markdown.Stored(edited)); err != nil {
		t.Fatal(err)
	}
	if err := f.Host.EditComment(ctx, f.Repo, one.ID, markdown.Const("resolved")); err != nil {
		t.Fatal(err)
	}
	review := must[codehost.Review](t)(f.Host.Review(ctx, f.Repo, f.Number, body.ID))
	inline := must[codehost.Comment](t)(m.Note(ctx, f.Repo, f.Number, one.ID))
	if review.Body != edited || inline.Body != "resolved" {
		t.Errorf("after the edits: %+v, %+v", review, inline)
	}
	f.testDeletedNotes(t, one, two)
}

// testDeletedNotes deletes a comment, and checks that comments of other accounts stay.
func (f *Fixture) testDeletedNotes(t *testing.T, one, two codehost.Comment) {
	t.Helper()
	ctx, m := t.Context(), f.marked()
	for range 2 {
		if err := m.DeleteNote(ctx, f.Repo, f.Number, two.ID); err != nil {
			t.Fatal(err)
		}
		_, err := m.Note(ctx, f.Repo, f.Number, two.ID)
		isClass(t, "a deleted comment", err, codehost.ClassNotFound)
	}
	f.Foreign(1)
	for _, r := range must[[]codehost.Review](t)(f.Host.Reviews(ctx, f.Repo, f.Number)) {
		if !r.Mine {
			isClass(t, "deleting the comment of another account", m.DeleteNote(ctx, f.Repo, f.Number, r.ID), codehost.ClassInvalid)
		}
	}
	if left := f.left(t); left != 2 {
		t.Errorf("%d comments are left, want the summary and one inline", left)
	}
	if f.lacks(t, LackThreadReplies) {
		return
	}
	at := codehost.Spot{Number: f.Number, Thread: one.ID}
	must[codehost.Comment](t)(f.Host.Reply(ctx, f.Repo, at, markdown.Const("an answer")))
	list := slices.DeleteFunc(must[[]codehost.Comment](t)(m.Notes(ctx, f.Repo, f.Number)), notOurs)
	if i := slices.IndexFunc(list, func(c codehost.Comment) bool { return c.ID == one.ID }); i < 0 || !list[i].Answered {
		t.Errorf("after an answer in the thread: %+v", list)
	}
	if len(list) != 2 {
		t.Errorf("an answer is listed as a comment of a review: %+v", list)
	}
}

// testLostMarked finds a comment whose answer was lost by its text, and checks lost answers of deletions.
func testLostMarked(t *testing.T, f *Fixture) {
	ctx, m := t.Context(), f.marked()
	for _, fault := range []Fault{ApplyThen500, ApplyThenReset} {
		f.Fault(fault)
		isClass(t, string(fault), f.prepare(ctx, "lost and found\n\n"+hiddenMark), codehost.ClassAmbiguous)
		list := must[[]codehost.Comment](t)(m.Notes(ctx, f.Repo, f.Number))
		if len(list) != 1 || !list[0].Mine || list[0].Body != "lost and found\n\n"+hiddenMark {
			t.Fatalf("the lost comment is not found: %+v", list)
		}
		f.FaultDelete(fault)
		isClass(t, "delete", m.DeleteNote(ctx, f.Repo, f.Number, list[0].ID), codehost.ClassAmbiguous)
		if left := f.left(t); left != 0 {
			t.Fatalf("%d comments after the lost deletion", left)
		}
	}
	f.testLostCheck(t)
}
