package gitlab

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/sim/gitlab/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/demo"
)

// RunOptions configures a simulator that runs as a process. The token is a group access token of a maintainer
// of the sample's group.
type RunOptions = host.RunOptions

// Run serves until the context ends. It calls ready once with the address of the instance, before the merge
// requests of the seed are opened, so that their webhooks find their receivers.
func Run(ctx context.Context, opt RunOptions, ready func(baseURL string)) error {
	return host.Run(ctx, "gitlab", opt, New, func(s *Server) error {
		return demo.Start(ctx, s, opt.Seed, func() error { return s.attach(ctx, opt) }, func() { ready(s.BaseURL()) })
	})
}

// attach makes the webhook and the token, if the options ask for them.
func (s *Server) attach(ctx context.Context, opt RunOptions) error {
	if opt.TokenFile != "" {
		t, err := s.NewToken(ctx, "", simapi.TokenSpec{Name: "assay", Group: demo.Owner})
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
	_, err = s.AddHook(ctx, demo.Repository, simapi.HookSpec{URL: opt.WebhookURL, Token: secret})
	return err
}
