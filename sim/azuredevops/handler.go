package azuredevops

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/azuredevops/simapi"
	"github.com/assay-dev/assay/sim/host"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// route is one route of the REST interface.
type route struct {
	method, pattern string
	role            string // required right in the project: "" any account, or read, write, admin
	h               func(*call) *reply
}

// call is one request of the REST interface with its context for a handler.
type call struct {
	*host.Call
	s       *Server
	route   *route
	user    *user
	project *project
	repo    *repository
	pull    *pull
}

// maxBody bounds a request of the REST interface.
const maxBody = 64 << 20

// router divides requests among the REST interface, Entra, git and pages, all below the path of the instance.
func (s *Server) router(pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, inside := strings.CutPrefix(r.URL.EscapedPath(), s.Below())
		owner, name, inner, isGit := splitGit(path)
		switch {
		case !inside:
			http.NotFound(w, r)
		case isGit:
			s.ServeGit(w, r, path, inner, s.gitAccess(r, owner, name, inner))
		case strings.Contains(path, "/_apis/") || strings.HasSuffix(path, "/oauth2/v2.0/token"):
			s.ServeAPI(w, r, path)
		default:
			pages.ServeHTTP(w, r)
		}
	})
}

// splitGit parses paths such as "/organisation/project/_git/name/info/refs".
func splitGit(path string) (owner, name, inner string, isGit bool) {
	before, after, found := strings.Cut(path, "/_git/")
	if !found {
		return "", "", "", false
	}
	for _, end := range []string{"/info/refs", "/git-upload-pack", "/git-receive-pack"} {
		if at, cut := strings.CutSuffix(after, end); cut {
			name, err := url.PathUnescape(at)
			owner, err2 := url.PathUnescape(strings.TrimPrefix(before, "/"))
			return owner, name, end, err == nil && err2 == nil
		}
	}
	return "", "", "", false
}

// secretRoutes have secrets in their bodies, so the record omits the bodies.
var secretRoutes = []string{tokenRoute, subscriptionsRoute, subscriptionsRoute + "/{id}"}

// begin finds the route and the caller of a request.
func (s *Server) begin(in *host.Call) func() *reply {
	c := &call{Call: in, s: s}
	c.route = s.routes.Enter(in, secretRoutes)
	c.user = s.authenticate(c.R)
	if c.user != nil {
		c.Rec.Actor = c.user.Login
	}
	return func() *reply {
		switch {
		case c.route == nil:
			return failure(http.StatusNotFound, "VssResourceNotFoundException", "The controller for path '"+c.Path+"' was not found")
		case c.route.pattern == tokenRoute:
			return c.route.h(c)
		case c.user == nil:
			return s.unauthorised()
		}
		if v := c.Query.Get("api-version"); !strings.HasPrefix(v, "7.1") {
			return failure(http.StatusBadRequest, "VssVersionNotSpecifiedException", "No api-version was supplied for the request.")
		}
		if refused := c.authorise(); refused != nil {
			return refused
		}
		return c.route.h(c)
	}
}

// unauthorised answers a refused credential: the cloud answers with the page for signing in.
func (s *Server) unauthorised() *reply {
	if s.Has(simapi.SignInPage) {
		return (&reply{Status: http.StatusNonAuthoritativeInfo, Body: []byte("<html>Sign in</html>")}).Set("Content-Type", "text/html")
	}
	return (&reply{Status: http.StatusUnauthorized}).Set("WWW-Authenticate", `Basic realm="Azure DevOps"`)
}

// roleRank orders the rights.
var roleRank = map[string]int{"": 0, "read": 1, "write": 2, "admin": 3}

// authorise finds the objects of the path and checks the caller's right. Objects that the caller must not see are missing.
func (c *call) authorise() *reply {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	st := c.s.st
	if o := c.Vars["org"]; st.Orgs[strings.ToLower(o)] == nil {
		return failure(http.StatusNotFound, "HostNotFoundException", "The resource cannot be found.")
	}
	name := c.Vars["project"]
	if name == "" {
		return nil
	}
	c.project = st.projectIn(c.Vars["org"], name)
	if c.project == nil || st.role(c.user, c.project) == "" {
		return failure(http.StatusNotFound, "ProjectDoesNotExistWithNameException", "TF200016: The following project does not exist: "+name+".")
	}
	if id := c.Vars["repo"]; id != "" {
		c.repo = st.repoIn(c.project, id)
		if c.repo == nil || c.repo.Disabled && c.R.Method != http.MethodGet {
			return failure(http.StatusNotFound, "GitRepositoryNotFoundException", "TF401019: The Git repository with name or identifier "+
				id+" does not exist or you do not have permissions for the operation you are attempting.")
		}
	}
	if n := c.Vars["number"]; n != "" {
		if c.pull = c.repo.Pulls[int(c.Number("number"))]; c.pull == nil {
			return failure(http.StatusNotFound, "GitPullRequestNotFoundException", "TF401180: The requested pull request was not found.")
		}
	}
	if roleRank[st.role(c.user, c.project)] < roleRank[c.route.role] {
		return denied()
	}
	return nil
}

