package github

import (
	"bytes"
	"io"
	"net/http"
	"net/http/cgi"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

// splitGitPath reads "/owner/name.git/info/refs" and its like.
func splitGitPath(path string) (owner, name, rest string, ok bool) {
	parts := strings.SplitN(strings.TrimPrefix(path, "/"), "/", 3)
	if len(parts) != 3 {
		return "", "", "", false
	}
	switch parts[2] {
	case "info/refs", "git-upload-pack", "git-receive-pack":
		return parts[0], strings.TrimSuffix(parts[1], ".git"), "/" + parts[2], true
	}
	return "", "", "", false
}

// maxNegotiation bounds the body of a fetch request.
const maxNegotiation = 16 << 20

// serveGit answers git over smart HTTP. Only fetching is served; the token needs contents: read.
func (s *Server) serveGit(w http.ResponseWriter, r *http.Request, owner, name, rest string) {
	rec := s.rec.arrive(simapi.Request{ArrivedUS: int64(s.nowMicros()), Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, UserAgent: r.UserAgent(), Route: "git"})
	done := func(status int) {
		s.rec.update(func() { rec.Status, rec.RepliedUS = status, int64(s.nowMicros()) })
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
	s.rec.update(func() {
		if a != nil {
			rec.Actor, rec.InstallationID = a.login, a.instID
		}
	})
	if f := s.faults.match(r.Method, r.URL.Path, nil, rec.Actor); f != nil {
		s.rec.update(func() { rec.FaultID = f.ID })
		if stop := s.gitFault(w, r, rec, f); stop {
			return
		}
	}
	switch {
	case denied != nil || (a == nil && refused != nil):
		w.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`)
		http.Error(w, "Invalid username or token.", http.StatusUnauthorized)
		done(http.StatusUnauthorized)
		return
	case refused != nil && refused.status == http.StatusForbidden:
		http.Error(w, "Write access to repository not granted.", http.StatusForbidden)
		done(http.StatusForbidden)
		return
	case refused != nil:
		http.Error(w, "Repository not found.", http.StatusNotFound)
		done(http.StatusNotFound)
		return
	case rest == "/git-receive-pack" || r.URL.Query().Get("service") == "git-receive-pack":
		http.Error(w, "Write access to repository not granted.", http.StatusForbidden)
		done(http.StatusForbidden)
		return
	}
	sw := &statusWriter{ResponseWriter: w, status: http.StatusOK}
	s.runBackend(sw, r, repo, rest)
	done(sw.status)
}

// gitFault does what a fault says to a git request; true means that the request ends here. Actions that speak of applying
// hold or delay only, because fetching changes nothing.
func (s *Server) gitFault(w http.ResponseWriter, r *http.Request, rec *simapi.Request, f *fault) bool {
	switch f.Action {
	case simapi.ListLag:
		return false
	case simapi.Latency:
		s.wait(time.Duration(f.DelayMS)*time.Millisecond, nil)
		return false
	case simapi.Hold:
		s.faults.waiting(f, 1)
		select {
		case <-f.release:
		case <-s.ctx.Done():
		}
		s.faults.waiting(f, -1)
		if s.faults.decisionOf(f) == simapi.Apply {
			return false
		}
		s.reset(w)
		return true
	}
	s.serveFault(w, &call{s: s, r: r, rec: rec}, f, noContent)
	return true
}

// runBackend hands the request to git's own CGI program.
func (s *Server) runBackend(w http.ResponseWriter, r *http.Request, repo *repository, rest string) {
	git, err := exec.LookPath("git")
	if err != nil {
		http.Error(w, "git is not installed", http.StatusInternalServerError)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxNegotiation))
	if err != nil {
		http.Error(w, "request too large", http.StatusRequestEntityTooLarge)
		return
	}
	inner := r.Clone(r.Context())
	inner.TransferEncoding, inner.ContentLength = nil, int64(len(body)) // CGI knows no chunked bodies
	inner.Header.Set("Content-Length", strconv.Itoa(len(body)))
	inner.Header.Del("Authorization")
	inner.Body = io.NopCloser(bytes.NewReader(body))
	dir := repo.git.Dir()
	inner.URL.Path = "/" + filepath.Base(dir) + rest
	env := append(gitrepo.Env(), "GIT_PROJECT_ROOT="+absolute(filepath.Dir(dir)), "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=")
	if p := r.Header.Get("Git-Protocol"); p == "version=2" || p == "version=1" {
		env = append(env, "GIT_PROTOCOL="+p)
	}
	h := cgi.Handler{Path: git, Args: []string{"http-backend"}, Root: "/", Dir: dir, Env: env, Logger: nil, Stderr: io.Discard}
	h.ServeHTTP(w, inner)
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader remembers and passes on the status.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the real writer.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
