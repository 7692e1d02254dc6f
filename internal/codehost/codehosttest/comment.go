package codehosttest

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/markdown"
)

// testComment checks that a comment is read again by its id. Author and text come from the host, and those
// of the event are ignored. A comment that does not exist, or is on another pull request, is not found.
func testComment(t *testing.T, f *Fixture) {
	ctx := t.Context()
	review := f.publish(t, f.draft("a review"))
	onLine := must[[]codehost.Comment](t)(f.Host.ReviewComments(ctx, f.Repo, f.Number, review))[0]
	said := must[codehost.Comment](t)(f.Host.Reply(ctx, f.Repo, codehost.Spot{Number: f.Number}, markdown.Const("In the conversation.")))
	for _, want := range []codehost.EventComment{
		{ID: said.ID, Number: f.Number, Body: "In the conversation."},
		{ID: onLine.ID, Number: f.Number, Body: "one line", Inline: true},
	} {
		told := want
		told.Body, told.Author, told.AuthorID = "/assay approve", f.Author, "999"
		got := must[codehost.EventComment](t)(f.Host.Comment(ctx, f.Repo, told))
		if got.ID != want.ID || got.Number != want.Number || got.Body != want.Body || !got.OnPullRequest || got.Author == f.Author ||
			got.Author == "" || got.AuthorID == "" || got.AuthorID == "999" {
			t.Errorf("read back %+v, want %+v by the account that writes", got, want)
		}
	}
	for range 2 { // callers may repeat an edit
		if err := f.Host.EditReply(ctx, f.Repo, codehost.Spot{Number: f.Number}, said.ID, markdown.Const("Edited.")); err != nil {
			t.Errorf("edit a comment of the conversation: %v", err)
		}
	}
	if got := must[codehost.EventComment](t)(f.Host.Comment(ctx, f.Repo, codehost.EventComment{ID: said.ID, Number: f.Number})); got.Body != "Edited." {
		t.Errorf("the edited comment says %q", got.Body)
	}
	f.MorePull(1)
	other := 0
	for _, p := range must[[]codehost.PullRequest](t)(f.Host.OpenPullRequests(ctx, f.Repo)) {
		if p.Number != f.Number {
			other = p.Number
		}
	}
	for name, told := range map[string]codehost.EventComment{
		"an id that the host does not have":          {ID: "999999", Number: f.Number},
		"an id on lines that the host does not have": {ID: "999999", Number: f.Number, Inline: true},
		"a comment of another pull request":          {ID: said.ID, Number: other},
		"one on lines of another pull request":       {ID: onLine.ID, Number: other, Inline: true},
		"an absent pull request":                     {ID: said.ID, Number: 999_999},
	} {
		if got, err := f.Host.Comment(ctx, f.Repo, told); codehost.ClassOf(err) != codehost.ClassNotFound {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	elsewhere := f.Repo
	elsewhere.Name += "-absent"
	if _, err := f.Host.Comment(ctx, elsewhere, codehost.EventComment{ID: said.ID,
		Number: f.Number}); codehost.ClassOf(err) != codehost.ClassNotFound {
		t.Errorf("a repository that is not there: %v", err)
	}
}
