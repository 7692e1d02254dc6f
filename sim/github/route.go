package github

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host"
)

// who may use a route.
type who int

const (
	anyone  who = iota // also without credentials
	asApp              // an app's JWT
	asInst             // an installation token
	withAny            // an installation or personal token
)

// route is one line of the table. Literal segments are matched before variables by the order of the table.
type route struct {
	method  string
	pattern string
	who     who
	// need is the permission, "name:level", alternatives separated by "|"; empty means metadata.
	need    string
	h       func(*call) *reply
	parts   []string
	restful bool // pattern has {owner} and {repo}
}

// call is one API request on its way to a handler.
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

const maxBody = 25 << 20

// match finds the route; allowed is set when the path exists with another method.
func (s *Server) match(method, path string) (rt *route, vars map[string]string) {
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

// serveAPI answers one API request: record, authentication, fault, handler. path has no /api/v3 prefix.
func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request, path string) {
	arrived := s.nowMicros()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	rec := s.rec.Arrive(simapi.Request{ArrivedUS: int64(arrived), Method: r.Method, Path: path, Query: r.URL.RawQuery,
		UserAgent: r.UserAgent(), BodySHA256: host.HashHex(body), Write: host.IsWrite(r.Method)})
	if err != nil {
		s.finish(w, r, rec, fail(http.StatusRequestEntityTooLarge, "Request body is too large"))
		return
	}
	rt, vars := s.match(r.Method, path)
	who, denied := s.authenticate(r)
	s.rec.Update(func() {
		if who != nil {
			rec.Actor, rec.InstallationID = who.login, who.instID
		}
		if rt != nil {
			rec.Route = rt.pattern
			if rec.Route == graphqlPath {
				rec.Operation = operationName(body)
				rec.Write = rec.Write && strings.HasPrefix(rec.Operation, "mutation ")
			}
			if rec.Write && rec.Route != tokenRoute && rec.Route != accessTokenRoute { // no secrets in the record
				rec.Body = string(body)
			}
		}
	})
	c := &call{s: s, r: r, ctx: context.WithoutCancel(r.Context()), route: rt, vars: vars, query: r.URL.Query(), body: body, actor: who, rec: rec}
	apply := func() *reply { return s.apply(c, denied) }
	if f := s.faults.Match(r.Method, path, body, rec.Actor); f != nil {
		s.rec.Update(func() { rec.FaultID = f.ID })
		s.faults.Serve(s.exchange(w, c, apply), f)
		return
	}
	s.finish(w, r, rec, apply())
}

// apply runs the checks and the handler of a call.
func (s *Server) apply(c *call, denied *reply) *reply {
	if denied != nil {
		return denied
	}
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
	if host.IsWrite(c.r.Method) {
		s.file.Touch()
	}
	if c.route.need != "" {
		rep.Set("X-Accepted-GitHub-Permissions", strings.ReplaceAll(strings.ReplaceAll(c.route.need, ":", "="), "|", "; "))
	}
	return rep
}

// finish sends an answer with the headers that every answer has.
func (s *Server) finish(w http.ResponseWriter, r *http.Request, rec *simapi.Request, rep *reply) {
	gone := r.Context().Err() != nil
	s.rec.Update(func() {
		rec.Status, rec.RepliedUS, rec.ClientGone = rep.Status, int64(s.nowMicros()), gone
	})
	h := w.Header()
	if !rep.Bare {
		s.limits.headers(s, h, rec)
	}
	for k, v := range rep.Header {
		h[k] = v
	}
	h.Set("Date", s.hostTime().UTC().Format(http.TimeFormat))
	h.Set("X-GitHub-Request-Id", requestID(rec.Seq))
	h.Set("X-GitHub-Api-Version-Selected", "2022-11-28")
	h.Set("X-GitHub-Media-Type", "github.v3; format=json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Server", "github-simulator")
	if rep.Status != http.StatusNoContent {
		h.Set("Content-Length", strconv.Itoa(len(rep.Body)))
	}
	w.WriteHeader(rep.Status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(rep.Body) // the client may have gone
	}
	s.log.Debug("request", "method", r.Method, "path", rec.Path, "status", rep.Status, "actor", rec.Actor)
}

// decode reads the JSON body into v; an empty body counts as {}.
func (c *call) decode(v any) *reply {
	if len(strings.TrimSpace(string(c.body))) == 0 {
		return nil
	}
	if err := json.Unmarshal(c.body, v); err != nil {
		if _, isSyntax := err.(*json.SyntaxError); isSyntax {
			return fail(http.StatusBadRequest, "Problems parsing JSON")
		}
		return fail(http.StatusUnprocessableEntity, "Invalid request.\n\nFor 'body', the value has the wrong type.")
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

// wrote records that the call changed something. Call it with Server.mu held or not; it takes its own lock.
func (c *call) wrote(kind, verb string, id int64, number int) {
	at := int64(c.s.nowMicros())
	repo := ""
	if c.repo != nil {
		repo = c.repo.FullName()
	}
	c.s.rec.Update(func() { c.rec.Applied, c.rec.AppliedUS = true, at })
	c.s.rec.Wrote(simapi.Write{AtUS: at, Kind: kind, Verb: verb, ID: id, Repository: repo, Number: number,
		Actor: c.actor.login, RequestSeq: c.rec.Seq})
}
