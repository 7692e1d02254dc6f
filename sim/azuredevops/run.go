package azuredevops

import (
	"context"

	"github.com/assay-dev/assay/sim/azuredevops/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/demo"
)

// RunOptions configures a simulator that runs as a process. The token is that of an administrator of the sample's project.
type RunOptions = host.RunOptions

// robot is the account of the token that a simulator makes for the sample.
const robot = "assay-bot"

// Run serves until the context ends. It calls ready once with the address of the instance, before the pull requests of the seed are
// opened, so that their service hooks find their receivers.
func Run(ctx context.Context, opt RunOptions, ready func(baseURL string)) error {
	return host.Run(ctx, "azuredevops", opt, New, func(s *Server) error {
		return demo.Start(ctx, s, opt.Seed, func() error { return s.attach(ctx, opt) }, func() { ready(s.BaseURL()) })
	})
}

// attach makes the token, if the options ask for it. The service subscribes itself to what it needs.
func (s *Server) attach(ctx context.Context, opt RunOptions) error {
	if opt.TokenFile != "" {
		if err := s.ChangeRepo(ctx, demo.Repository, simapi.RepoChange{Collaborators: map[string]string{robot: "admin"}}); err != nil {
			return err
		}
		t, err := s.NewToken(ctx, robot, struct{}{})
		if err != nil {
			return err
		}
		if err := host.WriteToken(opt.TokenFile, t.Text); err != nil {
			return err
		}
	}
	return nil
}
