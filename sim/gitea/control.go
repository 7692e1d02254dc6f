package gitea

import (
	"context"
	"net/http"

	"github.com/assay-dev/assay/sim/gitea/simapi"
	"github.com/assay-dev/assay/sim/host"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// controlHandler serves the control interface under /_sim.
func (s *Server) controlHandler() http.Handler {
	c := host.NewControl(host.Parts{Recorder: s.rec, Faults: s.faults, Sender: s.sender, Token: s.ControlToken})
	const repo = "/_sim/repos/{owner}/{repo}"
	const pr = repo + "/pulls/{number}"
	c.Handle("POST /_sim/users", host.Returns(s.CreateUser))
	c.Handle("PATCH /_sim/users/{login}", func(cmd *host.Command) (any, error) {
		return nil, host.With(cmd, func(in shared.UserUpdate) error { return s.UpdateUser(cmd.R.Context(), cmd.R.PathValue("login"), in) })
	})
	c.Handle("PATCH /_sim/users/{login}/flags", func(cmd *host.Command) (any, error) {
		return nil, host.With(cmd, func(in simapi.UserFlags) error { return s.FlagUser(cmd.R.Context(), cmd.R.PathValue("login"), in) })
	})
	c.Handle("POST /_sim/users/{login}/tokens", func(cmd *host.Command) (any, error) {
		return host.Returns(func(ctx context.Context, in simapi.TokenSpec) (simapi.Token, error) {
			return s.NewToken(ctx, cmd.R.PathValue("login"), in)
		})(cmd)
	})
	c.Handle("DELETE /_sim/tokens/{id}", func(cmd *host.Command) (any, error) { return nil, s.RevokeToken(cmd.R.Context(), cmd.ID("id")) })
	c.Handle("PUT /_sim/orgs/{org}/teams", func(cmd *host.Command) (any, error) {
		return nil, host.With(cmd, func(in simapi.TeamSpec) error { return s.SetTeam(cmd.R.Context(), cmd.R.PathValue("org"), in) })
	})
	c.Handle("POST /_sim/clients", host.Returns(s.RegisterClient))
	c.Handle("POST /_sim/repos", host.Returns(s.CreateRepo))
	c.Handle("PATCH "+repo, func(cmd *host.Command) (any, error) {
		return nil, host.With(cmd, func(in simapi.RepoChange) error { return s.ChangeRepo(cmd.R.Context(), cmd.Repo(), in) })
	})
	c.Handle("POST "+repo+"/commits", func(cmd *host.Command) (any, error) {
		return host.Returns(func(ctx context.Context, in shared.CommitSpec) (shared.Commit, error) {
			return s.Commit(ctx, cmd.Repo(), in)
		})(cmd)
	})
	c.Handle("POST "+repo+"/hooks", func(cmd *host.Command) (any, error) {
		return host.Returns(func(ctx context.Context, in simapi.HookSpec) (simapi.Hook, error) {
			return s.AddHook(ctx, cmd.Repo(), in)
		})(cmd)
	})
	c.Handle("GET /_sim/hooks", func(*host.Command) (any, error) { return s.Hooks(), nil })
	c.Handle("POST "+repo+"/pulls", func(cmd *host.Command) (any, error) {
		return host.Returns(func(ctx context.Context, in shared.PullSpec) (shared.Pull, error) {
			return s.OpenPull(ctx, cmd.Repo(), in)
		})(cmd)
	})
	c.Handle("GET "+pr, func(cmd *host.Command) (any, error) {
		return s.GetPull(cmd.R.Context(), cmd.Repo(), int(cmd.ID("number")))
	})
	c.Handle("PATCH "+pr, func(cmd *host.Command) (any, error) {
		return host.Returns(func(ctx context.Context, in shared.PullUpdate) (shared.Pull, error) {
			return s.UpdatePull(ctx, cmd.Repo(), int(cmd.ID("number")), in)
		})(cmd)
	})
	c.Handle("POST "+pr+"/comments", func(cmd *host.Command) (any, error) {
		return host.Returns(func(ctx context.Context, in shared.CommentSpec) (shared.Comment, error) {
			return s.Comment(ctx, cmd.Repo(), int(cmd.ID("number")), in)
		})(cmd)
	})
	c.Handle("POST "+pr+"/reviews", func(cmd *host.Command) (any, error) {
		return host.Returns(func(ctx context.Context, in simapi.ReviewSpec) (shared.Review, error) {
			return s.Review(ctx, cmd.Repo(), int(cmd.ID("number")), in)
		})(cmd)
	})
	c.Handle("POST "+pr+"/replies", func(cmd *host.Command) (any, error) {
		return host.Returns(func(ctx context.Context, in simapi.ReplySpec) (shared.Comment, error) {
			return s.Reply(ctx, cmd.Repo(), int(cmd.ID("number")), in)
		})(cmd)
	})
	c.Handle("PATCH "+repo+"/comments/{id}", func(cmd *host.Command) (any, error) {
		return nil, host.With(cmd, func(in simapi.EditSpec) error { return s.EditComment(cmd.R.Context(), cmd.Repo(), cmd.ID("id"), in) })
	})
	c.Handle("GET /_sim/pulls/{owner}/{repo}/{number}/reviews", func(cmd *host.Command) (any, error) { return s.Reviews(cmd.Repo(), int(cmd.ID("number"))) })
	c.Handle("GET /_sim/pulls/{owner}/{repo}/{number}/comments", func(cmd *host.Command) (any, error) { return s.Comments(cmd.Repo(), int(cmd.ID("number"))) })
	c.Handle("GET /_sim/pulls/{owner}/{repo}/{number}/shown/{login}", func(cmd *host.Command) (any, error) {
		return s.Shown(cmd.Repo(), int(cmd.ID("number")), cmd.R.PathValue("login"))
	})
	c.Handle("GET /_sim/pulls/{owner}/{repo}/{number}/mails", func(cmd *host.Command) (any, error) { return s.Mails(cmd.Repo(), int(cmd.ID("number"))) })
	c.Handle("POST "+repo+"/runs", func(cmd *host.Command) (any, error) {
		return host.Returns(func(ctx context.Context, in shared.RunSpec) (shared.Run, error) { return s.AddRun(ctx, cmd.Repo(), in) })(cmd)
	})
	c.Handle("GET "+repo+"/statuses", func(cmd *host.Command) (any, error) { return s.Statuses(cmd.Repo()) })
	c.Handle("POST /_sim/deliveries/{id}/replay", func(cmd *host.Command) (any, error) { return nil, s.Replay(cmd.R.Context(), cmd.ID("id")) })
	c.Handle("PUT /_sim/settings", host.Returns(func(_ context.Context, in simapi.Settings) (simapi.Settings, error) { return in, s.Configure(in) }))
	c.Handle("POST /_sim/seed", func(cmd *host.Command) (any, error) {
		return nil, host.With(cmd, func(in struct{ Name string }) error { return s.Seed(cmd.R.Context(), in.Name) })
	})
	return c
}
