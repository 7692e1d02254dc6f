package gitlab

import (
	"net/http"

	"github.com/assay-dev/assay/sim/host"
)

// controlHandler serves the control interface under /_sim. Paths contain the slashes of a group in escaped
// form.
func (s *Server) controlHandler() http.Handler {
	const repo, mr = host.RepoPath, host.PullPath
	c := s.Control()
	c.CodeHost(s)
	c.Handle("PATCH /_sim/users/{login}/flags", host.DoesFor(host.PathValue("login"), s.FlagUser))
	c.Handle("POST /_sim/users/{login}/tokens", host.ReturnsFor(host.PathValue("login"), s.NewToken))
	c.Handle("DELETE /_sim/tokens/{id}", host.ActsOn(s.RevokeToken))
	c.Handle("POST /_sim/clients", host.Returns(s.RegisterClient))
	c.Handle("PATCH "+repo, host.DoesFor((*host.Command).Repo, s.ChangeRepo))
	c.Handle("POST "+repo+"/hooks", host.ReturnsFor((*host.Command).Repo, s.AddHook))
	c.Handle("GET /_sim/hooks", func(*host.Command) (any, error) { return s.Hooks(), nil })
	c.Handle("POST "+mr+"/notes", host.ReturnsForPull(s.Note))
	c.Handle("GET "+mr+"/notes", host.ListsOfPull(s.Notes))
	c.Handle("GET "+mr+"/drafts", host.ListsOfPull(s.Drafts))
	c.Handle("GET "+repo+"/statuses", host.ListsOf(s.Statuses))
	c.Handle("POST /_sim/deliveries/{id}/resend", host.ActsOn(s.Resend))
	c.Handle("PUT /_sim/settings", host.Settings(s.Configure))
	return c
}
