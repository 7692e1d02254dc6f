package gitlab

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/gitlab/simapi"
	"github.com/assay-dev/assay/sim/host"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

const apiPrefix = "/api/v4"

// route is one route of the REST interface.
type route struct {
	method, pattern string
	// scopes suffice beside "api", and "read_api" for reading.
	scopes []string
	open   bool // also answers without a token
	public bool // outside the REST interface; needs no token
	level  int  // required access level in the project; 0: may see it
	code   bool // requires the right to see the code
	h      func(*call) *reply
}

// call is one request of the REST interface with its context for a handler.
type call struct {
	*host.Call
	s       *Server
	route   *route
	actor   *actor
	project *project
}

// maxBody bounds a request of the REST interface.
const maxBody = 64 << 20

// router divides requests among the REST interface, git and pages, all below the path of the instance.
func (s *Server) router(pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, inside := strings.CutPrefix(r.URL.EscapedPath(), s.Below())
		rest, isAPI := strings.CutPrefix(path, apiPrefix+"/")
		full, inner, isGit := splitGit(path)
		switch {
		case !inside:
			http.NotFound(w, r)
		case isAPI:
			s.ServeAPI(w, r, "/"+rest)
		case isSignIn(path):
			s.ServeAPI(w, r, path)
		case isGit:
			s.ServeGit(w, r, "/"+full+".git"+inner, inner, s.gitAccess(r, full, inner))
		default:
			pages.ServeHTTP(w, r)
		}
	})
}

// splitGit parses paths such as "/group/sub/project.git/info/refs".
func splitGit(path string) (full, inner string, isGit bool) {
	for _, end := range []string{"/info/refs", "/git-upload-pack", "/git-receive-pack"} {
		if at, found := strings.CutSuffix(path, ".git"+end); found {
			name, err := url.PathUnescape(strings.TrimPrefix(at, "/"))
			return name, end, err == nil
		}
	}
	return "", "", false
}

// secretRoutes have secrets in their bodies, so the record omits the bodies.
var secretRoutes = []string{tokenRoute, projectPath + "/hooks", projectPath + "/hooks/{hook_id}"}

// begin finds the route and the caller of a request.
func (s *Server) begin(in *host.Call) func() *reply {
	c := &call{Call: in, s: s}
	c.route = s.routes.Enter(in, secretRoutes)
	var denied *reply
	if c.route == nil || !c.route.public {
		c.actor, denied = s.authenticate(c.R)
	}
	if c.actor != nil {
		c.Rec.Actor = c.actor.user.Login
	}
	return func() *reply {
		switch {
		case denied != nil:
			return denied
		case c.route == nil:
			return failure(http.StatusNotFound, "404 Not Found")
		}
		if refused := c.authorise(); refused != nil {
			return refused
		}
		return c.route.h(c)
	}
}

// gitAccess decides about a git request; the token needs api, read_repository or write_repository.
func (s *Server) gitAccess(r *http.Request, full, inner string) (x host.GitAccess) {
	a, denied := s.authenticate(r)
	var u *user
	if a != nil {
		u, x.Actor = a.user, a.user.Login
	}
	s.Mu.Lock()
	p := s.st.project(full)
	if p == nil {
		p = s.st.Projects[s.st.Moved[strings.ToLower(full)]]
	}
	allowed := false
	if p != nil && denied == nil {
		_, allowed = s.st.sees(u, p)
	}
	s.Mu.Unlock()
	switch {
	case denied != nil || a == nil && !allowed:
		x.Status, x.Text = http.StatusUnauthorized, "HTTP Basic: Access denied."
	case !allowed:
		x.Status, x.Text = http.StatusNotFound, "The project you were looking for could not be found or you don't have permission to view it."
	case a != nil && !a.may(http.MethodPost, []string{"read_repository", "write_repository"}), host.IsPush(r, inner):
		x.Status, x.Text = http.StatusForbidden, "You are not allowed to do this."
	default:
		x.Repo = p.git
	}
	return x
}

// canned returns the answers of faults that apply nothing
// (docs.gitlab.com/administration/settings/user_and_ip_rate_limits, "Response headers", and the text of
// throttled requests).
func (s *Server) canned(f shared.Fault) *reply {
	status := host.StatusOr(f.Status, http.StatusTooManyRequests)
	switch f.Action {
	case shared.Forbidden:
		return failure(http.StatusForbidden, "403 Forbidden")
	case shared.SecondaryRetryAfter, shared.PrimaryLimit:
		rep := (&reply{Status: status, Body: []byte("Retry later\n")}).Set("Content-Type", "text/plain")
		if s.Has(simapi.NoRateHeaders) {
			return rep
		}
		after := strconv.Itoa(f.RetrySeconds)
		return rep.Set("Retry-After", after).Set("RateLimit-Limit", "60").Set("RateLimit-Observed", "61").Set("RateLimit-Remaining", "0").
			Set("RateLimit-Reset", strconv.FormatInt(s.Now().Unix()+int64(f.RetrySeconds), 10))
	case shared.SecondaryBodyOnly:
		return host.JSON(status, obj{"message": obj{"error": "This endpoint has been requested too many times. Try again later."}})
	}
	return nil
}

// head sets the headers of every answer.
func (s *Server) head(h http.Header, rec *shared.Request, _ *reply) {
	if !s.Has(simapi.NoRateHeaders) {
		h.Set("RateLimit-Limit", "2000")
		h.Set("RateLimit-Remaining", "1999")
		h.Set("RateLimit-Observed", "1")
		h.Set("RateLimit-Reset", strconv.FormatInt(s.Now().Unix()+60, 10))
	}
	h.Set("X-Request-Id", "01SIM"+strconv.FormatInt(rec.Seq, 10))
	h.Set("Cache-Control", "max-age=0, private, must-revalidate")
}

func ok(v any) *reply { return host.JSON(http.StatusOK, v) }

func created(v any) *reply { return host.JSON(http.StatusCreated, v) }

// failure returns the host's error: a message.
func failure(status int, message any) *reply { return host.JSON(status, obj{"message": message}) }

// missing returns the error for a missing or invalid parameter.
func missing(text string) *reply { return host.JSON(http.StatusBadRequest, obj{"error": text}) }

// unreadable answers a body that is not JSON or does not fit.
func unreadable(error) *reply {
	return missing("The provided content is not valid JSON, or a field has another type")
}

// notFound returns the error for a missing object.
func notFound(what string) *reply {
	return failure(http.StatusNotFound, strings.TrimSpace("404 "+what+" Not Found"))
}

func badRequest(why string) *reply { return failure(http.StatusBadRequest, "400 Bad request - "+why) }

// broken returns the host's internal error.
func broken(status int) *reply {
	return failure(status, strconv.Itoa(status)+" Internal Server Error")
}

func tooLarge() *reply {
	return failure(http.StatusRequestEntityTooLarge, "413 Request Entity Too Large")
}

// broken returns the answer if git fails.
func (c *call) broken(err error) *reply {
	c.s.Log.Error("answer 500", "path", c.Rec.Path, "error", err)
	return broken(http.StatusInternalServerError)
}

// wrote records that the call changed something.
func (c *call) wrote(kind, verb string, id int64, number int) {
	w := shared.Write{Kind: kind, Verb: verb, ID: id, Number: number}
	if c.project != nil {
		w.Repository = c.project.FullPath()
	}
	c.Wrote(w)
}
