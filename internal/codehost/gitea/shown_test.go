package gitea

import (
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// A review stands once on the page and is mailed once, also where its answer was lost. Its edit replaces what the page shows.
func TestAReviewIsShownAndMailedOnce(t *testing.T) {
	t.Parallel()
	for _, kind := range []domain.ConnectionKind{domain.Gitea, domain.Forgejo} {
		s := newSim(t, kind)
		f := s.fixture()
		ctx := t.Context()
		host, _ := codehost.DirectOf(f.Host)
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
