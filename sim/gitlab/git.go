package gitlab

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// splitGit reads "/group/sub/project.git/info/refs" and its like.
func splitGit(path string) (full, inner string, isGit bool) {
	for _, end := range []string{"/info/refs", "/git-upload-pack", "/git-receive-pack"} {
		if at, found := strings.CutSuffix(path, ".git"+end); found {
			name, err := url.PathUnescape(strings.TrimPrefix(at, "/"))
			return name, end, err == nil
		}
	}
	return "", "", false
}

// serveGit answers git over smart HTTP. Only fetching is served; the token needs api, read_repository or write_repository.
func (s *Server) serveGit(w http.ResponseWriter, r *http.Request, full, inner string) {
	rec := s.rec.Arrive(simapi.Request{ArrivedUS: int64(s.nowMicros()), Method: r.Method, Path: "/" + full + ".git" + inner, Query: r.URL.RawQuery,
		UserAgent: r.UserAgent(), Route: "git"})
	done := func(status int) {
		s.rec.Update(func() { rec.Status, rec.RepliedUS = status, int64(s.nowMicros()) })
	}
	a, denied := s.authenticate(r)
	s.mu.Lock()
	p := s.st.project(full)
	if p == nil {
		p = s.st.Projects[s.st.Moved[strings.ToLower(full)]]
	}
	allowed := false
	if p != nil && denied == nil {
		var u *user
		if a != nil {
			u = a.user
		}
		_, allowed = s.st.sees(u, p)
	}
	s.mu.Unlock()
	if a != nil {
		s.rec.Update(func() { rec.Actor = a.user.Login })
	}
	if f := s.faults.Match(r.Method, rec.Path, nil, rec.Actor); f != nil {
		s.rec.Update(func() { rec.FaultID = f.ID })
		x := host.Exchange{W: w, R: r, Apply: func(string) *reply { return host.NoContent() }, Finish: func(rep *reply) { s.finish(w, r, rec, rep) },
			Fail: func(status int) *reply { return failure(status, "git") }, Canned: s.canned}
		if s.faults.ServeGit(x, f) {
			return
		}
	}
	refuse := func(status int, text string) {
		http.Error(w, text, status)
		done(status)
	}
	switch {
	case denied != nil || a == nil && !allowed:
		w.Header().Set("WWW-Authenticate", `Basic realm="GitLab"`)
		refuse(http.StatusUnauthorized, "HTTP Basic: Access denied.")
	case !allowed:
		refuse(http.StatusNotFound, "The project you were looking for could not be found or you don't have permission to view it.")
	case a != nil && !a.may(http.MethodPost, []string{"read_repository", "write_repository"}), host.IsPush(r, inner):
		refuse(http.StatusForbidden, "You are not allowed to do this.")
	default:
		done(host.ServeGit(w, r, p.git, inner))
	}
}
