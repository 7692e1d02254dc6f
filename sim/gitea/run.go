package gitea

import (
	"context"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/gitea/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/demo"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// RunOptions configures a simulator that runs as a process. The token is that of a machine account that may
// write in the sample repository and manage its webhooks.
type RunOptions struct {
	host.RunOptions
	// Forgejo as in Options.
	Forgejo bool
}

// Robot is the login of the machine account of a seed with a token file.
const Robot = "assay-bot"

// Arranger is the interface for [MakeRobot]; the server and the client of its control interface implement it.
type Arranger interface {
	CreateUser(ctx context.Context, in shared.UserSpec) (shared.User, error)
	UpdateUser(ctx context.Context, login string, in shared.UserUpdate) error
	ChangeRepo(ctx context.Context, repo string, in simapi.RepoChange) error
	NewToken(ctx context.Context, login string, in simapi.TokenSpec) (simapi.Token, error)
}

// MakeRobot makes the machine account, an owner of the sample's organisation, which may write in the sample
// repository and manage its webhooks. It returns a new token of the account. It may be repeated.
func MakeRobot(ctx context.Context, to Arranger) (simapi.Token, error) {
	if _, err := to.CreateUser(ctx, shared.UserSpec{Login: Robot, Name: "assay"}); err != nil {
		return simapi.Token{}, err
	}
	if err := to.UpdateUser(ctx, demo.Owner, shared.UserUpdate{Members: map[string]string{Robot: "admin"}}); err != nil {
		return simapi.Token{}, err
	}
	if err := to.ChangeRepo(ctx, demo.Repository, simapi.RepoChange{Collaborators: map[string]string{Robot: "admin"}}); err != nil {
		return simapi.Token{}, err
	}
	return to.NewToken(ctx, Robot, simapi.TokenSpec{Name: "assay",
		Scopes: []string{"write:repository", "write:issue", "read:user", "read:organization"}})
}

// Run serves until the context ends. It calls ready once with the address of the pages, before the pull
// requests of the seed are opened, so that their webhooks find their receivers.
func Run(ctx context.Context, opt RunOptions, ready func(baseURL string)) error {
	s := &Server{forgejo: opt.Forgejo}
	open := func(o host.Options) (*Server, error) { return s, s.setUp(o) }
	return host.Run(ctx, strings.ToLower(s.product()), opt.RunOptions, open, func(*Server) error {
		return demo.Start(ctx, s, opt.Seed, func() error { return s.attach(ctx, opt.RunOptions) }, func() { ready(s.BaseURL()) })
	})
}

// attach makes the webhook, for every event, and the machine account, if the options ask for them.
func (s *Server) attach(ctx context.Context, opt host.RunOptions) error {
	if opt.TokenFile != "" {
		t, err := MakeRobot(ctx, s)
		if err != nil {
			return err
		}
		if err := host.WriteToken(opt.TokenFile, t.Text); err != nil {
			return err
		}
	}
	if opt.WebhookURL == "" || slices.ContainsFunc(s.Hooks(), func(h simapi.Hook) bool { return h.URL == opt.WebhookURL }) {
		return nil // an earlier run in the same data folder may have made it
	}
	secret, err := opt.WebhookSecret()
	if err != nil {
		return err
	}
	_, err = s.AddHook(ctx, demo.Repository, simapi.HookSpec{URL: opt.WebhookURL, Secret: secret})
	return err
}
