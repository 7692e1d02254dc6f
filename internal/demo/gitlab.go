package demo

import (
	"context"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/sim/gitlab/simapi"
	"github.com/assay-dev/assay/sim/gitlab/simclient"
	"github.com/assay-dev/assay/sim/host/demo"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// gitlabSim is a simulated GitLab.
type gitlabSim struct{ *simclient.Client }

func dialGitLab(base, token string) tokenSim { return gitlabSim{simclient.New(base, token)} }

// robot makes a group access token, whose account is a maintainer of both sample projects.
func (g gitlabSim) robot(ctx context.Context) (string, error) {
	t, err := g.NewToken(ctx, "", simapi.TokenSpec{Name: "assay", Group: demo.Owner})
	return t.Text, err
}

func (g gitlabSim) hooked(ctx context.Context, repository string) (bool, error) {
	hooks, err := g.Hooks(ctx)
	return slices.ContainsFunc(hooks, func(h simapi.Hook) bool { return h.Repository == repository && h.Status == "executable" }), err
}

// page follows docs.gitlab.com/development/routing.
func (gitlabSim) page(repository string, number int) string {
	return fmt.Sprintf("/%s/-/merge_requests/%d", repository, number)
}

func (g gitlabSim) reviews(ctx context.Context, repository string, number int) ([]shared.Review, error) {
	notes, err := g.Notes(ctx, simclient.Repo(repository), number)
	return reviewOfNotes(notes), err
}

// reviewOfNotes returns the substitute for a review at a host without such an object: a comment in the conversation by the token's
// account is the summary, and its comments on lines are those of the review. It returns nil without a summary.
func reviewOfNotes(notes []shared.Comment) []shared.Review {
	at := slices.IndexFunc(notes, func(n shared.Comment) bool { return n.Path == "" && n.User != demo.Author && n.User != demo.Admin })
	if at < 0 {
		return nil
	}
	out := shared.Review{ID: notes[at].ID, User: notes[at].User, Body: notes[at].Body}
	for _, n := range notes {
		if n.Path != "" && n.User == out.User {
			out.Comments = append(out.Comments, n)
		}
	}
	return []shared.Review{out}
}
