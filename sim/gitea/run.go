package gitea

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/assay-dev/assay/sim/gitea/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/demo"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// RunOptions of a simulator that runs as a process of its own.
type RunOptions struct {
	// Addr to listen on; empty means a free port of 127.0.0.1.
	Addr string
	// BaseURL that answers name; empty means "http://" and the address listened on.
	BaseURL string
	// DataDir as in Options; empty means a temporary folder that is removed at the end.
	DataDir string
	// Seed is "demo" or empty.
	Seed string
	// Forgejo and Doubts as in Options.
	Forgejo bool
	Doubts  []simapi.Doubt
	// ControlToken as in Options; ControlTokenFile, when named, is written with the token in use (mode 0600).
	ControlToken, ControlTokenFile string
	// WebhookURL, when set with a seed, makes a webhook of the sample repository for every event, and WebhookSecretFile holds
	// its secret. The webhook is there before the pull requests are opened.
	WebhookURL, WebhookSecretFile string
	// TokenFile, with a seed, gets the access token of a machine account that may write in the sample repository and manage
	// its webhooks (mode 0600). A new one is made at every start.
	TokenFile string
	Logger    *slog.Logger
}

// Robot is the login of the machine account that a seed makes when a token for it is asked for.
const Robot = "assay-bot"

// Arranger is what [MakeRobot] needs; the server and the client of its control interface both have it.
type Arranger interface {
	CreateUser(ctx context.Context, in shared.UserSpec) (shared.User, error)
	UpdateUser(ctx context.Context, login string, in shared.UserUpdate) error
	ChangeRepo(ctx context.Context, repo string, in simapi.RepoChange) error
	NewToken(ctx context.Context, login string, in simapi.TokenSpec) (simapi.Token, error)
}

// MakeRobot makes the machine account, an owner of the sample's organisation, lets it write in the sample repository and
// manage its webhooks, and returns a new token of it. It may be repeated.
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
	return to.NewToken(ctx, Robot, simapi.TokenSpec{Name: "assay", Scopes: []string{"write:repository", "write:issue", "read:user", "read:organization"}})
}

// Run serves until the context ends. ready, when not nil, is called once with the address of the pages, before pull
// requests of the seed are opened, so that their webhooks find whoever waits for them.
func Run(ctx context.Context, opt RunOptions, ready func(baseURL string)) error {
	if opt.Seed != "" && opt.Seed != demo.Name {
		return errors.New(`seed: must be "demo" or empty`)
	}
	name := "gitea"
	if opt.Forgejo {
		name = "forgejo"
	}
	return host.Run(ctx, host.RunOptions{Name: name, Addr: opt.Addr, BaseURL: opt.BaseURL, DataDir: opt.DataDir, ControlTokenFile: opt.ControlTokenFile},
		func(base, dir string) (*Server, error) {
			return New(Options{DataDir: dir, BaseURL: base, Forgejo: opt.Forgejo, Doubts: opt.Doubts, ControlToken: opt.ControlToken, Logger: opt.Logger})
		},
		func(s *Server) error { return s.start(ctx, opt, ready) })
}

// start writes the seed and says that the server is ready.
func (s *Server) start(ctx context.Context, opt RunOptions, ready func(string)) error {
	_, err := s.findRepo(demo.Repository)
	fresh := err != nil
	if opt.Seed != "" && fresh {
		if err := errors.Join(demo.SeedAccounts(ctx, s), demo.SeedRepository(ctx, s)); err != nil {
			return fmt.Errorf("seed: %w", err)
		}
	}
	if opt.Seed != "" {
		if err := s.attach(ctx, opt); err != nil {
			return fmt.Errorf("seed: %w", err)
		}
	}
	if ready != nil {
		ready(s.BaseURL())
	}
	if opt.Seed != "" && fresh {
		if err := demo.OpenPulls(ctx, s); err != nil {
			return fmt.Errorf("seed: %w", err)
		}
	}
	return nil
}

// attach makes the webhook and the machine account that the options ask for.
func (s *Server) attach(ctx context.Context, opt RunOptions) error {
	if opt.TokenFile != "" {
		t, err := MakeRobot(ctx, s)
		if err != nil {
			return err
		}
		if err := os.WriteFile(opt.TokenFile, []byte(t.Text+"\n"), 0o600); err != nil {
			return fmt.Errorf("write the token: %w", err)
		}
	}
	if opt.WebhookURL == "" {
		return nil
	}
	for _, h := range s.Hooks() {
		if h.URL == opt.WebhookURL {
			return nil // from an earlier run in the same data folder
		}
	}
	spec := simapi.HookSpec{URL: opt.WebhookURL}
	if opt.WebhookSecretFile != "" {
		raw, err := os.ReadFile(opt.WebhookSecretFile)
		if err != nil {
			return fmt.Errorf("webhook secret: %w", err)
		}
		spec.Secret = strings.TrimSpace(string(raw))
	}
	_, err := s.AddHook(ctx, demo.Repository, spec)
	return err
}
