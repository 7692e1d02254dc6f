package bitbucket

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/simapi"
)

const (
	apiPrefix    = "/2.0"
	tokenPath    = "/site/oauth2/access_token"
	storedLogs   = "/_logs/"
	maxBody      = 25 << 20 // of a request
	retryLimited = "Rate limit for this resource has been exceeded"
)

// route is one line of the table. The first match wins, so literal segments come before variables.
type route struct {
	method, pattern string
	// oauth is the scope of access tokens and OAuth grants, api the scopes of API tokens ("read:repository
	// write:repository" without the common end ":bitbucket").
	oauth, api string
	// need is the role that the caller needs in the repository of the path: "read", "write", "admin"; in that of
	// a workspace: "member", "owner"; or "".
	need string
	h    func(*call) *reply
}

// call is one request of the REST interface with its context for a handler.
type call struct {
	*host.Call
	s     *Server
	route *route
	actor *actor
	repo  *repository
	ws    *user // the workspace of the path
}

// router divides requests among the REST interface, tokens, git and pages.
func (s *Server) router(pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.EscapedPath()
		rest, isAPI := strings.CutPrefix(path, apiPrefix+"/")
		switch owner, name, inner, isGit := host.SplitGitPath(r.URL.Path); {
		case isAPI:
			s.ServeAPI(w, r, "/"+rest)
		case path == tokenPath, strings.HasPrefix(path, storedLogs):
			s.ServeAPI(w, r, path)
		case isGit:
			s.ServeGit(w, r, r.URL.Path, inner, s.gitAccess(r, owner, name, inner))
		default:
			pages.ServeHTTP(w, r)
		}
	})
}

// secretRoutes have secrets in their bodies, so the record omits the bodies.
var secretRoutes = []string{tokenPath, repoRoute + "/hooks", repoRoute + "/hooks/{uid}", workspaceRoute + "/hooks", workspaceRoute +
	"/hooks/{uid}"}

// begin finds the route and the caller of a request. Answers name the scopes of the caller's token
// (jenkinsci/bitbucket-branch-source-plugin#192).
func (s *Server) begin(in *host.Call) func() *reply {
	c := &call{Call: in, s: s}
	c.route = s.routes.Enter(in, secretRoutes)
	var denied *reply
	c.actor, denied = s.authenticate(c.R)
	if c.actor != nil {
		c.Rec.Actor = c.actor.user.Login
	}
	answer := func() *reply {
		switch {
		case denied != nil:
			return denied
		case c.route == nil:
			return fail(http.StatusNotFound, "Resource not found")
		case s.overLimit(c.Rec.Actor):
			return fail(http.StatusTooManyRequests, retryLimited)
		}
		if refused := c.authorise(); refused != nil {
			return refused
		}
		return c.route.h(c)
	}
	return func() *reply {
		rep := answer()
		if c.actor != nil {
			rep.Set("X-OAuth-Scopes", strings.Join(c.actor.token.granted(), ", "))
		}
		return rep
	}
}

// overLimit counts a request of an account and reports whether it exceeds the bound of the hour.
func (s *Server) overLimit(login string) bool {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.settings.RequestsPerHour == 0 {
		return false
	}
	key := login + s.Now().Add(s.ClockOffset).Format(" 2006-01-02 15")
	s.used[key]++
	return s.used[key] > s.settings.RequestsPerHour
}

// canned returns the answers of faults that apply nothing. The host documents 429 and no header of it
// (support.atlassian.com/bitbucket-cloud/docs/api-request-limits).
func (s *Server) canned(f simapi.Fault) *reply {
	return s.refusal(f, fail(http.StatusForbidden, "Access denied. You must have write or admin access."),
		fail(host.StatusOr(f.Status, http.StatusTooManyRequests), retryLimited))
}

// refusal returns one of two answers for a fault that applies nothing, with the header that the fault asks for.
func (s *Server) refusal(f simapi.Fault, forbidden, limited *reply) *reply {
	switch f.Action {
	case simapi.Forbidden:
		return forbidden
	case simapi.SecondaryRetryAfter:
		return limited.Set("Retry-After", strconv.Itoa(f.RetrySeconds))
	case simapi.SecondaryRetryDate:
		return limited.Set("Retry-After", s.HostTime().Add(time.Duration(f.RetrySeconds)*time.Second).UTC().Format(http.TimeFormat))
	case simapi.SecondaryBodyOnly, simapi.PrimaryLimit:
		return limited
	}
	return nil
}

// head sets the headers of every answer.
func (s *Server) head(h http.Header, rec *simapi.Request, _ *reply) {
	h.Set("X-Frame-Options", "SAMEORIGIN")
	h.Set("Cache-Control", "no-cache, no-store, must-revalidate, max-age=0")
	h.Set("X-Request-Count", strconv.FormatInt(rec.Seq, 10))
}

func ok(v any) *reply { return host.JSON(http.StatusOK, v) }

func created(v any) *reply { return host.JSON(http.StatusCreated, v) }

// fail returns the host's error.
func fail(status int, message string) *reply {
	return host.JSON(status, obj{"type": "error", "error": obj{"message": message}})
}

func invalid(message string) *reply { return fail(http.StatusBadRequest, message) }

// unreadable answers a body that is not JSON or does not fit.
func unreadable(error) *reply { return invalid("The request body contains invalid JSON") }

func missing() *reply { return fail(http.StatusNotFound, "Resource not found") }

// broken returns the host's internal error.
func (s *Server) broken(status int) *reply { return fail(status, "Something went wrong") }

func (s *Server) tooLarge() *reply {
	return fail(http.StatusRequestEntityTooLarge, "The request is too large")
}

// broken returns the answer if git fails.
func (c *call) broken(err error) *reply {
	c.s.Log.Error("answer 500", "path", c.Rec.Path, "error", err)
	return c.s.broken(http.StatusInternalServerError)
}

// wrote records that the call changed something.
func (c *call) wrote(kind, verb string, id int64, number int) {
	w := simapi.Write{Kind: kind, Verb: verb, ID: id, Number: number}
	if c.repo != nil {
		w.Repository = c.s.st.fullName(c.repo)
	}
	c.Wrote(w)
}
