package github

import (
	"context"
	"net/http"

	"github.com/assay-dev/assay/sim/host"
)

// controlHandler serves the control interface under /_sim. Every request needs the control token.
func (s *Server) controlHandler() http.Handler {
	c := s.Control()
	c.CodeHost(s)
	id := func(cmd *host.Command) int64 { return cmd.ID("id") }
	c.Handle("PATCH "+host.RepoPath, host.DoesFor((*host.Command).Repo, s.UpdateRepo))
	c.Handle("POST /_sim/apps", host.Returns(s.RegisterApp))
	c.Handle("PATCH /_sim/apps/{id}", host.DoesFor(id, s.UpdateApp))
	c.Handle("POST /_sim/installations", host.Returns(s.Install))
	c.Handle("PATCH /_sim/installations/{id}", host.DoesFor(id, s.UpdateInstallation))
	c.Handle("DELETE /_sim/installations/{id}", host.ActsOn(s.Uninstall))
	c.Handle("GET /_sim/pulls/{owner}/{repo}/{number}/reviews", host.ListsOfPull(s.Reviews))
	c.Handle("GET "+host.RepoPath+"/check-runs", host.ListsOf(s.CheckRuns))
	c.Handle("POST "+host.RepoPath+"/rerequest", host.DoesFor((*host.Command).Repo, s.Rerequest))
	c.Handle("POST /_sim/deliveries/{id}/redeliver", host.DoesFor(id, func(ctx context.Context, id int64, in struct{ Copies int }) error {
		return s.Redeliver(ctx, id, in.Copies)
	}))
	c.Handle("PUT /_sim/settings", host.Settings(s.Configure))
	return c
}
