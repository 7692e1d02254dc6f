package github

import (
	"context"
	"net/http"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host"
)

// controlHandler serves the control interface under /_sim. Every request needs the control token.
func (s *Server) controlHandler() http.Handler {
	ctl := host.NewControl(host.Parts{Recorder: s.rec, Faults: s.faults, Sender: s.sender, Token: s.ControlToken})
	const pr = "/_sim/repos/{owner}/{repo}/pulls/{number}"
	ctl.Handle("POST /_sim/users", host.Returns(s.CreateUser))
	ctl.Handle("PATCH /_sim/users/{login}", func(c *host.Command) (any, error) {
		return nil, host.With(c, func(in simapi.UserUpdate) error { return s.UpdateUser(c.R.Context(), c.R.PathValue("login"), in) })
	})
	ctl.Handle("PATCH /_sim/repos/{owner}/{repo}", func(c *host.Command) (any, error) {
		return nil, host.With(c, func(in simapi.RepoUpdate) error { return s.UpdateRepo(c.R.Context(), c.Repo(), in) })
	})
	ctl.Handle("POST /_sim/apps", host.Returns(s.RegisterApp))
	ctl.Handle("PATCH /_sim/apps/{id}", func(c *host.Command) (any, error) {
		return nil, host.With(c, func(in simapi.AppUpdate) error { return s.UpdateApp(c.R.Context(), c.ID("id"), in) })
	})
	ctl.Handle("POST /_sim/installations", host.Returns(s.Install))
	ctl.Handle("PATCH /_sim/installations/{id}", func(c *host.Command) (any, error) {
		return nil, host.With(c, func(in simapi.InstallationUpdate) error {
			return s.UpdateInstallation(c.R.Context(), c.ID("id"), in)
		})
	})
	ctl.Handle("DELETE /_sim/installations/{id}", func(c *host.Command) (any, error) {
		return nil, s.Uninstall(c.R.Context(), c.ID("id"))
	})
	ctl.Handle("POST /_sim/repos", host.Returns(s.CreateRepo))
	ctl.Handle("POST /_sim/repos/{owner}/{repo}/commits", func(c *host.Command) (any, error) {
		return host.Returns(func(ctx context.Context, in simapi.CommitSpec) (simapi.Commit, error) {
			return s.Commit(ctx, c.Repo(), in)
		})(c)
	})
	ctl.Handle("POST /_sim/repos/{owner}/{repo}/pulls", func(c *host.Command) (any, error) {
		return host.Returns(func(ctx context.Context, in simapi.PullSpec) (simapi.Pull, error) {
			return s.OpenPull(ctx, c.Repo(), in)
		})(c)
	})
	ctl.Handle("GET "+pr, func(c *host.Command) (any, error) { return s.GetPull(c.R.Context(), c.Repo(), int(c.ID("number"))) })
	ctl.Handle("PATCH "+pr, func(c *host.Command) (any, error) {
		return host.Returns(func(ctx context.Context, in simapi.PullUpdate) (simapi.Pull, error) {
			return s.UpdatePull(ctx, c.Repo(), int(c.ID("number")), in)
		})(c)
	})
	ctl.Handle("POST "+pr+"/comments", func(c *host.Command) (any, error) {
		return host.Returns(func(ctx context.Context, in simapi.CommentSpec) (simapi.Comment, error) {
			return s.Comment(ctx, c.Repo(), int(c.ID("number")), in)
		})(c)
	})
	ctl.Handle("POST "+pr+"/suggestions", func(c *host.Command) (any, error) {
		return host.Returns(func(ctx context.Context, in simapi.SuggestionSpec) (simapi.Commit, error) {
			return s.ApplySuggestion(ctx, c.Repo(), int(c.ID("number")), in)
		})(c)
	})
	ctl.Handle("GET /_sim/pulls/{owner}/{repo}/{number}/reviews", func(c *host.Command) (any, error) { return s.Reviews(c.Repo(), int(c.ID("number"))) })
	ctl.Handle("GET /_sim/pulls/{owner}/{repo}/{number}/comments", func(c *host.Command) (any, error) { return s.Comments(c.Repo(), int(c.ID("number"))) })
	ctl.Handle("GET /_sim/repos/{owner}/{repo}/check-runs", func(c *host.Command) (any, error) { return s.CheckRuns(c.Repo()) })
	ctl.Handle("POST /_sim/repos/{owner}/{repo}/runs", func(c *host.Command) (any, error) {
		return host.Returns(func(ctx context.Context, in simapi.RunSpec) (simapi.Run, error) { return s.AddRun(ctx, c.Repo(), in) })(c)
	})
	ctl.Handle("POST /_sim/repos/{owner}/{repo}/rerequest", func(c *host.Command) (any, error) {
		return nil, host.With(c, func(in simapi.RerequestSpec) error { return s.Rerequest(c.R.Context(), c.Repo(), in) })
	})
	ctl.Handle("POST /_sim/deliveries/{id}/redeliver", func(c *host.Command) (any, error) {
		return nil, host.With(c, func(in redeliverInput) error { return s.Redeliver(c.R.Context(), c.ID("id"), in.Copies) })
	})
	ctl.Handle("PUT /_sim/settings", host.Returns(func(_ context.Context, in simapi.Settings) (simapi.Settings, error) { return in, s.Configure(in) }))
	ctl.Handle("POST /_sim/seed", host.Returns(func(ctx context.Context, in seedInput) (any, error) { return nil, s.Seed(ctx, in.Name) }))
	return ctl
}

type (
	redeliverInput struct{ Copies int }
	seedInput      struct{ Name string }
)
