package bitbucket

import (
	"context"
	"net/http"
	"slices"

	"github.com/assay-dev/assay/sim/bitbucket/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/demo"
)

// controlHandler serves the control interface under /_sim.
func (s *Server) controlHandler() http.Handler {
	const repo, pr = host.RepoPath, host.PullPath
	c := s.Control()
	c.CodeHost(s)
	c.Handle("PATCH /_sim/users/{login}/flags", host.DoesFor(host.PathValue("login"), s.FlagUser))
	c.Handle("POST /_sim/users/{login}/tokens", host.ReturnsFor(host.PathValue("login"), s.NewToken))
	c.Handle("DELETE /_sim/tokens/{id}", host.ActsOn(s.RevokeToken))
	c.Handle("PATCH "+repo, host.DoesFor((*host.Command).Repo, s.ChangeRepo))
	c.Handle("POST "+repo+"/hooks", host.ReturnsFor((*host.Command).Repo, s.AddHook))
	c.Handle("GET /_sim/hooks", func(*host.Command) (any, error) { return s.Hooks(), nil })
	c.Handle("POST "+pr+"/notes", host.ReturnsForPull(s.Note))
	c.Handle("GET "+pr+"/notes", host.ListsOfPull(s.Notes))
	c.Handle("PUT "+pr+"/verdicts", func(cmd *host.Command) (any, error) {
		return host.Does(func(ctx context.Context, in simapi.VerdictSpec) error {
			return s.Verdict(ctx, cmd.Repo(), cmd.Pull(), in)
		})(cmd)
	})
	c.Handle("GET "+repo+"/statuses", host.ListsOf(s.Statuses))
	c.Handle("PUT /_sim/settings", host.Settings(s.Configure))
	return c
}

// RunOptions configures a simulator that runs as a process. The token is an access token of the sample's workspace.
type RunOptions = host.RunOptions

// Run serves until the context ends. It calls ready once with the address of the pages, before the pull requests of
// the seed are opened, so that their webhooks find their receivers.
func Run(ctx context.Context, opt RunOptions, ready func(baseURL string)) error {
	return run(ctx, opt, Options{}, ready)
}

// RunDataCenter is [Run] for Bitbucket Data Center.
func RunDataCenter(ctx context.Context, opt RunOptions, ready func(baseURL string)) error {
	return run(ctx, opt, Options{DataCenter: true}, ready)
}

// run serves with the mode that fixed names.
func run(ctx context.Context, opt RunOptions, fixed Options, ready func(baseURL string)) error {
	open := func(o host.Options) (*Server, error) {
		return New(Options{DataDir: o.DataDir, BaseURL: o.BaseURL, Doubts: o.Doubts, ControlToken: o.ControlToken, Logger: o.Logger, Now: o.Now,
			DataCenter: fixed.DataCenter})
	}
	return host.Run(ctx, "bitbucket", opt, open, func(s *Server) error {
		return demo.Start(ctx, s, opt.Seed, func() error { return s.attach(ctx, opt) }, func() { ready(s.BaseURL()) })
	})
}

// attach makes the webhook and the token, if the options ask for them.
func (s *Server) attach(ctx context.Context, opt RunOptions) error {
	if opt.TokenFile != "" {
		t, err := s.NewToken(ctx, "", simapi.TokenSpec{Name: "assay", Kind: simapi.AccessToken, Workspace: demo.Owner})
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
