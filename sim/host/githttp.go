package host

import (
	"bytes"
	"io"
	"net/http"
	"net/http/cgi"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host/gitrepo"
)

// SplitGitPath parses paths such as "/owner/name.git/info/refs".
func SplitGitPath(path string) (owner, name, rest string, ok bool) {
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

// IsPush reports whether a git request belongs to a push.
func IsPush(r *http.Request, rest string) bool {
	return rest == "/git-receive-pack" || r.URL.Query().Get("service") == "git-receive-pack"
}

// maxNegotiation bounds the body of a fetch request.
const maxNegotiation = 16 << 20

// GitAccess is a host's decision about a git request.
type GitAccess struct {
	// Actor and InstallationID go into the record.
	Actor          string
	InstallationID int64
	Repo           *gitrepo.Repo
	Push           *GitPush // nil: the host must refuse [IsPush]
	// Status refuses the request with Text; 0 allows the fetch.
	Status int
	Text   string
}

// ServeGit answers a git request over smart HTTP. path is the whole path, rest the part after the repository.
// It serves pushes if x.Push is set.
func (s *Server) ServeGit(w http.ResponseWriter, r *http.Request, path, rest string, x GitAccess) {
	rec := s.arrived(r, path)
	rec.Route, rec.Actor, rec.InstallationID = "git", x.Actor, x.InstallationID
	s.Recorder.Arrive(rec)
	if x.Status == 0 && x.Push != nil && rest == "/git-receive-pack" {
		s.servePush(w, r, rec, rest, x)
		return
	}
	if f := s.match(r, rec, nil); f != nil && s.Faults.serveGit(s.exchange(w, r, rec, func(string) *Reply { return NoContent() }), f) {
		return
	}
	status := x.Status
	switch status {
	case 0:
		pusher := ""
		if x.Push != nil {
			pusher = x.Actor
		}
		status = serveBackend(w, r, x.Repo, rest, pusher)
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Basic realm="`+s.Product()+`"`)
		http.Error(w, x.Text, status)
	default:
		http.Error(w, x.Text, status)
	}
	s.Recorder.Update(func() { rec.Status, rec.RepliedUS = status, int64(s.NowMicros()) })
}

// serveBackend passes a request to git's own CGI program and returns the status of the answer. pusher is the account of a push; git lets
// "" fetch only.
func serveBackend(w http.ResponseWriter, r *http.Request, repo *gitrepo.Repo, rest, pusher string) int {
	sw := &statusWriter{ResponseWriter: w, status: http.StatusOK}
	git, err := exec.LookPath("git")
	if err != nil {
		http.Error(sw, "git is not installed", http.StatusInternalServerError)
		return sw.status
	}
	body, err := io.ReadAll(http.MaxBytesReader(sw, r.Body, maxNegotiation))
	if err != nil {
		http.Error(sw, "request too large", http.StatusRequestEntityTooLarge)
		return sw.status
	}
	inner := r.Clone(r.Context())
	inner.TransferEncoding, inner.ContentLength = nil, int64(len(body)) // CGI does not support chunked bodies
	inner.Header.Set("Content-Length", strconv.Itoa(len(body)))
	inner.Header.Del("Authorization")
	inner.Body = io.NopCloser(bytes.NewReader(body))
	dir := repo.Dir()
	inner.URL.Path = "/" + filepath.Base(dir) + rest
	env := append(gitrepo.Env(), "GIT_PROJECT_ROOT="+absolute(filepath.Dir(dir)), "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER="+pusher)
	if p := r.Header.Get("Git-Protocol"); p == "version=2" || p == "version=1" {
		env = append(env, "GIT_PROTOCOL="+p)
	}
	h := cgi.Handler{Path: git, Args: []string{"http-backend"}, Root: "/", Dir: dir, Env: env, Logger: nil, Stderr: io.Discard}
	h.ServeHTTP(sw, inner)
	return sw.status
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// statusWriter records the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader records and passes on the status.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the real writer.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
