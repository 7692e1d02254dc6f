package azuredevops

import (
	"context"
	"net/http"

	"github.com/assay-dev/assay/sim/azuredevops/simapi"
	"github.com/assay-dev/assay/sim/host"
)

// controlHandler serves the control interface under /_sim. Paths contain the slash between organisation and project in escaped form.
func (s *Server) controlHandler() http.Handler {
	const repo, pull = host.RepoPath, host.PullPath
	c := s.Control()
	c.CodeHost(s)
	c.Handle("PATCH /_sim/users/{login}/flags", host.DoesFor(host.PathValue("login"), s.FlagUser))
	c.Handle("POST /_sim/users/{login}/tokens", host.ReturnsFor(host.PathValue("login"), s.NewToken))
	c.Handle("DELETE /_sim/tokens/{id}", host.ActsOn(s.RevokeToken))
	c.Handle("POST /_sim/apps", host.Does(s.RegisterApp))
	c.Handle("PATCH "+repo, host.DoesFor((*host.Command).Repo, s.ChangeRepo))
	c.Handle("GET /_sim/subscriptions", func(*host.Command) (any, error) { return s.Subscriptions(), nil })
	c.Handle("PATCH /_sim/subscriptions/{id}", host.DoesFor(host.PathValue("id"), s.ChangeSubscription))
	c.Handle("POST "+pull+"/threads", host.ReturnsForPull(s.Thread))
	c.Handle("GET "+pull+"/threads", host.ListsOfPull(s.Threads))
	c.Handle("POST "+pull+"/votes", func(cmd *host.Command) (any, error) {
		return host.Returns(func(ctx context.Context, in simapi.Vote) (any, error) {
			return nil, s.Vote(ctx, cmd.Repo(), cmd.Pull(), in)
		})(cmd)
	})
	c.Handle("GET "+repo+"/statuses", host.ListsOf(s.Statuses))
	c.Handle("POST "+repo+"/statuses", host.DoesFor((*host.Command).Repo, s.SetStatus))
	c.Handle("POST /_sim/deliveries/{id}/resend", host.ActsOn(s.Resend))
	c.Handle("PUT /_sim/settings", host.Settings(s.Configure))
	return c
}
