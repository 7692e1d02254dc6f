package gitea

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/simapi"
)

const apiPrefix = "/api/v1"

// route is one line of the table. The first match wins, so literal segments come before variables.
type route struct {
	method  string
	pattern string
	// scope is the category of token scopes, such as "repository"; "+" joins several.
	scope string
	// need is the role that the caller needs in the repository of the path: "", "read", "write", "admin",
	// "owner".
	need string
	// open routes answer without credentials.
	open bool
	h    func(*call) *reply
}

// inRepo reports whether the pattern has {owner} and {repo}.
func (r *route) inRepo() bool { return strings.HasPrefix(r.pattern, repoRoute) }

// call is one request of the REST interface with its context for a handler.
type call struct {
	*host.Call
	s     *Server
	route *route
	actor *actor
	repo  *repository
}

// maxBody bounds a request of the REST interface.
const maxBody = 25 << 20

// router divides requests among the REST interface, sign-in, git and pages.
func (s *Server) router(pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.EscapedPath()
		rest, isAPI := strings.CutPrefix(path, apiPrefix+"/")
		switch owner, name, inner, isGit := host.SplitGitPath(r.URL.Path); {
		case isAPI:
			s.ServeAPI(w, r, "/"+rest)
		case path == "/api/healthz", path == "/api/forgejo/v1/version", strings.HasPrefix(path, "/login/oauth/"),
			strings.HasPrefix(path, "/.well-known/"):
			s.ServeAPI(w, r, path)
		case isGit:
			s.ServeGit(w, r, r.URL.Path, inner, s.gitAccess(r, owner, name, inner))
		default:
			pages.ServeHTTP(w, r)
		}
	})
}

// secretRoutes have secrets in their bodies, so the record omits the bodies.
var secretRoutes = []string{accessTokenRoute, "/repos/{owner}/{repo}/hooks", "/repos/{owner}/{repo}/hooks/{id}",
	"/orgs/{org}/hooks", "/orgs/{org}/hooks/{id}"}

// begin finds the route and the caller of a request.
func (s *Server) begin(in *host.Call) func() *reply {
	c := &call{Call: in, s: s}
	c.route = s.routes.Enter(in, secretRoutes)
	var denied *reply
	c.actor, denied = s.authenticate(c.R)
	if c.actor != nil {
		c.Rec.Actor = c.actor.login
	}
	return func() *reply {
		switch {
		case denied != nil:
			return denied
		case c.route == nil:
			return c.notFound()
		}
		if refused := c.authorise(); refused != nil {
			return refused
		}
		return c.route.h(c)
	}
}

// gitAccess decides about a git request; the token needs read:repository.
func (s *Server) gitAccess(r *http.Request, owner, name, inner string) (x host.GitAccess) {
	a, denied := s.authenticate(r)
	if a != nil {
		x.Actor = a.login
	}
	s.Mu.Lock()
	repo := s.st.repo(owner, name)
	missing := repo == nil || denied == nil && s.mayUse(a, repo, "read") != nil
	s.Mu.Unlock()
	switch {
	case denied != nil || a == nil && missing:
		x.Status, x.Text = http.StatusUnauthorized, "Unauthorized"
	case missing:
		x.Status, x.Text = http.StatusNotFound, "Not Found"
	case a != nil && !a.may("repository", "read") || host.IsPush(r, inner):
		x.Status, x.Text = http.StatusForbidden, "token does not have at least one of required scope(s)"
	default:
		x.Repo = repo.git
	}
	return x
}

// canned returns the answers of faults that apply nothing. The host has no rate limits; a proxy before it may
// have them.
func (s *Server) canned(f simapi.Fault) *reply {
	switch f.Action {
	case simapi.Forbidden:
		return s.fail(http.StatusForbidden, "user should have specific permission or be a site admin")
	case simapi.SecondaryRetryAfter, simapi.PrimaryLimit:
		return (&reply{Status: host.StatusOr(f.Status, http.StatusTooManyRequests), Body: []byte("Too Many Requests\n")}).
			Set("Content-Type", "text/plain").Set("Retry-After", strconv.Itoa(f.RetrySeconds))
	}
	return nil
}

// head sets the headers of every answer.
func head(h http.Header, _ *simapi.Request, _ *reply) {
	h.Set("X-Frame-Options", "SAMEORIGIN")
	h.Set("Cache-Control", "max-age=0, private, must-revalidate, no-transform")
}

func ok(v any) *reply { return host.JSON(http.StatusOK, v) }

func created(v any) *reply { return host.JSON(http.StatusCreated, v) }

// fail returns the host's error: a message and the address of its description. Internal errors have no message
// for others.
func (s *Server) fail(status int, message string) *reply {
	return host.JSON(status, obj{"message": message, "url": s.BaseURL() + "/api/swagger"})
}

// broken returns the host's internal error.
func (s *Server) broken(status int) *reply { return s.fail(status, "") }

func (s *Server) tooLarge() *reply {
	return s.fail(http.StatusRequestEntityTooLarge, "request body too large")
}

// unreadable answers a body that is not JSON or does not fit.
func (s *Server) unreadable(err error) *reply {
	return s.fail(http.StatusUnprocessableEntity, "[]: Deserialization: "+err.Error())
}

func (c *call) fail(status int, message string) *reply { return c.s.fail(status, message) }

func (c *call) notFound() *reply {
	return host.JSON(http.StatusNotFound, obj{"message": "The target couldn't be found.", "url": c.s.BaseURL() + "/api/swagger",
		"errors": []any{}})
}

func (c *call) invalid(message string) *reply {
	return c.fail(http.StatusUnprocessableEntity, message)
}

// broken returns the answer if git fails, or if the host fails internally, as it does with reviews.
func (c *call) broken(err error) *reply {
	c.s.Log.Error("answer 500", "path", c.Rec.Path, "error", err)
	return c.s.broken(http.StatusInternalServerError)
}

// wrote records that the call changed something.
func (c *call) wrote(kind, verb string, id int64, number int) {
	w := simapi.Write{Kind: kind, Verb: verb, ID: id, Number: number}
	if c.repo != nil {
		w.Repository = c.repo.FullName()
	}
	c.Wrote(w)
}
