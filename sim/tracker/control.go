package tracker

import (
	"context"
	"net/http"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/tracker/simapi"
)

// controlHandler serves the control interface under /_sim.
func (s *Server) controlHandler() http.Handler {
	c := host.NewControl(host.Parts{Recorder: s.rec, Faults: s.faults, Sender: s.sender, Token: s.ControlToken})
	key := func(cmd *host.Command) string { return cmd.R.PathValue("key") }
	c.Handle("POST /_sim/accounts", host.Returns(s.NewAccount))
	c.Handle("POST /_sim/accounts/{id}/revoke", func(cmd *host.Command) (any, error) {
		return nil, s.Revoke(cmd.R.Context(), cmd.R.PathValue("id"))
	})
	c.Handle("POST /_sim/projects", func(cmd *host.Command) (any, error) {
		return nil, host.With(cmd, func(in simapi.ProjectSpec) error { return s.NewProject(cmd.R.Context(), in) })
	})
	c.Handle("POST /_sim/issues", host.Returns(s.NewIssue))
	c.Handle("GET /_sim/issues/{key}", func(cmd *host.Command) (any, error) { return s.Issue(key(cmd)) })
	c.Handle("PATCH /_sim/issues/{key}", func(cmd *host.Command) (any, error) {
		return host.Returns(func(ctx context.Context, in simapi.IssueChange) (simapi.Issue, error) {
			return s.EditIssue(ctx, key(cmd), in)
		})(cmd)
	})
	c.Handle("DELETE /_sim/issues/{key}", func(cmd *host.Command) (any, error) { return nil, s.DeleteIssue(cmd.R.Context(), key(cmd)) })
	c.Handle("POST /_sim/issues/{key}/comments", func(cmd *host.Command) (any, error) {
		return host.Returns(func(ctx context.Context, in simapi.CommentSpec) (simapi.Comment, error) {
			return s.Comment(ctx, key(cmd), in)
		})(cmd)
	})
	c.Handle("POST /_sim/issues/{key}/links", func(cmd *host.Command) (any, error) {
		return nil, host.With(cmd, func(in simapi.Link) error { return s.Link(cmd.R.Context(), key(cmd), in) })
	})
	c.Handle("POST /_sim/hooks", func(cmd *host.Command) (any, error) {
		return nil, host.With(cmd, func(in simapi.HookSpec) error { return s.NewHook(cmd.R.Context(), in) })
	})
	c.Handle("POST /_sim/apps", host.Returns(s.NewApp))
	c.Handle("POST /_sim/deliveries/{id}/resend", func(cmd *host.Command) (any, error) { return nil, s.Resend(cmd.R.Context(), cmd.ID("id")) })
	c.Handle("PUT /_sim/settings", host.Returns(func(_ context.Context, in simapi.Settings) (simapi.Settings, error) { return in, s.Configure(in) }))
	return c
}
