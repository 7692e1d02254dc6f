package model

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Options of a simulated model.
type Options struct {
	// APIKey must be sent as a bearer token; empty accepts any key and none.
	APIKey string
	// Models are listed, DefaultModels when nil. Any other model is refused when Strict is set.
	Models []string
	Strict bool
	// Efforts are the accepted reasoning efforts; nil accepts every one.
	Efforts []string
	// Rules to start with.
	Rules []Rule
	// ControlToken guards the control interface; empty makes a random one.
	ControlToken string
	// Now is the simulator's clock; nil is time.Now.
	Now func() time.Time
}

// DefaultModels are listed when nothing else is said.
func DefaultModels() []string { return []string{"sim-fast", "sim-standard", "sim-strong"} }

// maxBody bounds a request.
const maxBody = 32 << 20

// Server is a simulated model. It is safe for concurrent use.
type Server struct {
	opt    Options
	faults *faultSet
	rules  *ruleSet
	rec    *recorder
	ctx    context.Context //nolint:containedctx // ends with Close, so that held requests end
	cancel context.CancelFunc

	mu sync.Mutex
	n  int64 // answers made, for their ids
}

// New makes a simulated model, or says which rule is wrong.
func New(opt Options) (*Server, error) {
	if opt.Models == nil {
		opt.Models = DefaultModels()
	}
	if opt.ControlToken == "" {
		opt.ControlToken = rand.Text()
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	s := &Server{opt: opt, faults: newFaultSet(), rules: &ruleSet{}, rec: newRecorder()}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if err := s.SetRules(opt.Rules); err != nil {
		return nil, err
	}
	return s, nil
}

// Close ends requests that are held.
func (s *Server) Close() {
	s.faults.releaseAll()
	s.cancel()
}

// ControlToken returns the bearer token of the control interface.
func (s *Server) ControlToken() string { return s.opt.ControlToken }

// Handler serves the model's interface, with and without /v1, and the control interface under /_sim.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, prefix := range []string{"", "/v1"} {
		mux.HandleFunc("POST "+prefix+"/chat/completions", s.chat)
		mux.HandleFunc("GET "+prefix+"/models", s.models)
	}
	mux.Handle("/_sim/", s.controlHandler())
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		rec := s.arrive(r, nil)
		s.write(w, r, rec, (&apiError{http.StatusNotFound, "Invalid URL (" + r.Method + " " + r.URL.Path + ")", "invalid_request_error", "", ""}).answer())
	})
	return mux
}

// arrive records a request.
func (s *Server) arrive(r *http.Request, body []byte) *Request {
	rec := Request{ArrivedUS: s.opt.Now().UnixMicro(), Method: r.Method, Path: r.URL.Path, UserAgent: r.UserAgent(), Key: s.key(r), Bytes: len(body)}
	if json.Valid(body) {
		rec.Body = body
	}
	return s.rec.arrive(rec)
}

func (s *Server) key(r *http.Request) string {
	given := r.Header.Get("Authorization")
	switch {
	case given == "":
		return KeyNone
	case s.opt.APIKey == "" || same(given, "Bearer "+s.opt.APIKey):
		return KeyRight
	}
	return KeyWrong
}

func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// refuseKey answers a missing or wrong key as OpenAI does, without repeating it.
func (s *Server) refuseKey(rec *Request) *apiError {
	switch {
	case s.opt.APIKey == "" || rec.Key == KeyRight:
		return nil
	case rec.Key == KeyNone:
		return &apiError{http.StatusUnauthorized, "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).", "invalid_request_error", "", ""}
	}
	return wrongKey()
}

func wrongKey() *apiError {
	return &apiError{http.StatusUnauthorized, "Incorrect API key provided: sim-****. You can find your API key in the settings of your account.", "invalid_request_error", "", "invalid_api_key"}
}

