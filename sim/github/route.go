package github

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host"
)

// who names the callers that may use a route.
type who int

const (
	anyone  who = iota // also without credentials
	asApp              // an app's JWT
	asInst             // an installation token
	withAny            // an installation or personal token
)

// route is one line of the table. The first match wins, so literal segments come before variables.
type route struct {
	method  string
	pattern string
	who     who
	// need is the permission as "name:level"; "|" separates alternatives; empty means metadata.
	need string
	h    func(*call) *reply
}

// restful reports whether the pattern has a repository.
func (r *route) restful() bool {
	return strings.HasPrefix(r.pattern, repoRoute) || strings.HasPrefix(r.pattern, "/repositories/")
}

// call is one API request with its context for a handler.
type call struct {
	*host.Call
	s     *Server
	route *route
	actor *actor
	repo  *repository
}

const maxBody = 25 << 20

// apiRoots are the first path segments that belong to the API; everything else is git or a page.
var apiRoots = map[string]bool{"app": true, "repos": true, "repositories": true, "installation": true, "orgs": true, "users": true,
	"user":    true,
	"graphql": true, "rate_limit": true, "meta": true, "login": true, "app-manifests": true}

// router divides requests among the API, the storage of logs, git and pages.
func (s *Server) router(pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.EscapedPath()
		first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
		rest, isAPI := strings.CutPrefix(path, "/api/v3/")
		switch owner, name, inner, isGit := host.SplitGitPath(r.URL.Path); {
		case strings.HasPrefix(path, logsPrefix):
			s.serveLog(w, r)
		case isAPI:
			s.ServeAPI(w, r, "/"+rest)
		case path == "/api/graphql":
			s.ServeAPI(w, r, graphqlPath)
		case apiRoots[first], isForm(path):
			s.ServeAPI(w, r, path)
		case isGit:
			s.ServeGit(w, r, r.URL.Path, inner, s.gitAccess(r, owner, name, inner))
		default:
			pages.ServeHTTP(w, r)
		}
	})
}

// secretRoutes have secrets in their bodies, so the record omits the bodies.
var secretRoutes = []string{tokenRoute, accessTokenRoute}

// begin finds the route and the caller of a request.
func (s *Server) begin(in *host.Call) func() *reply {
	c := &call{Call: in, s: s}
	c.route, c.Vars = s.routes.Find(c.R.Method, c.Path)
	var denied *reply
	c.actor, denied = s.authenticate(c.R)
	login, pattern := "", ""
	if c.actor != nil {
		login, c.Rec.InstallationID = c.actor.login, c.actor.instID
	}
	if c.route != nil {
		pattern = c.route.pattern
	}
	if pattern == graphqlPath {
		c.Rec.Operation = operationName(c.Body)
		c.Rec.Write = c.Rec.Write && strings.HasPrefix(c.Rec.Operation, "mutation ")
	}
	c.Note(login, pattern, secretRoutes)
	return func() *reply {
		if denied != nil {
			return denied
		}
		return s.apply(c)
	}
}

// apply runs the checks and the handler of a call.
func (s *Server) apply(c *call) *reply {
	if c.route == nil {
		return notFound()
	}
	if limited := s.limits.take(s, c); limited != nil {
		return limited
	}
	if refused := s.authorise(c); refused != nil {
		return refused
	}
	rep := c.route.h(c)
	if c.route.need != "" {
		rep.Set("X-Accepted-GitHub-Permissions", strings.ReplaceAll(strings.ReplaceAll(c.route.need, ":", "="), "|", "; "))
	}
	return rep
}

// gitAccess decides about a git request; the token needs contents: read.
func (s *Server) gitAccess(r *http.Request, owner, name, rest string) (x host.GitAccess) {
	a, denied := s.authenticate(r)
	if denied == nil && a != nil && a.isApp {
		denied = fail(http.StatusUnauthorized, "Bad credentials")
	}
	if a != nil {
		x.Actor, x.InstallationID = a.login, a.instID
	}
	s.Mu.Lock()
	repo := s.st.repo(owner, name)
	var refused *reply
	if denied == nil {
		refused = s.mayUse(a, repo, "contents:read")
	}
	s.Mu.Unlock()
	switch {
	case denied != nil || a == nil && refused != nil:
		x.Status, x.Text = http.StatusUnauthorized, "Invalid username or token."
	case refused != nil && refused.Status != http.StatusForbidden:
		x.Status, x.Text = http.StatusNotFound, "Repository not found."
	case refused != nil, host.IsPush(r, rest):
		x.Status, x.Text = http.StatusForbidden, "Write access to repository not granted."
	default:
		x.Repo = repo.git
	}
	return x
}

// canned returns the answers of faults that apply nothing; nil leaves the answer to the fault.
func (s *Server) canned(f simapi.Fault) *reply {
	now, seconds, status := s.HostTime(), f.RetrySeconds, host.StatusOr(f.Status, http.StatusForbidden)
	switch f.Action {
	case simapi.SecondaryRetryAfter:
		return secondaryLimit(status).Set("Retry-After", strconv.Itoa(seconds))
	case simapi.SecondaryRetryDate:
		return secondaryLimit(status).Set("Retry-After", now.Add(time.Duration(seconds)*time.Second).UTC().Format(http.TimeFormat))
	case simapi.SecondaryBodyOnly:
		rep := secondaryLimit(status)
		rep.Bare = true
		return rep
	case simapi.PrimaryLimit:
		limit, _, _ := s.limitSettings()
		return primaryLimit(status, limit, now.Add(time.Duration(seconds)*time.Second))
	case simapi.Forbidden:
		return noAccess()
	case simapi.GraphQLRateLimited:
		return ok(obj{"errors": []obj{{"type": "RATE_LIMITED", "message": "API rate limit exceeded for installation."}}})
	}
	return nil
}

// head sets the headers of every answer.
func (s *Server) head(h http.Header, rec *simapi.Request, rep *reply) {
	if !rep.Bare {
		s.limits.headers(s, h, rec)
	}
	h.Set("X-GitHub-Request-Id", requestID(rec.Seq))
	h.Set("X-GitHub-Api-Version-Selected", "2022-11-28")
	h.Set("X-GitHub-Media-Type", "github.v3; format=json")
	h.Set("Server", "github-simulator")
}

// unreadable answers a body that is not JSON or does not fit.
func unreadable(err error) *reply {
	if _, isSyntax := err.(*json.SyntaxError); isSyntax {
		return fail(http.StatusBadRequest, "Problems parsing JSON")
	}
	return fail(http.StatusUnprocessableEntity, "Invalid request.\n\nFor 'body', the value has the wrong type.")
}

// wrote records that the call changed something. It takes its own lock, so Server.Mu may be held or not.
func (c *call) wrote(kind, verb string, id int64, number int) {
	w := simapi.Write{Kind: kind, Verb: verb, ID: id, Number: number}
	if c.repo != nil {
		w.Repository = c.repo.FullName()
	}
	c.Wrote(w)
}
