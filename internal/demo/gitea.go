package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/sim/gitea"
	"github.com/assay-dev/assay/sim/gitea/simapi"
	"github.com/assay-dev/assay/sim/gitea/simclient"
	"github.com/assay-dev/assay/sim/host/demo"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// giteaSim is a simulated Gitea or Forgejo.
type giteaSim struct{ *simclient.Client }

// giteaArguments returns the arguments that start the simulator.
func giteaArguments(kind domain.ConnectionKind) []string {
	if kind == domain.Forgejo {
		return []string{"gitea", "--forgejo"}
	}
	return []string{"gitea"}
}

func dialGitea(base, token string) tokenSim { return giteaSim{simclient.New(base, token)} }

func (g giteaSim) robot(ctx context.Context) (string, error) {
	t, err := gitea.MakeRobot(ctx, g.Client)
	if err != nil {
		return "", err
	}
	return t.Text, g.ChangeRepo(ctx, demo.Payouts, simapi.RepoChange{Collaborators: map[string]string{gitea.Robot: "admin"}})
}

func (g giteaSim) hooked(ctx context.Context, repository string) (bool, error) {
	hooks, err := g.Hooks(ctx)
	owner, _, _ := strings.Cut(repository, "/")
	return slices.ContainsFunc(hooks, func(h simapi.Hook) bool {
		return (h.Repository == repository || h.Organization == owner) &&
			h.Active
	}), err
}

// page follows Gitea 1.26.4, routers/web/web.go.
func (giteaSim) page(repository string, number int) string {
	return fmt.Sprintf("/%s/pulls/%d", repository, number)
}

func (g giteaSim) reviews(ctx context.Context, repository string, number int) ([]shared.Review, error) {
	return g.VisibleReviews(ctx, repository, number)
}
