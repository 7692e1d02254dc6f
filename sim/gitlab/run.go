package gitlab

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/assay-dev/assay/sim/gitlab/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/demo"
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
	// Doubts as in Options.
	Doubts []simapi.Doubt
	// ControlToken as in Options; ControlTokenFile, when named, is written with the token in use (mode 0600).
	ControlToken, ControlTokenFile string
	// WebhookURL, when set with a seed, makes a webhook of the sample project, and WebhookSecretFile holds its token. The
	// webhook is there before the merge requests are opened.
	WebhookURL, WebhookSecretFile string
	// TokenFile, with a seed, gets a group access token of a maintainer of the sample's group (mode 0600). A new one is made at every start.
	TokenFile string
	Logger    *slog.Logger
}

// Run serves until the context ends. ready, when not nil, is called once with the address of the instance, before merge
// requests of the seed are opened, so that their webhooks find whoever waits for them.
func Run(ctx context.Context, opt RunOptions, ready func(baseURL string)) error {
	if opt.Seed != "" && opt.Seed != demo.Name {
		return errors.New(`seed: must be "demo" or empty`)
	}
	return host.Run(ctx, host.RunOptions{Name: "gitlab", Addr: opt.Addr, BaseURL: opt.BaseURL, DataDir: opt.DataDir, ControlTokenFile: opt.ControlTokenFile},
		func(base, dir string) (*Server, error) {
			return New(Options{DataDir: dir, BaseURL: base, Doubts: opt.Doubts, ControlToken: opt.ControlToken, Logger: opt.Logger})
		},
		func(s *Server) error { return s.start(ctx, opt, ready) })
}

// start writes the seed and says that the server is ready.
func (s *Server) start(ctx context.Context, opt RunOptions, ready func(string)) error {
	_, err := s.findProject(demo.Repository)
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

// attach makes the webhook and the token that the options ask for.
func (s *Server) attach(ctx context.Context, opt RunOptions) error {
	if opt.TokenFile != "" {
		t, err := s.NewToken(ctx, "", simapi.TokenSpec{Name: "assay", Group: demo.Owner})
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
		spec.Token = strings.TrimSpace(string(raw))
	}
	_, err := s.AddHook(ctx, demo.Repository, spec)
	return err
}
