package model

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/assay-dev/assay/sim/model/prefix"
)

// Options configures a simulated model.
type Options struct {
	// APIKey is the required key, in the header of the dialect; empty accepts any key or no key.
	APIKey string
	// Models are listed; nil means DefaultModels. Strict refuses any other model.
	Models []string
	Strict bool
	// PageSize bounds the pages of lists that have pages; 0 leaves the size to the request.
	PageSize int
	// Efforts are the accepted reasoning efforts; nil accepts every one.
	Efforts []string
	// Rules to start with.
	Rules []Rule
	// PrefixCache caches the beginnings of prompts and counts the tokens that later requests read from them:
	// requests with a cache key by their common beginning, others by their marks. It has no effect on replies
	// with their own usage.
	PrefixCache bool
	// ControlToken protects the control interface; empty makes a random one.
	ControlToken string
	// Now is the simulator's clock; nil means time.Now.
	Now func() time.Time
}

// DefaultModels returns the models that are listed by default.
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

	kept prefix.Cache

	mu sync.Mutex
	n  int64 // answers made, for their ids
}

// New returns a simulated model, or an error that names a wrong rule.
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

// Handler serves every dialect, and the control interface under /_sim:
//
//	/chat/completions, /responses, /embeddings, /models    OpenAI, with and without /v1; for Azure OpenAI below /openai/v1
//	/mistral/v1/chat/completions, …/embeddings, …/models   Mistral
//	/v1/messages, /v1/models (by the header anthropic-version)   Anthropic
//	/model/{id}/converse, /model/{id}/invoke, /inference-profiles, /foundation-models   Amazon Bedrock, both services
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, prefix := range []string{"", "/v1", "/openai/v1"} {
		own := openAI{azure: prefix == "/openai/v1"}
		mux.HandleFunc("POST "+prefix+"/chat/completions", s.calls(chatDialect{openAI: own}))
		mux.HandleFunc("POST "+prefix+"/responses", s.calls(responsesDialect{own}))
		mux.HandleFunc("POST "+prefix+"/embeddings", s.embeds(chatDialect{openAI: own}))
		mux.HandleFunc("GET "+prefix+"/models", s.lists(chatDialect{openAI: own}))
	}
	mistral := chatDialect{mistral: true}
	mux.HandleFunc("POST /mistral/v1/chat/completions", s.calls(mistral))
	mux.HandleFunc("POST /mistral/v1/embeddings", s.embeds(mistral))
	mux.HandleFunc("GET /mistral/v1/models", s.lists(mistral))
	mux.HandleFunc("POST /v1/messages", s.calls(anthropicDialect{}))
	mux.HandleFunc("POST /model/{id}/converse", s.calls(bedrockDialect{}))
	mux.HandleFunc("POST /model/{id}/invoke", s.embeds(bedrockDialect{}))
	mux.HandleFunc("GET /inference-profiles", s.lists(bedrockDialect{}))
	mux.HandleFunc("GET /foundation-models", s.lists(bedrockDialect{}))
	mux.Handle("/_sim/", s.controlHandler())
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		d := chatDialect{}
		rec := s.arrive(d, r, nil)
		s.write(d, w, r, rec, d.failed(&apiError{http.StatusNotFound, "Invalid URL (" + r.Method + " " + r.URL.Path + ")",
			"invalid_request_error", "", ""}))
	})
	return mux
}

// arrive records a request.
func (s *Server) arrive(d dialect, r *http.Request, body []byte) *Request {
	rec := Request{ArrivedUS: s.opt.Now().UnixMicro(), Method: r.Method, Path: r.URL.Path, UserAgent: r.UserAgent(), Key: s.key(d, r),
		Bytes: len(body)}
	if json.Valid(body) {
		rec.Body = body
	}
	return s.rec.arrive(rec)
}

func (s *Server) key(d dialect, r *http.Request) string {
	given, _ := d.key(r)
	switch {
	case given == "":
		return KeyNone
	case s.opt.APIKey == "" || same(given, s.opt.APIKey):
		return KeyRight
	}
	return KeyWrong
}

func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// refuseKey refuses wrong headers, and a missing or wrong key, like the provider, without repeating the key.
func (s *Server) refuseKey(d dialect, r *http.Request, rec *Request) *apiError {
	if _, e := d.key(r); e != nil {
		return e
	}
	switch {
	case s.opt.APIKey == "" || rec.Key == KeyRight:
		return nil
	case rec.Key == KeyNone:
		return d.trouble(noKey, nil, nil)
	}
	return d.trouble(Unauthorized, nil, nil)
}

