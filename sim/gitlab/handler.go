package gitlab

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/gitlab/simapi"
	"github.com/assay-dev/assay/sim/host"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

const apiPrefix = "/api/v4"

// route is one path of the REST interface.
type route struct {
	method, pattern string
	// scopes that suffice beside "api", and "read_api" for reading.
	scopes []string
	open   bool // answers without a token, too
	public bool // is no part of the REST interface and asks for no token
	level  int  // the access level in the project that is needed; 0: to see it
	code   bool // the right to see the code is needed
	h      func(*call) *reply

	parts []string
}

// call is one request to the REST interface.
type call struct {
	s       *Server
	r       *http.Request
	ctx     context.Context // not cancelled when the client goes: a real host would not notice either
	route   *route
	vars    map[string]string
	query   url.Values
	body    []byte
	actor   *actor
	project *project
	rec     *shared.Request
	lag     string
}

// maxBody bounds a request of the REST interface.
const maxBody = 64 << 20

// buildHandler divides requests among control interface, REST interface, git and pages.
func (s *Server) buildHandler() (http.Handler, error) {
	control := s.controlHandler()
	pages, err := s.pageHandler()
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.EscapedPath()
		if strings.HasPrefix(path, "/_sim/") {
			control.ServeHTTP(w, r)
			return
		}
		path, inside := strings.CutPrefix(path, s.below())
		rest, isAPI := strings.CutPrefix(path, apiPrefix+"/")
		full, inner, isGit := splitGit(path)
		switch {
		case !inside:
			http.NotFound(w, r)
		case isAPI:
			s.serveAPI(w, r, "/"+rest)
		case isSignIn(path):
			s.serveAPI(w, r, path)
		case isGit:
			s.serveGit(w, r, full, inner)
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
var secretRoutes = []string{tokenRoute, projectPath + "/hooks", projectPath + "/hooks/{hook_id}"}

// serveAPI answers one request: record, authentication, fault, handler. path has no /api/v4 prefix.
func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request, path string) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	rec := s.rec.Arrive(shared.Request{ArrivedUS: int64(s.nowMicros()), Method: r.Method, Path: path, Query: r.URL.RawQuery,
		UserAgent: r.UserAgent(), BodySHA256: host.HashHex(body), Write: host.IsWrite(r.Method)})
	if err != nil {
		s.finish(w, r, rec, failure(http.StatusRequestEntityTooLarge, "413 Request Entity Too Large"))
		return
	}
	rt, vars := s.match(r.Method, path)
	var who *actor
	var denied *reply
	if rt == nil || !rt.public {
		who, denied = s.authenticate(r)
	}
	s.rec.Update(func() {
		if who != nil {
			rec.Actor = who.user.Login
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
		s.faults.Serve(host.Exchange{W: w, R: r, Apply: apply, Finish: finish, Canned: s.canned,
			Fail: func(status int) *reply { return failure(status, strconv.Itoa(status)+" Internal Server Error") }}, f)
		return
	}
	finish(apply(""))
}

// canned is the answer of faults that apply nothing (docs.gitlab.com/administration/settings/user_and_ip_rate_limits,
// "Response headers", and the text of throttled requests).
func (s *Server) canned(f shared.Fault) *reply {
	status := host.StatusOr(f.Status, http.StatusTooManyRequests)
	switch f.Action {
	case shared.Forbidden:
		return failure(http.StatusForbidden, "403 Forbidden")
	case shared.SecondaryRetryAfter, shared.PrimaryLimit:
		rep := (&reply{Status: status, Body: []byte("Retry later\n")}).Set("Content-Type", "text/plain")
		if s.has(simapi.NoRateHeaders) {
			return rep
		}
		after := strconv.Itoa(f.RetrySeconds)
		return rep.Set("Retry-After", after).Set("RateLimit-Limit", "60").Set("RateLimit-Observed", "61").Set("RateLimit-Remaining", "0").
			Set("RateLimit-Reset", strconv.FormatInt(s.now().Unix()+int64(f.RetrySeconds), 10))
	case shared.SecondaryBodyOnly:
		return host.JSON(status, obj{"message": obj{"error": "This endpoint has been requested too many times. Try again later."}})
	}
	return nil
}

// apply runs the checks and the handler of a call.
func (s *Server) apply(c *call, denied *reply) *reply {
	if denied != nil {
		return denied
	}
	if c.route == nil {
		return failure(http.StatusNotFound, "404 Not Found")
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
func (s *Server) finish(w http.ResponseWriter, r *http.Request, rec *shared.Request, rep *reply) {
	gone := r.Context().Err() != nil
	s.rec.Update(func() { rec.Status, rec.RepliedUS, rec.ClientGone = rep.Status, int64(s.nowMicros()), gone })
	h := w.Header()
	if !s.has(simapi.NoRateHeaders) {
		h.Set("RateLimit-Limit", "2000")
		h.Set("RateLimit-Remaining", "1999")
		h.Set("RateLimit-Observed", "1")
		h.Set("RateLimit-Reset", strconv.FormatInt(s.now().Unix()+60, 10))
	}
	for k, v := range rep.Header {
		h[http.CanonicalHeaderKey(k)] = v
	}
	h.Set("Date", s.hostTime().UTC().Format(http.TimeFormat))
	h.Set("X-Request-Id", "01SIM"+strconv.FormatInt(rec.Seq, 10))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "max-age=0, private, must-revalidate")
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

// failure is the host's error: a message.
func failure(status int, message any) *reply { return host.JSON(status, obj{"message": message}) }

// missing is the error of a parameter that is not there, or not as it must be.
func missing(text string) *reply { return host.JSON(http.StatusBadRequest, obj{"error": text}) }

// notFound says what is not there.
func notFound(what string) *reply {
	return failure(http.StatusNotFound, strings.TrimSpace("404 "+what+" Not Found"))
}

func badRequest(why string) *reply { return failure(http.StatusBadRequest, "400 Bad request - "+why) }

// broken is the answer when git itself fails.
func (c *call) broken(err error) *reply {
	c.s.log.Error("answer 500", "path", c.rec.Path, "error", err)
	return failure(http.StatusInternalServerError, "500 Internal Server Error")
}

// decode reads the body into v: JSON, or a form whose fields are texts.
func (c *call) decode(v any) *reply {
	if len(strings.TrimSpace(string(c.body))) == 0 {
		return nil
	}
	if err := json.Unmarshal(c.body, v); err != nil {
		return missing("The provided content is not valid JSON, or a field has another type")
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
	if c.project != nil {
		repo = c.project.FullPath()
	}
	if c.actor != nil {
		actor = c.actor.user.Login
	}
	c.s.rec.Update(func() { c.rec.Applied, c.rec.AppliedUS = true, at })
	c.s.rec.Wrote(shared.Write{AtUS: at, Kind: kind, Verb: verb, ID: id, Repository: repo, Number: number, Actor: actor, RequestSeq: c.rec.Seq})
}
