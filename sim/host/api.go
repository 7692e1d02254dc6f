package host

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"

	"github.com/assay-dev/assay/sim/host/simapi"
)

// API holds a host's functions for requests of its interface. All are required, except Unreadable and Canned.
type API struct {
	// MaxBody bounds a request.
	MaxBody int64
	// Begin finds the route and the caller of a request and enters both in its record, which is not shared
	// yet. It returns the function that checks and applies the request. A fault may apply it later or never.
	Begin func(*Call) func() *Reply
	// TooLarge answers a request above MaxBody.
	TooLarge func() *Reply
	// Unreadable answers a body that is not JSON or does not fit. Hosts whose handlers use [Call.Read] need it.
	Unreadable func(error) *Reply
	// Fail returns the host's answer to an internal error with that status.
	Fail func(status int) *Reply
	// Canned returns the answers of faults that apply nothing; nil leaves the answer to the fault's own status
	// and body.
	Canned func(simapi.Fault) *Reply
	// Head sets the headers of every answer. Headers of the answer itself override them.
	Head func(h http.Header, rec *simapi.Request, rep *Reply)
}

// Call is one request of the interface with its context for a handler. A host embeds it in its own type.
type Call struct {
	R *http.Request
	// Ctx is not cancelled when the client disconnects, because a real host would not notice either.
	Ctx context.Context
	// Path is the path without the prefix of the interface.
	Path  string
	Vars  map[string]string
	Query url.Values
	Body  []byte
	Rec   *simapi.Request
	// Lag marks the objects that the call writes: lists hide them while [Faults.Lagging] returns true.
	Lag string

	s *Server
}

// locker returns the lock of the host.
func (c *Call) locker() sync.Locker { return &c.s.Mu }

// Locked returns a handler that holds [Server.Mu].
func Locked[C interface{ locker() sync.Locker }](h func(C) *Reply) func(C) *Reply {
	return func(c C) *Reply {
		c.locker().Lock()
		defer c.locker().Unlock()
		return h(c)
	}
}

// Reading returns a handler that gets the JSON body of a request, as [Call.Read] reads it.
func Reading[C interface{ Read(any) *Reply }, In any](h func(C, In) *Reply) func(C) *Reply {
	return func(c C) *Reply {
		var in In
		if refused := c.Read(&in); refused != nil {
			return refused
		}
		return h(c, in)
	}
}

// LockedReading is [Reading] for a handler that needs [Server.Mu]. The body is read before.
func LockedReading[C interface {
	Read(any) *Reply
	locker() sync.Locker
}, In any](h func(C, In) *Reply) func(C) *Reply {
	return Reading(func(c C, in In) *Reply {
		c.locker().Lock()
		defer c.locker().Unlock()
		return h(c, in)
	})
}

// ServeAPI answers one request of the interface: record, route and caller, fault, handler.
func (s *Server) ServeAPI(w http.ResponseWriter, r *http.Request, path string) {
	rec := s.arrived(r, path)
	rec.Write = IsWrite(r.Method)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.api.MaxBody))
	rec.BodySHA256 = HashHex(body)
	if err != nil {
		s.Recorder.Arrive(rec)
		s.finish(w, r, rec, s.api.TooLarge())
		return
	}
	c := &Call{R: r, Ctx: context.WithoutCancel(r.Context()), Path: path, Query: r.URL.Query(), Body: body, Rec: rec, s: s}
	answer := s.api.Begin(c)
	s.Recorder.Arrive(rec)
	apply := func(lag string) *Reply {
		c.Lag = lag
		rep := answer()
		if rec.Write {
			s.Touch()
		}
		return rep
	}
	if f := s.match(r, rec, body); f != nil {
		s.Faults.serve(s.exchange(w, r, rec, apply), f)
		return
	}
	s.finish(w, r, rec, apply(""))
}

// arrived returns a new record of a request.
func (s *Server) arrived(r *http.Request, path string) *simapi.Request {
	return &simapi.Request{ArrivedUS: int64(s.NowMicros()), Method: r.Method, Path: path, Query: r.URL.RawQuery, UserAgent: r.UserAgent()}
}

// match finds the fault for a request and notes it in the record.
func (s *Server) match(r *http.Request, rec *simapi.Request, body []byte) *Fault {
	f := s.Faults.match(r.Method, rec.Path, body, rec.Actor)
	if f != nil {
		s.Recorder.Update(func() { rec.FaultID = f.ID })
	}
	return f
}

// exchange returns a request in the form for faults.
func (s *Server) exchange(w http.ResponseWriter, r *http.Request, rec *simapi.Request, apply func(lag string) *Reply) exchange {
	return exchange{W: w, R: r, Apply: apply, Finish: func(rep *Reply) { s.finish(w, r, rec, rep) }, Fail: s.api.Fail, Canned: s.api.Canned}
}

// finish sends an answer with the headers of every answer.
func (s *Server) finish(w http.ResponseWriter, r *http.Request, rec *simapi.Request, rep *Reply) {
	gone := r.Context().Err() != nil
	s.Recorder.Update(func() { rec.Status, rec.RepliedUS, rec.ClientGone = rep.Status, int64(s.NowMicros()), gone })
	h := w.Header()
	h.Set("Date", s.HostTime().UTC().Format(http.TimeFormat))
	h.Set("X-Content-Type-Options", "nosniff")
	s.api.Head(h, rec, rep)
	for k, v := range rep.Header {
		h[http.CanonicalHeaderKey(k)] = v
	}
	if rep.Status != http.StatusNoContent {
		h.Set("Content-Length", strconv.Itoa(len(rep.Body)))
	}
	w.WriteHeader(rep.Status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(rep.Body) // the client may have gone
	}
	s.Log.Debug("request", "method", r.Method, "path", rec.Path, "status", rep.Status, "actor", rec.Actor)
}

// Note enters the caller and the route in the record, and the body of a write unless the route is in secret,
// the list of routes whose bodies contain secrets. Only [API.Begin] may call it.
func (c *Call) Note(actor, route string, secret []string) {
	c.Rec.Actor, c.Rec.Route = actor, route
	if c.Rec.Write && route != "" && !slices.Contains(secret, route) {
		c.Rec.Body = string(c.Body)
	}
}

// Number reads a numeric variable of the path; 0 means that it is not a positive number.
func (c *Call) Number(name string) int64 {
	n, err := strconv.ParseInt(c.Vars[name], 10, 64)
	if err != nil || n < 1 {
		return 0
	}
	return n
}

// Read reads the JSON body into v and returns nil, or the host's answer to a body that does not fit. An empty body counts as {}.
func (c *Call) Read(v any) *Reply {
	if len(bytes.TrimSpace(c.Body)) == 0 {
		return nil
	}
	if err := json.Unmarshal(c.Body, v); err != nil {
		return c.s.api.Unreadable(err)
	}
	return nil
}

// Wrote records a change by the caller. It takes no lock of the host.
func (c *Call) Wrote(w simapi.Write) {
	w.AtUS, w.RequestSeq, w.Actor = int64(c.s.NowMicros()), c.Rec.Seq, c.Rec.Actor
	c.s.Recorder.Update(func() { c.Rec.Applied, c.Rec.AppliedUS = true, w.AtUS })
	c.s.Recorder.Wrote(w)
}