// lists serves a list of models. Anthropic's list has the same path as OpenAI's; its header distinguishes it.
func (s *Server) lists(of dialect) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		d := of
		if r.URL.Path == "/v1/models" && (r.Header.Get("Anthropic-Version") != "" || r.Header.Get("X-Api-Key") != "") {
			d = anthropicDialect{s.opt.Efforts}
		}
		rec := s.arrive(d, r, nil)
		s.serve(d, w, r, rec, s.faults.match(OnModels, nil), nil, func() *answer {
			if e := s.refuseKey(d, r, rec); e != nil {
				return d.failed(e)
			}
			return d.listed(r, s.opt.Models, s.opt.PageSize, s.opt.Now())
		})
	}
}

// body reads a request and refuses a wrong key; false if it has already answered.
func (s *Server) body(d dialect, w http.ResponseWriter, r *http.Request) ([]byte, *Request, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		rec := s.arrive(d, r, nil)
		s.write(d, w, r, rec, d.failed(d.trouble(tooMuch, nil, nil)))
		return nil, nil, false
	}
	rec := s.arrive(d, r, body)
	if e := s.refuseKey(d, r, rec); e != nil {
		s.write(d, w, r, rec, d.failed(e))
		return nil, nil, false
	}
	return body, rec, true
}

// calls serves completions.
func (s *Server) calls(d dialect) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, rec, ok := s.body(d, w, r)
		if !ok {
			return
		}
		q, e := d.parse(r, body)
		if q != nil {
			s.rec.update(func() {
				rec.Model, rec.Stage, rec.Effort, rec.MaxTokens, rec.Tools, rec.Format = q.Model, q.stage, q.effort(), q.limit(), q.tools, q.format
			})
		}
		if e == nil {
			e = s.refuse(d, q)
		}
		if e != nil {
			s.write(d, w, r, rec, d.failed(e))
			return
		}
		s.answerCall(d, w, r, rec, q)
	}
}

// embeds serves vectors.
func (s *Server) embeds(d dialect) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, rec, ok := s.body(d, w, r)
		if !ok {
			return
		}
		q, e := parseEmbedding(d, r, body)
		s.rec.update(func() { rec.Model = q.Model })
		if e == nil {
			e = s.refuse(d, &q.request)
		}
		if e != nil {
			s.write(d, w, r, rec, d.failed(e))
			return
		}
		f := s.faults.match(OnEmbeddings, &q.request)
		s.serve(d, w, r, rec, f, &q.request, func() *answer { return q.vectors(f) })
	}
}

func (s *Server) answerCall(d dialect, w http.ResponseWriter, r *http.Request, rec *Request, q *request) {
	f := s.faults.match(OnChat, q)
	if f != nil && f.answersItself() { // does not use up a rule
		s.serve(d, w, r, rec, f, q, nil)
		return
	}
	rule, n, matched := s.rules.match(q)
	if matched && f == nil && rule.Fault != nil && (&fault{FaultState: FaultState{Fault: *rule.Fault}}).fits(q) {
		f = s.faults.add(withoutID(*rule.Fault), true)
	}
	c, err := complete(q, rule.Reply, n, strconv.FormatInt(s.number(), 36))
	s.rec.update(func() { rec.Rule = rule.Name })
	if err != nil {
		e := d.status(http.StatusInternalServerError)
		e.message = "The rule " + strconv.Quote(rule.Name) + " cannot answer: " + err.Error()
		s.write(d, w, r, rec, d.failed(e))
		return
	}
	if s.opt.PrefixCache && rule.Reply.Usage == nil {
		s.countCached(q, &c.usage)
	}
	s.serve(d, w, r, rec, f, q, func() *answer {
		if f != nil {
			f.spoil(&c)
		}
		s.rec.update(func() { u := c.usage; rec.Usage = &u })
		return d.completed(q, c, s.opt.Now())
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

// write sends an answer and records it.
func (s *Server) write(d dialect, w http.ResponseWriter, r *http.Request, rec *Request, a *answer) {
	for k, v := range a.header {
		w.Header()[k] = v
	}
	w.Header().Set(d.requestID(), "req_sim_"+strconv.FormatInt(rec.Seq, 10))
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
