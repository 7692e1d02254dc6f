package github

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/assay-dev/assay/sim/github/simapi"
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
	// ControlToken as in Options; ControlTokenFile, when named, is written with the token in use (mode 0600).
	ControlToken, ControlTokenFile string
	// WebhookURL, when set, registers an app (AppSlug, AppID) with that webhook and installs it on every account of the seed.
	WebhookURL string
	// WebhookSecretFile holds the secret of that app's webhook.
	WebhookSecretFile string
	// AppSlug and AppID of that app; empty and 0 mean "assay" and the next free id.
	AppSlug string
	AppID   int64
	// AppKeyFile gets the private key of that app (mode 0600) when it is generated; needed with WebhookURL.
	AppKeyFile string
	Logger     *slog.Logger
}

// Run serves until the context ends. ready, when not nil, is called once with the address of the pages, after the app is
// registered and installed and before the seed is written, so that its webhooks find whoever waits for it.
func Run(ctx context.Context, opt RunOptions, ready func(baseURL string)) error {
	return host.Run(ctx, host.RunOptions{Name: "github", Addr: opt.Addr, BaseURL: opt.BaseURL, DataDir: opt.DataDir, ControlTokenFile: opt.ControlTokenFile},
		func(base, dir string) (*Server, error) {
			return New(Options{DataDir: dir, BaseURL: base, ControlToken: opt.ControlToken, Logger: opt.Logger})
		},
		func(s *Server) error { return s.start(ctx, opt, ready) })
}

// start registers the app, says that the server is ready and writes the seed.
func (s *Server) start(ctx context.Context, opt RunOptions, ready func(string)) error {
	if opt.Seed != "" && opt.Seed != demo.Name {
		return errors.New(`seed: must be "demo" or empty`)
	}
	var appID int64
	if opt.WebhookURL != "" {
		a, err := s.startApp(ctx, opt)
		if err != nil {
			return err
		}
		appID = a
	}
	if opt.Seed != "" {
		if err := demo.SeedAccounts(ctx, s); err != nil {
			return fmt.Errorf("seed: %w", err)
		}
		if _, err := s.findInstallation(appID, demo.Owner); err != nil && appID != 0 {
			if _, err := s.Install(ctx, simapi.InstallSpec{AppID: appID, Account: demo.Owner}); err != nil {
				return fmt.Errorf("install the app: %w", err)
			}
		}
	}
	if ready != nil {
		ready(s.BaseURL())
	}
	if opt.Seed != "" {
		if err := s.Seed(ctx, opt.Seed); err != nil {
			return fmt.Errorf("seed: %w", err)
		}
	}
	return nil
}

func (s *Server) startApp(ctx context.Context, opt RunOptions) (int64, error) {
	spec := simapi.AppSpec{ID: opt.AppID, Slug: host.OrElse(opt.AppSlug, "assay"), WebhookURL: opt.WebhookURL}
	if opt.WebhookSecretFile != "" {
		raw, err := os.ReadFile(opt.WebhookSecretFile)
		if err != nil {
			return 0, fmt.Errorf("webhook secret: %w", err)
		}
		spec.WebhookSecret = strings.TrimSpace(string(raw))
	}
	s.mu.Lock()
	var known *app
	for _, a := range s.st.Apps {
		if a.Slug == spec.Slug {
			known = a
		}
	}
	s.mu.Unlock()
	if known != nil { // from an earlier run in the same data folder
		return known.ID, s.UpdateApp(ctx, known.ID, simapi.AppUpdate{WebhookURL: &spec.WebhookURL, WebhookSecret: &spec.WebhookSecret})
	}
	if opt.AppKeyFile == "" {
		return 0, errors.New("AppKeyFile: must be named together with WebhookURL, else nobody could act as the app")
	}
	a, err := s.RegisterApp(ctx, spec)
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(opt.AppKeyFile, []byte(a.PrivateKeyPEM), 0o600); err != nil {
		return 0, fmt.Errorf("write the app's key: %w", err)
	}
	return a.ID, nil
}

func (s *Server) findInstallation(appID int64, account string) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, i := range s.st.Installations {
		if i.AppID == appID && strings.EqualFold(i.Account, account) {
			return i.ID, nil
		}
	}
	return 0, errors.New("the app is not installed there")
}
