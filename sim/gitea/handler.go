package gitea

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/simapi"
)

const apiPrefix = "/api/v1"

// route is one line of the table. Literal segments are matched before variables by the order of the table.
type route struct {
	method  string
	pattern string
	// scope is the category of token scopes, such as "repository"; several are joined by "+".
	scope string
	// need is what the caller must be allowed to in the repository of the path: "", "read", "write", "admin", "owner".
	need string
	// open routes answer without credentials.
	open   bool
	h      func(*call) *reply
	parts  []string
	inRepo bool // pattern has {owner} and {repo}
}

// call is one request of the REST interface on its way to a handler.
type call struct {
	s     *Server
	r     *http.Request
	ctx   context.Context // not cancelled when the client goes: a real host would not notice either
	route *route
	vars  map[string]string
	query url.Values
	body  []byte
	actor *actor
	repo  *repository
	rec   *simapi.Request
	lag   string
}

// maxBody bounds a request of the REST interface.
const maxBody = 25 << 20

// buildHandler divides requests among control interface, REST interface, sign-in, git and pages.
func (s *Server) buildHandler() (http.Handler, error) {
	control := s.controlHandler()
	pages, err := s.pageHandler()
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.EscapedPath()
		first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
		rest, isAPI := strings.CutPrefix(path, apiPrefix+"/")
		switch owner, name, inner, isGit := host.SplitGitPath(r.URL.Path); {
		case first == "_sim":
			control.ServeHTTP(w, r)
		case isAPI:
			s.serveAPI(w, r, "/"+rest)
		case path == "/api/healthz", path == "/api/forgejo/v1/version", strings.HasPrefix(path, "/login/oauth/"), strings.HasPrefix(path, "/.well-known/"):
			s.serveAPI(w, r, path)
		case isGit:
			s.serveGit(w, r, owner, name, inner)
		default:
			pages.ServeHTTP(w, r)
		}
	}), nil
}

// match finds the route of a request.
func (s *Server) match(method, path string) (*route, map[string]string) {
	segments := host.Segments(path)
	for i := range s.routes {
		rt := &s.routes[i]
		if rt.method != method && (method != http.MethodHead || rt.method != http.MethodGet) {
			continue
		}
		if vars, ok := host.Match(rt.parts, segments); ok {
			return rt, vars
		}
	}
	return nil, nil
}

// secretRoutes have secrets in their bodies, which the record leaves out.
var secretRoutes = []string{accessTokenRoute, "/repos/{owner}/{repo}/hooks", "/repos/{owner}/{repo}/hooks/{id}", "/orgs/{org}/hooks", "/orgs/{org}/hooks/{id}"}

// serveAPI answers one request: record, authentication, fault, handler. path has no /api/v1 prefix.
func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request, path string) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	rec := s.rec.Arrive(simapi.Request{ArrivedUS: int64(s.nowMicros()), Method: r.Method, Path: path, Query: r.URL.RawQuery,
		UserAgent: r.UserAgent(), BodySHA256: host.HashHex(body), Write: host.IsWrite(r.Method)})
	if err != nil {
		s.finish(w, r, rec, s.fail(http.StatusRequestEntityTooLarge, "request body too large"))
		return
	}
	rt, vars := s.match(r.Method, path)
	who, denied := s.authenticate(r)
	s.rec.Update(func() {
		if who != nil {
			rec.Actor = who.login
		}
		if rt != nil {
			rec.Route = rt.pattern
			if rec.Write && !slices.Contains(secretRoutes, rt.pattern) {
				rec.Body = string(body)
			}
		}
	})
	c := &call{s: s, r: r, ctx: context.WithoutCancel(r.Context()), route: rt, vars: vars, query: r.URL.Query(), body: body, actor: who, rec: rec}
	apply := func(lag string) *reply { c.lag = lag; return s.apply(c, denied) }
	finish := func(rep *reply) { s.finish(w, r, rec, rep) }
	if f := s.faults.Match(r.Method, path, body, rec.Actor); f != nil {
		s.rec.Update(func() { rec.FaultID = f.ID })
		s.faults.Serve(host.Exchange{W: w, R: r, Apply: apply, Finish: finish, Fail: func(status int) *reply { return s.fail(status, "") }, Canned: s.canned}, f)
		return
	}
	finish(apply(""))
}

