package gitea

import (
	"net/http"

	"github.com/assay-dev/assay/sim/host"
)

// controlHandler serves the control interface under /_sim.
func (s *Server) controlHandler() http.Handler {
	const repo, pr = host.RepoPath, host.PullPath
	c := s.Control()
	c.CodeHost(s)
	c.Handle("PATCH /_sim/users/{login}/flags", host.DoesFor(host.PathValue("login"), s.FlagUser))
	c.Handle("POST /_sim/users/{login}/tokens", host.ReturnsFor(host.PathValue("login"), s.NewToken))
	c.Handle("DELETE /_sim/tokens/{id}", host.ActsOn(s.RevokeToken))
	c.Handle("PUT /_sim/orgs/{org}/teams", host.DoesFor(host.PathValue("org"), s.SetTeam))
	c.Handle("POST /_sim/clients", host.Returns(s.RegisterClient))
	c.Handle("PATCH "+repo, host.DoesFor((*host.Command).Repo, s.ChangeRepo))
	c.Handle("POST "+repo+"/hooks", host.ReturnsFor((*host.Command).Repo, s.AddHook))
	c.Handle("GET /_sim/hooks", func(*host.Command) (any, error) { return s.Hooks(), nil })
	c.Handle("POST "+pr+"/reviews", host.ReturnsForPull(s.Review))
	c.Handle("GET /_sim/pulls/{owner}/{repo}/{number}/reviews", host.ListsOfPull(s.Reviews))
	c.Handle("GET /_sim/pulls/{owner}/{repo}/{number}/shown/{login}", func(cmd *host.Command) (any, error) {
		return s.Shown(cmd.Repo(), cmd.Pull(), cmd.R.PathValue("login"))
	})
	c.Handle("GET /_sim/pulls/{owner}/{repo}/{number}/mails", host.ListsOfPull(s.Mails))
	c.Handle("GET "+repo+"/statuses", host.ListsOf(s.Statuses))
	c.Handle("POST /_sim/deliveries/{id}/replay", host.ActsOn(s.Replay))
	c.Handle("PUT /_sim/settings", host.Settings(s.Configure))
	return c
}
