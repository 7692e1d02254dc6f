package gitea

import (
	"net/http"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// serveGit answers git over smart HTTP. Only fetching is served; the token needs read:repository.
func (s *Server) serveGit(w http.ResponseWriter, r *http.Request, owner, name, rest string) {
	rec := s.rec.Arrive(simapi.Request{ArrivedUS: int64(s.nowMicros()), Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, UserAgent: r.UserAgent(), Route: "git"})
	done := func(status int) {
		s.rec.Update(func() { rec.Status, rec.RepliedUS = status, int64(s.nowMicros()) })
	}
	a, denied := s.authenticate(r)
	s.mu.Lock()
	repo := s.st.repo(owner, name)
	var refused *reply
	switch {
	case repo == nil:
		refused = notFoundAt(s.base)
	case denied == nil:
		refused = s.mayUse(a, repo, "read")
	}
	s.mu.Unlock()
	s.rec.Update(func() {
		if a != nil {
			rec.Actor = a.login
		}
	})
	if f := s.faults.Match(r.Method, r.URL.Path, nil, rec.Actor); f != nil {
		s.rec.Update(func() { rec.FaultID = f.ID })
		x := host.Exchange{W: w, R: r, Apply: func(string) *reply { return host.NoContent() }, Finish: func(rep *reply) { s.finish(w, r, rec, rep) },
			Fail: func(status int) *reply { return s.fail(status, "") }}
		if s.faults.ServeGit(x, f) {
			return
		}
	}
	switch {
	case denied != nil || a == nil && refused != nil:
		w.Header().Set("WWW-Authenticate", `Basic realm="`+s.product()+`"`)
		http.Error(w, "Unauthorized", http.StatusUnauthorized)
		done(http.StatusUnauthorized)
	case refused != nil:
		http.Error(w, "Not Found", http.StatusNotFound)
		done(http.StatusNotFound)
	case a != nil && !a.may("repository", "read") || host.IsPush(r, rest):
		http.Error(w, "token does not have at least one of required scope(s)", http.StatusForbidden)
		done(http.StatusForbidden)
	default:
		done(host.ServeGit(w, r, repo.git, rest))
	}
}
