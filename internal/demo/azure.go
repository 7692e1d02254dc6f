package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/azuredevops/simapi"
	"github.com/assay-dev/assay/sim/azuredevops/simclient"
	"github.com/assay-dev/assay/sim/host/demo"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// azureSim is a simulated Azure DevOps. The sample is in the organisation acme and its project acme. Numbers of pull requests count per
// organisation, so those of the second repository follow the sample's.
type azureSim struct{ *simclient.Client }

func dialAzure(base, token string) tokenSim { return azureSim{simclient.New(base, token)} }

// azureRobot is the machine account of the demo.
const azureRobot = "assay-bot"

// shift returns the difference between a pull request's number on the host and in the sample.
func (azureSim) shift(repository string) int {
	if repository == demo.Payouts {
		return len(demo.PullRequests())
	}
	return 0
}

// OpenPull implements [shared.Seeder] with the sample's numbers.
func (a azureSim) OpenPull(ctx context.Context, repository string, in shared.PullSpec) (shared.Pull, error) {
	p, err := a.Client.OpenPull(ctx, repository, in)
	p.Number -= a.shift(repository)
	return p, err
}

// GetPull takes the sample's number.
func (a azureSim) GetPull(ctx context.Context, repository string, number int) (shared.Pull, error) {
	return a.Client.GetPull(ctx, repository, number+a.shift(repository))
}

func (a azureSim) robot(ctx context.Context) (string, error) {
	if _, err := a.CreateUser(ctx, shared.UserSpec{Login: azureRobot}); err != nil {
		return "", err
	}
	err := a.ChangeRepo(ctx, demo.Repository, simapi.RepoChange{Collaborators: map[string]string{azureRobot: "admin"}})
	if err != nil {
		return "", err
	}
	t, err := a.NewToken(ctx, azureRobot)
	return t.Text, err
}

func (a azureSim) hooked(ctx context.Context, repository string) (bool, error) {
	list, err := a.Subscriptions(ctx)
	return slices.ContainsFunc(list, func(s simapi.Subscription) bool {
		return s.Repository == demo.Owner+"/"+repository && s.Status == "enabled" && s.Event == "build.complete" // the last one
	}), err
}

func (a azureSim) page(repository string, number int) string {
	owner, name, _ := strings.Cut(repository, "/")
	return fmt.Sprintf("/%s/%s/_git/%s/pullrequest/%d", owner, owner, name, number+a.shift(repository))
}

// reviews returns the substitutes for reviews, because Azure DevOps has no such object: the comment of the overview that comes last is the
// summary, and threads on lines are the comments.
func (a azureSim) reviews(ctx context.Context, repository string, number int) ([]shared.Review, error) {
	threads, err := a.Threads(ctx, repository, number+a.shift(repository))
	if err != nil {
		return nil, err
	}
	var out shared.Review
	for _, t := range threads {
		if len(t.Comments) == 0 || t.Comments[0].User != azureRobot {
			continue
		}
		if c := t.Comments[0]; c.Path == "" && out.ID == 0 {
			out.ID, out.User, out.Body = c.ID, c.User, c.Body
		} else if c.Path != "" {
			out.Comments = append(out.Comments, c)
		}
	}
	if out.ID == 0 {
		return nil, nil
	}
	return []shared.Review{out}, nil
}