// canned is the answer of faults that apply nothing. The host has no limits of its own: what stands in front of it may.
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

// apply runs the checks and the handler of a call.
func (s *Server) apply(c *call, denied *reply) *reply {
	if denied != nil {
		return denied
	}
	if c.route == nil {
		return c.notFound()
	}
	if refused := c.authorise(); refused != nil {
		return refused
	}
	rep := c.route.h(c)
	if host.IsWrite(c.r.Method) {
		s.file.Touch()
	}
	return rep
}

// finish sends an answer with the headers that every answer has.
func (s *Server) finish(w http.ResponseWriter, r *http.Request, rec *simapi.Request, rep *reply) {
	gone := r.Context().Err() != nil
	s.rec.Update(func() { rec.Status, rec.RepliedUS, rec.ClientGone = rep.Status, int64(s.nowMicros()), gone })
	h := w.Header()
	for k, v := range rep.Header {
		h[k] = v
	}
	h.Set("Date", s.hostTime().UTC().Format(http.TimeFormat))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "SAMEORIGIN")
	h.Set("Cache-Control", "max-age=0, private, must-revalidate, no-transform")
	if rep.Status != http.StatusNoContent {
		h.Set("Content-Length", strconv.Itoa(len(rep.Body)))
	}
	w.WriteHeader(rep.Status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(rep.Body) // the client may have gone
	}
	s.log.Debug("request", "method", r.Method, "path", rec.Path, "status", rep.Status, "actor", rec.Actor)
}

func ok(v any) *reply { return host.JSON(http.StatusOK, v) }

func created(v any) *reply { return host.JSON(http.StatusCreated, v) }

// fail is the host's error: a message and where its interface is described. Errors of its own have no message for others.
func (s *Server) fail(status int, message string) *reply {
	return host.JSON(status, obj{"message": message, "url": s.BaseURL() + "/api/swagger"})
}

func (c *call) fail(status int, message string) *reply { return c.s.fail(status, message) }

func (c *call) notFound() *reply {
	return host.JSON(http.StatusNotFound, obj{"message": "The target couldn't be found.", "url": c.s.BaseURL() + "/api/swagger", "errors": []any{}})
}

func (c *call) invalid(message string) *reply {
	return c.fail(http.StatusUnprocessableEntity, message)
}

// broken is the answer when git itself fails, or when the host loses its way, as it does with reviews.
func (c *call) broken(err error) *reply {
	c.s.log.Error("answer 500", "path", c.rec.Path, "error", err)
	return c.fail(http.StatusInternalServerError, "")
}

// decode reads the JSON body into v; an empty body counts as {}.
func (c *call) decode(v any) *reply {
	if len(strings.TrimSpace(string(c.body))) == 0 {
		return nil
	}
	if err := json.Unmarshal(c.body, v); err != nil {
		return c.invalid("[]: Deserialization: " + err.Error())
	}
	return nil
}

// number reads a numeric path variable; 0 means that it is none.
func (c *call) number(name string) int64 {
	n, err := strconv.ParseInt(c.vars[name], 10, 64)
	if err != nil || n < 1 {
		return 0
	}
	return n
}

// wrote records that the call changed something.
func (c *call) wrote(kind, verb string, id int64, number int) {
	at := int64(c.s.nowMicros())
	repo, actor := "", ""
	if c.repo != nil {
		repo = c.repo.FullName()
	}
	if c.actor != nil {
		actor = c.actor.login
	}
	c.s.rec.Update(func() { c.rec.Applied, c.rec.AppliedUS = true, at })
	c.s.rec.Wrote(simapi.Write{AtUS: at, Kind: kind, Verb: verb, ID: id, Repository: repo, Number: number, Actor: actor, RequestSeq: c.rec.Seq})
}