func denied() *reply {
	return failure(http.StatusForbidden, "GitNeedsPermissionException",
		"TF401027: You need the Git 'GenericContribute' permission to perform this action.")
}

// gitAccess decides about a git request.
func (s *Server) gitAccess(r *http.Request, owner, name, inner string) (x host.GitAccess) {
	u := s.authenticate(r)
	if u == nil {
		x.Status, x.Text = http.StatusUnauthorized, "TF400813: The user is not authorized to access this resource."
		return x
	}
	x.Actor = u.Login
	s.Mu.Lock()
	defer s.Mu.Unlock()
	p := s.st.project(owner)
	var repo *repository
	if p != nil && s.st.role(u, p) != "" {
		repo = s.st.repoIn(p, name)
	}
	switch {
	case repo == nil || repo.Disabled:
		x.Status, x.Text = http.StatusNotFound, "TF401019: The Git repository with name or identifier does not exist."
	case host.IsPush(r, inner):
		x.Status, x.Text = http.StatusForbidden, "TF401027: You need the Git 'GenericContribute' permission to perform this action."
	default:
		x.Repo = repo.git
	}
	return x
}

// canned returns the answers of faults that apply nothing (learn.microsoft.com/azure/devops/integrate/concepts/rate-limits).
func (s *Server) canned(f shared.Fault) *reply {
	const text = "TF400733: The request has been canceled: Request was blocked due to exceeding usage of resource."
	switch f.Action {
	case shared.Forbidden:
		return denied()
	case shared.SecondaryRetryAfter, shared.PrimaryLimit:
		rep := failure(host.StatusOr(f.Status, http.StatusTooManyRequests), "RequestBlockedException", text)
		if s.Has(simapi.NoRetryAfter) {
			return rep
		}
		return rep.Set("Retry-After", strconv.Itoa(f.RetrySeconds)).Set("X-RateLimit-Resource", "core").Set("X-RateLimit-Remaining", "0").
			Set("X-RateLimit-Reset", strconv.FormatInt(s.Now().Unix()+int64(f.RetrySeconds), 10))
	case shared.SecondaryBodyOnly:
		return failure(host.StatusOr(f.Status, http.StatusTooManyRequests), "RequestBlockedException", text)
	}
	return nil
}

// head sets the headers of every answer.
func (s *Server) head(h http.Header, rec *shared.Request, _ *reply) {
	h.Set("ActivityId", "01sim"+strconv.FormatInt(rec.Seq, 10))
	h.Set("Cache-Control", "no-cache")
}

func ok(v any) *reply { return host.JSON(http.StatusOK, v) }

func created(v any) *reply { return host.JSON(http.StatusCreated, v) }

// list answers a list.
func list(items []any) *reply { return ok(obj{"count": len(items), "value": items}) }

// failure returns the host's error.
func failure(status int, kind, message string) *reply {
	return host.JSON(status, obj{"$id": "1", "innerException": nil, "message": message, "typeName": "Microsoft.TeamFoundation." + kind + ", " +
		"Microsoft.TeamFoundation", "typeKey": kind, "errorCode": 0, "eventId": 3000})
}

func badRequest(why string) *reply {
	return failure(http.StatusBadRequest, "InvalidArgumentValueException", "TF400898: "+why)
}

// unreadable answers a body that is not JSON or does not fit.
func unreadable(error) *reply {
	return badRequest("The body is not valid JSON, or a field has another type.")
}

// broken returns the host's internal error.
func broken(status int) *reply {
	return failure(status, "VssServiceException", "TF400898: An Internal Error Occurred.")
}

func tooLarge() *reply {
	return failure(http.StatusRequestEntityTooLarge, "RequestTooLargeException", "The request is too large.")
}

// broken returns the answer if git fails.
func (c *call) broken(err error) *reply {
	c.s.Log.Error("answer 500", "path", c.Rec.Path, "error", err)
	return broken(http.StatusInternalServerError)
}

// slice returns the bounds of a part of a list by $top, usually usual and at most longest, and a number of items to skip.
func (c *call) slice(length int, skip string, usual, longest int) (from, to int) {
	if n, err := strconv.Atoi(c.Query.Get("$top")); err == nil && n > 0 {
		usual = min(n, longest)
	}
	n, _ := strconv.Atoi(skip) // 0 if it is not a number
	from = min(max(n, 0), length)
	return from, min(from+usual, length)
}

// pageOn answers a part of a list that names the next page in a header. It ignores $skip.
func (c *call) pageOn(items []any, usual int) *reply {
	from, to := c.slice(len(items), strings.TrimPrefix(c.Query.Get("continuationToken"), "at/"), usual, 1000)
	out := list(items[from:to])
	if to < len(items) {
		out.Set("X-Ms-Continuationtoken", "at/"+strconv.Itoa(to))
	}
	return out
}

// wrote records that the call changed something. Mu may be held.
func (c *call) wrote(kind, verb string, id int64) {
	w := shared.Write{Kind: kind, Verb: verb, ID: id}
	if c.repo != nil {
		w.Repository = c.s.st.full(c.repo)
	}
	if c.pull != nil {
		w.Number = c.pull.Number
	}
	c.Wrote(w)
}
