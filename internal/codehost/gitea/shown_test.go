package gitea

import (
	"slices"
	"testing"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// A review appears on the page once and is mailed once, even if its answer was lost. An edit replaces the
// text on the page.
func TestAReviewIsShownAndMailedOnce(t *testing.T) {
	t.Parallel()
	for _, kind := range []domain.ConnectionKind{domain.Gitea, domain.Forgejo} {
		s := newSim(t, kind)
		f := s.fixture()
		ctx := t.Context()
		host := codehost.DirectOf(f.Host)
		d := codehost.Draft{Commit: f.Head, Body: markdown.Const("the body of it"), Comments: []codehost.DraftComment{{Path: f.Path, Side: "RIGHT", Line: f.Line, Body: markdown.Const("hm")}}}
		made := must(host.CreateReview(ctx, f.Repo, f.Number, d))(t)
		f.Fault(codehosttest.ApplyThen500)
		if _, err := host.CreateReview(ctx, f.Repo, f.Number, d); codehost.ClassOf(err) != codehost.ClassAmbiguous {
			t.Fatal(err)
		}
		if err := f.Host.EditReview(ctx, f.Repo, f.Number, made.ID, markdown.Const("edited")); err != nil {
			t.Fatal(err)
		}
		if got := must(s.ctl.Shown(ctx, "octo/demo", f.Number, "bot"))(t); !slices.Equal(got, []string{"edited", "the body of it"}) {
			t.Errorf("%s: the page has %q", kind, got)
		}
		if got := must(s.ctl.Mails(ctx, "octo/demo", f.Number))(t); len(got) != 2 || got[0].ReviewID == got[1].ReviewID {
			t.Errorf("%s: mails %+v", kind, got)
		}
		if err := host.DeleteReview(ctx, f.Repo, f.Number, made.ID); err != nil {
			t.Fatal(err)
		}
		if got := must(s.ctl.Shown(ctx, "octo/demo", f.Number, "bot"))(t); !slices.Equal(got, []string{"the body of it"}) {
			t.Errorf("%s: after the deletion the page has %q", kind, got)
		}
	}
}

// A person can delete the text of a review on the page. The host keeps the review, and editing it reports
// that the text is gone.
func TestTextOfAReviewThatAPersonDeleted(t *testing.T) {
	t.Parallel()
	s := newSim(t, domain.Gitea)
	f := s.fixture()
	deletesText(t, f)
}

// deletesText deletes the text of a review of a fixture, and edits the review.
func deletesText(t *testing.T, f *codehosttest.Fixture) {
	t.Helper()
	ctx, h := t.Context(), f.Host.(*Host)
	made := must(h.CreateReview(ctx, f.Repo, f.Number, codehost.Draft{Commit: f.Head, Body: markdown.Const("the body of it"),
		Comments: []codehost.DraftComment{{Path: f.Path, Side: "RIGHT", Line: f.Line, Body: markdown.Const("hm")}}}))(t)
	r := must(h.review(ctx, "test", f.Repo, f.Number, made.ID))(t)
	if err := h.write(ctx, "test", func(c *sdk.Client) error {
		_, err := c.DeleteIssueComment(f.Repo.Owner, f.Repo.Name, bodyCommentID(r))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if got, err := h.Review(ctx, f.Repo, f.Number, made.ID); err != nil || got.State != codehost.ReviewSubmitted {
		t.Errorf("the review: %+v, %v", got, err)
	}
	if err := h.EditReview(ctx, f.Repo, f.Number, made.ID, markdown.Const("edited")); codehost.ClassOf(err) != codehost.ClassNotFound {
		t.Errorf("its edit: %v", err)
	}
}
