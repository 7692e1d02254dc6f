package tracker

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/sim/tracker/simapi"
)

// speaker is a dialect of the interface.
type speaker struct {
	// prefixes are the beginnings of paths that belong to the interface.
	prefixes []string
	// serve answers a request. Its caller was found, or may be nobody.
	serve func(*call) *reply
	// fail is an error of the tracker itself; limited asks to wait, denied refuses.
	fail    func(status int, message string) *reply
	limited func(*Server, shared.Fault) *reply
	denied  func(*Server) *reply
	// sealed are paths whose requests have secrets, which the record leaves out.
	sealed []string
	// deliver makes headers and body of a webhook; Server.mu is held.
	deliver func(*Server, *hook, happening) (map[string]string, []byte)
}

var speakers = map[simapi.Dialect]speaker{
	simapi.Linear: linearSpeaker(), simapi.JiraCloud: jiraSpeaker(), simapi.JiraServer: jiraSpeaker(),
	simapi.AzureBoards: azureSpeaker(),
}

// call is one request to the interface.
type call struct {
	s     *Server
	r     *http.Request
	ctx   context.Context // not cancelled when the client goes: a real tracker would not notice either
	path  string          // below the tracker's own
	body  []byte
	actor *account // nil: nobody
	rec   *shared.Request
	lag   string
}

// maxBody bounds a request.
const maxBody = 16 << 20

func (s *Server) buildHandler() http.Handler {
	control, pages := s.controlHandler(), s.pageHandler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.EscapedPath()
		if strings.HasPrefix(path, "/_sim/") {
			control.ServeHTTP(w, r)
			return
		}
		path, inside := strings.CutPrefix(path, s.below())
		if !inside {
			http.NotFound(w, r)
			return
		}
		for _, p := range s.speak.prefixes {
			if strings.HasPrefix(path, p) || strings.Contains(p, "_apis") && strings.Contains(path, p) {
				s.serveAPI(w, r, path)
				return
			}
		}
		pages(w, r, path)
	})
}

// serveAPI answers one request: record, authentication, fault, handler.
func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request, path string) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	who := s.authenticate(r)
	seen := shared.Request{ArrivedUS: int64(s.nowMicros()), Method: r.Method, Path: path, Query: r.URL.RawQuery, UserAgent: r.UserAgent(),
		BodySHA256: host.HashHex(body), Write: s.isWrite(r, path, body), Operation: operation(path, body)}
	if who != nil {
		seen.Actor = who.Name
	}
	sealed := false
	for _, p := range s.speak.sealed {
		sealed = sealed || strings.HasPrefix(path, p)
	}
	if seen.Write && !sealed {
		seen.Body = string(body)
	}
	rec := s.rec.Arrive(seen)
	finish := func(rep *reply) { s.finish(w, r, rec, rep) }
	if err != nil {
		finish(s.speak.fail(http.StatusRequestEntityTooLarge, "Request entity too large"))
		return
	}
	c := &call{s: s, r: r, ctx: context.WithoutCancel(r.Context()), path: path, body: body, actor: who, rec: rec}
	apply := func(lag string) *reply {
		c.lag = lag
		rep := s.speak.serve(c)
		if seen.Write {
			s.file.Touch()
		}
		return rep
	}
	f := s.faults.Match(r.Method, path, body, seen.Actor)
	if f == nil {
		finish(apply(""))
		return
	}
	s.rec.Update(func() { rec.FaultID = f.ID })
	s.faults.Serve(host.Exchange{W: w, R: r, Apply: apply, Finish: finish, Canned: s.canned,
		Fail: func(status int) *reply { return s.speak.fail(status, "Internal server error") }}, f)
}

// canned is the answer of faults that apply nothing.
func (s *Server) canned(f shared.Fault) *reply {
	switch f.Action {
	case shared.Forbidden:
		return s.speak.denied(s)
	case shared.SecondaryRetryAfter, shared.PrimaryLimit:
		return s.speak.limited(s, f)
	}
	return nil
}

// isWrite reports whether a request may change something: GraphQL's and searches are posted too.
func (s *Server) isWrite(r *http.Request, path string, body []byte) bool {
	switch {
	case path == "/graphql":
		return strings.HasPrefix(operation(path, body), "mutation")
	case strings.HasSuffix(path, "/wiql"), strings.HasSuffix(path, "/artifacturiquery"), strings.HasSuffix(path, "/search"), strings.HasSuffix(path, "/search/jql"):
		return false
	}
	return host.IsWrite(r.Method)
}

// finish sends an answer.
func (s *Server) finish(w http.ResponseWriter, r *http.Request, rec *shared.Request, rep *reply) {
	gone := r.Context().Err() != nil
	s.rec.Update(func() { rec.Status, rec.RepliedUS, rec.ClientGone = rep.Status, int64(s.nowMicros()), gone })
	h := w.Header()
	for k, v := range rep.Header {
		h[http.CanonicalHeaderKey(k)] = v
	}
	h.Set("X-Request-Id", "sim-"+strconv.FormatInt(rec.Seq, 10))
	w.WriteHeader(rep.Status)
	_, _ = w.Write(rep.Body) // the client may have gone
	s.log.Debug("request", "method", r.Method, "path", rec.Path, "status", rep.Status, "actor", rec.Actor)
}

// authenticate finds whose the credential is: a bearer token, the password of Basic, or (Linear) a personal key that stands alone.
func (s *Server) authenticate(r *http.Request) *account {
	value := r.Header.Get("Authorization")
	text, bearer := strings.CutPrefix(value, "Bearer ")
	user := ""
	if basic, ok := strings.CutPrefix(value, "Basic "); ok {
		raw, err := base64.StdEncoding.DecodeString(basic)
		if err != nil {
			return nil
		}
		user, text, _ = strings.Cut(string(raw), ":")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.st.Tokens[text]
	if t == nil || t.Expires != 0 && t.Expires <= s.nowMicros() {
		return nil
	}
	who := s.st.account(t.Account)
	switch {
	case s.opt.Dialect == simapi.Linear && t.OAuth != bearer,
		s.opt.Dialect == simapi.JiraCloud && (bearer || user != who.Email),
		s.opt.Dialect == simapi.JiraServer && !bearer:
		return nil
	}
	return who
}

// wrote records that the call changed something.
func (c *call) wrote(kind, verb string, i *issue) {
	at := int64(c.s.nowMicros())
	c.s.rec.Update(func() { c.rec.Applied, c.rec.AppliedUS = true, at })
	c.s.rec.Wrote(shared.Write{AtUS: at, Kind: kind, Verb: verb, Repository: c.s.key(i), Number: i.Number, Actor: c.actor.Name, RequestSeq: c.rec.Seq})
}

// decode reads a JSON body.
func (c *call) decode(v any) bool { return json.Unmarshal(c.body, v) == nil }

func ok(v any) *reply { return host.JSON(http.StatusOK, v) }

func created(v any) *reply { return host.JSON(http.StatusCreated, v) }
