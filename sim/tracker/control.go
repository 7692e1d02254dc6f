package tracker

import (
	"net/http"

	"github.com/assay-dev/assay/sim/host"
)

// controlHandler serves the control interface under /_sim.
func (s *Server) controlHandler() http.Handler {
	c, key := s.Control(), host.PathValue("key")
	c.Handle("POST /_sim/accounts", host.Returns(s.NewAccount))
	c.Handle("POST /_sim/accounts/{id}/revoke", func(cmd *host.Command) (any, error) {
		return nil, s.Revoke(cmd.R.Context(), cmd.R.PathValue("id"))
	})
	c.Handle("POST /_sim/projects", host.Does(s.NewProject))
	c.Handle("POST /_sim/issues", host.Returns(s.NewIssue))
	c.Handle("GET /_sim/issues/{key}", func(cmd *host.Command) (any, error) { return s.Issue(key(cmd)) })
	c.Handle("PATCH /_sim/issues/{key}", host.ReturnsFor(key, s.EditIssue))
	c.Handle("DELETE /_sim/issues/{key}", func(cmd *host.Command) (any, error) { return nil, s.DeleteIssue(cmd.R.Context(), key(cmd)) })
	c.Handle("POST /_sim/issues/{key}/comments", host.ReturnsFor(key, s.Comment))
	c.Handle("POST /_sim/issues/{key}/links", host.DoesFor(key, s.Link))
	c.Handle("POST /_sim/hooks", host.Does(s.NewHook))
	c.Handle("POST /_sim/apps", host.Returns(s.NewApp))
	c.Handle("POST /_sim/deliveries/{id}/resend", host.ActsOn(s.Resend))
	c.Handle("PUT /_sim/settings", host.Settings(s.Configure))
	return c
}
