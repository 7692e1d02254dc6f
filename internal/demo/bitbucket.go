package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/bitbucket/simapi"
	"github.com/assay-dev/assay/sim/bitbucket/simclient"
	"github.com/assay-dev/assay/sim/host/demo"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// dataCenterSim is a simulated Bitbucket Data Center.
type dataCenterSim struct{ bitbucketSim }

func dialDataCenter(base, token string) tokenSim {
	return dataCenterSim{bitbucketSim{simclient.New(base, token)}}
}

// page follows links.self of a pull request (Atlassian's OpenAPI description of 9.2).
func (dataCenterSim) page(repository string, number int) string {
	owner, name, _ := strings.Cut(repository, "/")
	return fmt.Sprintf("/projects/%s/repos/%s/pull-requests/%d", owner, name, number)
}

// bitbucketSim is a simulated Bitbucket Cloud.
type bitbucketSim struct{ *simclient.Client }

func dialBitbucket(base, token string) tokenSim { return bitbucketSim{simclient.New(base, token)} }

// robot makes an access token of the sample's workspace, which has an account of its own.
func (b bitbucketSim) robot(ctx context.Context) (string, error) {
	t, err := b.NewToken(ctx, "", simapi.TokenSpec{Name: "assay", Kind: simapi.AccessToken, Workspace: demo.Owner})
	return t.Text, err
}

func (b bitbucketSim) hooked(ctx context.Context, repository string) (bool, error) {
	hooks, err := b.Hooks(ctx)
	workspace, _, _ := strings.Cut(repository, "/")
	return slices.ContainsFunc(hooks, func(h simapi.Hook) bool {
		return (h.Repository == repository || h.Workspace == workspace) && h.Active
	}), err
}

// page follows links.html of a pull request (Atlassian's OpenAPI description).
func (bitbucketSim) page(repository string, number int) string {
	return fmt.Sprintf("/%s/pull-requests/%d", repository, number)
}

func (b bitbucketSim) reviews(ctx context.Context, repository string, number int) ([]shared.Review, error) {
	notes, err := b.Notes(ctx, repository, number)
	return reviewOfNotes(notes), err
}
