package github

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/demo"
)

// RunOptions configures a simulator that runs as a process. WebhookURL registers an app (AppSlug, AppID) with
// that webhook, also without a seed, and installs it on every account of the seed.
type RunOptions struct {
	host.RunOptions
	// AppSlug and AppID of that app; empty and 0 mean "assay" and the next free id.
	AppSlug string
	AppID   int64
	// AppKeyFile gets the private key of that app (mode 0600) if it is generated; required with WebhookURL.
	AppKeyFile string
}

// Run serves until the context ends. It calls ready once with the address of the pages, after the app is
// registered and installed and before the seed is written, so that its webhooks find their receiver.
func Run(ctx context.Context, opt RunOptions, ready func(baseURL string)) error {
	return host.Run(ctx, "github", opt.RunOptions, New, func(s *Server) error { return s.start(ctx, opt, ready) })
}

// start registers the app, calls ready and writes the seed.
func (s *Server) start(ctx context.Context, opt RunOptions, ready func(string)) error {
	if opt.Seed != "" {
		if err := demo.Check(opt.Seed); err != nil {
			return err
		}
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
	ready(s.BaseURL())
	if opt.Seed == "" {
		return nil
	}
	return demo.Seed(ctx, s, opt.Seed)
}

func (s *Server) startApp(ctx context.Context, opt RunOptions) (int64, error) {
	secret, err := opt.WebhookSecret()
	if err != nil {
		return 0, err
	}
	spec := simapi.AppSpec{ID: opt.AppID, Slug: host.OrElse(opt.AppSlug, "assay"), WebhookURL: opt.WebhookURL, WebhookSecret: secret}
	s.Mu.Lock()
	var known *app
	for _, a := range s.st.Apps {
		if a.Slug == spec.Slug {
			known = a
		}
	}
	s.Mu.Unlock()
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
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for _, i := range s.st.Installations {
		if i.AppID == appID && strings.EqualFold(i.Account, account) {
			return i.ID, nil
		}
	}
	return 0, errors.New("the app is not installed there")
}