func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	rec := s.arrive(r, nil)
	f := s.faults.match(OnModels, nil)
	s.serve(w, r, rec, f, nil, func() *answer {
		if e := s.refuseKey(rec); e != nil {
			return e.answer()
		}
		return modelList(s.opt.Models, s.opt.Now().Unix())
	})
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		rec := s.arrive(r, nil)
		s.write(w, r, rec, (&apiError{http.StatusRequestEntityTooLarge, "The request is too large.", "invalid_request_error", "", ""}).answer())
		return
	}
	rec := s.arrive(r, body)
	if e := s.refuseKey(rec); e != nil {
		s.write(w, r, rec, e.answer())
		return
	}
	q, e := parseRequest(body)
	if q != nil {
		s.rec.update(func() {
			rec.Model, rec.Stage, rec.Effort, rec.MaxTokens, rec.Tools = q.Model, q.stage, q.effort(), q.limit(), len(q.Tools)
			if q.ResponseFormat != nil {
				rec.Format = q.ResponseFormat.Type
			}
		})
	}
	if e == nil {
		e = s.refuse(q)
	}
	if e != nil {
		s.write(w, r, rec, e.answer())
		return
	}
	s.answerChat(w, r, rec, q)
}

func (s *Server) answerChat(w http.ResponseWriter, r *http.Request, rec *Request, q *request) {
	f := s.faults.match(OnChat, q)
	if f != nil && f.answersItself() { // no rule is used up
		s.serve(w, r, rec, f, q, nil)
		return
	}
	rule, n, matched := s.rules.match(q)
	if matched && f == nil && rule.Fault != nil && (&fault{FaultState: FaultState{Fault: *rule.Fault}}).fits(q) {
		f = s.faults.add(withoutID(*rule.Fault), true)
	}
	c, err := complete(q, rule.Reply, n, strconv.FormatInt(s.number(), 36))
	s.rec.update(func() { rec.Rule = rule.Name })
	if err != nil {
		s.write(w, r, rec, (&apiError{http.StatusInternalServerError, "The rule " + strconv.Quote(rule.Name) + " cannot answer: " + err.Error(), "server_error", "", ""}).answer())
		return
	}
	s.serve(w, r, rec, f, q, func() *answer {
		if f != nil {
			f.spoil(&c)
		}
		s.rec.update(func() { u := c.usage; rec.Usage = &u })
		return c.answer(s.opt.Now())
	})
}

func withoutID(f Fault) Fault {
	f.ID = ""
	return f
}

func (s *Server) number() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	return s.n
}

// refuse answers requests that this model cannot serve.
func (s *Server) refuse(q *request) *apiError {
	switch {
	case s.opt.Strict && !slices.Contains(s.opt.Models, q.Model):
		return &apiError{http.StatusNotFound, "The model `" + q.Model + "` does not exist or you do not have access to it.", "invalid_request_error", "", "model_not_found"}
	case s.opt.Efforts != nil && q.effort() != "" && !slices.Contains(s.opt.Efforts, q.effort()):
		return rejectedEffort(q, s.opt.Efforts)
	}
	return nil
}

func rejectedEffort(q *request, supported []string) *apiError {
	quoted := make([]string, len(supported))
	for i, e := range supported {
		quoted[i] = "'" + e + "'"
	}
	return &apiError{http.StatusBadRequest, "Unsupported value: '" + q.effort() + "' is not supported with the '" + q.Model + "' model. Supported values are: " + strings.Join(quoted, ", ") + ".",
		"invalid_request_error", "reasoning_effort", "unsupported_value"}
}

// write sends an answer and records it.
func (s *Server) write(w http.ResponseWriter, r *http.Request, rec *Request, a *answer) {
	for k, v := range a.header {
		w.Header()[k] = v
	}
	w.Header().Set("x-request-id", "req_sim_"+strconv.FormatInt(rec.Seq, 10))
	w.WriteHeader(a.status)
	_, err := w.Write(a.body)
	s.done(r, rec, a.status, err)
}

// done records the end of a request.
func (s *Server) done(r *http.Request, rec *Request, status int, err error) {
	s.rec.update(func() {
		rec.RepliedUS, rec.Status = s.opt.Now().UnixMicro(), status
		rec.ClientGone = err != nil || r.Context().Err() != nil
	})
}
