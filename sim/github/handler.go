package github

import (
	"net/http"
	"strings"

	"github.com/assay-dev/assay/sim/host"
)

// apiRoots are the first path segments that belong to the API; everything else is git or a page.
var apiRoots = map[string]bool{"app": true, "repos": true, "repositories": true, "installation": true, "orgs": true, "users": true, "user": true,
	"graphql": true, "rate_limit": true, "meta": true, "login": true, "app-manifests": true}

// buildHandler divides requests among control interface, API, git and pages.
func (s *Server) buildHandler() (http.Handler, error) {
	control := s.controlHandler()
	pages, err := s.pageHandler()
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.EscapedPath()
		first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
		if first == "_sim" {
			control.ServeHTTP(w, r)
			return
		}
		if strings.HasPrefix(path, logsPrefix) {
			s.serveLog(w, r)
			return
		}
		if rest, ok := strings.CutPrefix(path, "/api/v3/"); ok {
			s.serveAPI(w, r, "/"+rest)
			return
		}
		if path == "/api/graphql" {
			s.serveAPI(w, r, graphqlPath)
			return
		}
		if apiRoots[first] || isForm(path) {
			s.serveAPI(w, r, path)
			return
		}
		if owner, name, rest, ok := host.SplitGitPath(r.URL.Path); ok {
			s.serveGit(w, r, owner, name, rest)
			return
		}
		pages.ServeHTTP(w, r)
	}), nil
}
