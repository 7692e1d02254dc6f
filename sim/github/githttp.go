package github

import (
	"net/http"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host"
)

// serveGit answers git over smart HTTP. Only fetching is served; the token needs contents: read.
func (s *Server) serveGit(w http.ResponseWriter, r *http.Request, owner, name, rest string) {
	rec := s.rec.Arrive(simapi.Request{ArrivedUS: int64(s.nowMicros()), Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, UserAgent: r.UserAgent(), Route: "git"})
	done := func(status int) {
		s.rec.Update(func() { rec.Status, rec.RepliedUS = status, int64(s.nowMicros()) })
	}
	a, denied := s.authenticate(r)
	if denied == nil && a != nil && a.isApp {
		denied = fail(http.StatusUnauthorized, "Bad credentials")
	}
	s.mu.Lock()
	repo := s.st.repo(owner, name)
	var refused *reply
	if denied == nil {
		refused = s.mayUse(a, repo, "contents:read")
	}
	s.mu.Unlock()
	s.rec.Update(func() {
		if a != nil {
			rec.Actor, rec.InstallationID = a.login, a.instID
		}
	})
	if f := s.faults.Match(r.Method, r.URL.Path, nil, rec.Actor); f != nil {
		s.rec.Update(func() { rec.FaultID = f.ID })
		if s.faults.ServeGit(s.exchange(w, &call{s: s, r: r, rec: rec}, host.NoContent), f) {
			return
		}
	}
	switch {
	case denied != nil || (a == nil && refused != nil):
		w.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`)
		http.Error(w, "Invalid username or token.", http.StatusUnauthorized)
		done(http.StatusUnauthorized)
		return
	case refused != nil && refused.Status == http.StatusForbidden:
		http.Error(w, "Write access to repository not granted.", http.StatusForbidden)
		done(http.StatusForbidden)
		return
	case refused != nil:
		http.Error(w, "Repository not found.", http.StatusNotFound)
		done(http.StatusNotFound)
		return
	case host.IsPush(r, rest):
		http.Error(w, "Write access to repository not granted.", http.StatusForbidden)
		done(http.StatusForbidden)
		return
	}
	done(host.ServeGit(w, r, repo.git, rest))
}
