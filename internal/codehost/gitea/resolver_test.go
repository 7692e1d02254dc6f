package gitea

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/gitea/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// A comment names the person who closed its thread. Our own account does not count as a person.
func TestWhoResolvedAConversation(t *testing.T) {
	t.Parallel()
	for _, kind := range []domain.ConnectionKind{domain.Gitea, domain.Forgejo} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			s, ctx := newSim(t, kind), t.Context()
			h := s.host(&codehosttest.Gate{}, neededScopes...)
			must(s.ctl.Commit(ctx, "octo/demo", shared.CommitSpec{Branch: "topic", From: "main", Files: map[string]string{"a.go": simFile}, Message: "Add half"}))(t)
			pull := must(s.ctl.OpenPull(ctx, "octo/demo", shared.PullSpec{Title: "Half", Head: "topic", Author: "ann"}))(t)
			made := must(s.ctl.Review(ctx, "octo/demo", pull.Number, simapi.ReviewSpec{Author: "bot", Body: "b", Comments: []simapi.InlineSpec{{Path: "a.go", NewLine: 4, Body: "c"}}}))(t)
			who := func() codehost.Sender {
				comments, err := h.ReviewComments(ctx, codehost.Repo{Owner: "octo", Name: "demo"}, pull.Number, wire.HostID(made.ID))
				testkit.OK(t, err)
				testkit.Equal(t, "comments", len(comments), 1)
				return comments[0].ResolvedBy
			}
			testkit.Equal(t, "before", who(), codehost.Sender{})
			for _, actor := range []string{"ann", "bot"} {
				resolved := true
				testkit.OK(t, s.ctl.EditComment(ctx, "octo/demo", made.Comments[0].ID, shared.EditSpec{Actor: actor, Resolve: &resolved}))
				want := ""
				if actor == "ann" {
					want = "ann"
				}
				got := who()
				if got.Login != want || (got.ID != "") != (want != "") || got.IsBot {
					t.Errorf("resolved by %s: %+v", actor, got)
				}
			}
		})
	}
}
