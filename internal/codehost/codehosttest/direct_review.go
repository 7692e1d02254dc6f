package codehosttest

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/markdown"
)

// testDirect makes a review with its comments by one write, finds it, edits it and deletes it.
func testDirect(t *testing.T, f *Fixture) {
	ctx, host := t.Context(), f.direct()
	made := must[codehost.Review](t)(host.CreateReview(ctx, f.Repo, f.Number, f.draft("the body")))
	if made.State != codehost.ReviewSubmitted || made.ID == "" || !made.Mine || made.Commit != f.Head || made.Body != "the body" ||
		made.URL == "" {
		t.Fatalf("created %+v", made)
	}
	if list := must[[]codehost.Review](t)(f.Host.Reviews(ctx, f.Repo, f.Number)); len(list) != 1 || list[0] != made {
		t.Fatalf("list %+v, want %+v", list, made)
	}
	if got := must[codehost.Review](t)(f.Host.Review(ctx, f.Repo, f.Number, made.ID)); got != made {
		t.Fatalf("read %+v, want %+v", got, made)
	}
	f.testEdits(t, made.ID)
	twin := must[codehost.Review](t)(host.CreateReview(ctx, f.Repo, f.Number, f.draft("the body")))
	for range 2 {
		if err := host.DeleteReview(ctx, f.Repo, f.Number, twin.ID); err != nil {
			t.Fatal(err)
		}
	}
	f.Foreign(1)
	for _, r := range must[[]codehost.Review](t)(f.Host.Reviews(ctx, f.Repo, f.Number)) {
		if r.ID == twin.ID {
			t.Error("the review that was deleted is still there")
		}
		if !r.Mine {
			isClass(t, "deleting the review of another account", host.DeleteReview(ctx, f.Repo, f.Number, r.ID), codehost.ClassInvalid)
		}
	}
	if _, err := f.Host.Review(ctx, f.Repo, f.Number, made.ID); err != nil {
		t.Errorf("the other review: %v", err)
	}
	_, err := f.Host.CreateDraft(ctx, f.Repo, f.Number, f.draft("hidden"))
	isClass(t, "a draft", err, codehost.ClassInvalid)
	_, err = f.Host.SubmitDraft(ctx, f.Repo, f.Number, made.ID, markdown.Const("x"))
	isClass(t, "the submission of a draft", err, codehost.ClassInvalid)
	isClass(t, "the deletion of a draft", f.Host.DeleteDraft(ctx, f.Repo, f.Number, made.ID), codehost.ClassInvalid)
}

// testLostReview finds a review whose answer was lost by its text, and checks lost answers of deletions.
func testLostReview(t *testing.T, f *Fixture) {
	ctx, host := t.Context(), f.direct()
	for _, fault := range []Fault{ApplyThen500, ApplyThenReset} {
		f.Fault(fault)
		_, err := host.CreateReview(ctx, f.Repo, f.Number, f.draft("lost and found"))
		isClass(t, string(fault), err, codehost.ClassAmbiguous)
		list := must[[]codehost.Review](t)(f.Host.Reviews(ctx, f.Repo, f.Number))
		if len(list) != 1 || !list[0].Mine || list[0].State != codehost.ReviewSubmitted || list[0].Body != "lost and found" {
			t.Fatalf("the lost review is not found: %+v", list)
		}
		f.FaultDelete(fault)
		isClass(t, "delete", host.DeleteReview(ctx, f.Repo, f.Number, list[0].ID), codehost.ClassAmbiguous)
		if left := f.left(t); left != 0 {
			t.Fatalf("%d reviews after the lost deletion", left)
		}
	}
	f.testLostCheck(t)
}
