// Package simtest runs the conformance suite of codecs against the simulated model and records their requests.
// It is for tests only. Dialects and the needs of a single codec do not belong here.
package simtest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/llmtest"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/sim/model"
)

// Open returns the client under test for [llmtest.Key] and the simulator's address, which has no path.
type Open func(t *testing.T, base string, client *http.Client) llm.Client

// Key is [llmtest.Key] in the form that codecs take.
func Key() secret.Secret { return secret.New(llmtest.Key()) }

// Run runs the suite for a codec; without is [llmtest.Harness.Without].
func Run(t *testing.T, open Open, without map[llmtest.Trait]string) {
	t.Helper()
	var followed atomic.Bool
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Store(true) }))
	t.Cleanup(elsewhere.Close)
	llmtest.Run(t, llmtest.Harness{
		Without:   without,
		Untouched: func(*testing.T) bool { return !followed.Load() },
		Client: func(t *testing.T, s llmtest.Scenario) llm.Client {
			t.Helper()
			opt, faults := play(s, elsewhere.URL)
			server := Start(t, opt, faults...)
			return open(t, server.URL, server.HTTP)
		},
	})
}

// Server is a simulated model that records its requests. It is safe for concurrent use.
type Server struct {
	URL  string // without a path
	HTTP *http.Client
	next http.Handler

	mu   sync.Mutex
	sent []Sent
}

// Sent is a request that arrived.
type Sent struct {
	Method, URI string
	Header      http.Header
	Body        string // without the final line break
}

// Start starts a simulated model that runs until the test ends.
func Start(t *testing.T, opt model.Options, faults ...model.Fault) *Server {
	t.Helper()
	sim, err := model.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		if _, err := sim.SetFault(f); err != nil {
			t.Fatal(err)
		}
	}
	s := Serve(t, sim.Handler())
	t.Cleanup(sim.Close) // before the server is closed, which waits for held requests
	return s
}

// Serve starts any handler in place of a simulated model.
func Serve(t *testing.T, h http.Handler) *Server {
	t.Helper()
	s := &Server{next: h}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL, s.HTTP = server.URL, server.Client()
	return s
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // half a body is recorded as it arrived
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	s.mu.Lock()
	s.sent = append(s.sent, Sent{r.Method, r.URL.RequestURI(), r.Header.Clone(), strings.TrimSpace(string(body))})
	s.mu.Unlock()
	s.next.ServeHTTP(w, r)
}

// Sent returns the requests so far.
func (s *Server) Sent() []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Sent(nil), s.sent...)
}

// play returns the options and faults with which a simulated model plays a scenario of the suite.
func play(s llmtest.Scenario, elsewhere string) (model.Options, []model.Fault) {
	opt := model.Options{APIKey: llmtest.Key(), Models: []string{"alpha", "beta"}}
	fault := func(f model.Fault) (model.Options, []model.Fault) {
		f.On, f.Times = model.OnAny, -1
		return opt, []model.Fault{f}
	}
	answer := func(rules ...model.Rule) (model.Options, []model.Fault) {
		opt.Rules = rules
		return opt, nil
	}
	switch s {
	case llmtest.Text:
		return answer(model.Rule{Reply: model.Reply{Text: "hello", Usage: &model.Usage{Input: 100, Cached: 64, Output: 20, Reasoning: 5}}})
	case llmtest.Structured:
		return answer(model.Rule{Reply: model.Reply{Template: `{{if eq .Format "json_schema"}}{"ok":true}{{else}}no schema{{end}}`}})
	case llmtest.SchemaRefused:
		opt, _ := answer(model.Rule{Match: model.Match{SystemContains: `"additionalProperties":false`},
			Reply: model.Reply{Text: `{"ok":true}`}}, model.Rule{Reply: model.Reply{Text: "no schema"}})
		return opt, []model.Fault{{Action: model.RejectFormat, Times: -1}}
	case llmtest.ToolCall:
		return answer(model.Rule{Match: model.Match{Nth: 1}, Reply: model.Reply{ToolCalls: []model.ToolCall{{ID: "call_1", Name: "look",
			Arguments: `{"path":"a.go"}`}}}}, model.Rule{Reply: model.Reply{Text: "done"}})
	case llmtest.ToolCalls:
		call := func(n int) model.ToolCall {
			return model.ToolCall{ID: fmt.Sprint("thought_", n), Name: "look", Arguments: `{"path":"a.go"}`}
		}
		return answer(model.Rule{Match: model.Match{Turn: 1, Tools: "offered"},
			Reply: model.Reply{Text: "I look.", ToolCalls: []model.ToolCall{call(1), call(2)}}},
			model.Rule{Match: model.Match{Turn: 2, Tools: "offered"}, Reply: model.Reply{ToolCalls: []model.ToolCall{call(3)}}},
			model.Rule{Reply: model.Reply{Text: `{"ok":true}`}})
	case llmtest.ToolsRefused:
		opt, _ := answer(model.Rule{Reply: model.Reply{Text: "hello"}})
		return opt, []model.Fault{{Action: model.RejectTools, Times: -1}}
	case llmtest.Truncated:
		return answer(model.Rule{Reply: model.Reply{Text: "halfhalf"}, Fault: &model.Fault{Action: model.Truncated}})
	case llmtest.Effort:
		return answer(model.Rule{Reply: model.Reply{Template: `{{if .Effort}}{{.Effort}}{{else}}none was sent{{end}}`}})
	case llmtest.Kept:
		return answer(model.Rule{Reply: model.Reply{Template: `{{if .CacheKey}}kept{{else}}not kept{{end}}`,
			Usage: &model.Usage{Input: 100, Written: 30, Output: 20}}})
	case llmtest.EffortRejected:
		return fault(model.Fault{Action: model.RejectEffort})
	case llmtest.ContextLength:
		return fault(model.Fault{Action: model.ContextLength})
	case llmtest.Quota:
		return fault(model.Fault{Action: model.Quota})
	case llmtest.WrongKey, llmtest.ModelsForbidden:
		return fault(model.Fault{Action: model.Unauthorized, Message: "Incorrect API key provided: " + llmtest.Key() + "."})
	case llmtest.UnknownModel:
		opt.Models, opt.Strict = []string{"another"}, true
	case llmtest.RateLimited:
		return fault(model.Fault{Action: model.RateLimit, RetrySeconds: 7, RetryForm: model.RetryAtDate})
	case llmtest.Overloaded:
		return fault(model.Fault{Action: model.Overloaded})
	case llmtest.Refused:
		return fault(model.Fault{Action: model.Refuse})
	case llmtest.BrokenBody:
		return fault(model.Fault{Action: model.BrokenBody})
	case llmtest.HungHeaders, llmtest.SlowModels:
		return fault(model.Fault{Action: model.Hang})
	case llmtest.HungBody:
		return fault(model.Fault{Action: model.HangBody})
	case llmtest.TooLarge, llmtest.TooManyModels:
		return fault(model.Fault{Action: model.TooLarge})
	case llmtest.NotAnAnswer, llmtest.NotAModelList:
		return fault(model.Fault{Action: model.NotAnAnswer})
	case llmtest.Redirected:
		return fault(model.Fault{Action: model.Redirect, Location: elsewhere})
	case llmtest.HostileMessage:
		return fault(model.Fault{Action: model.Status, Status: 400, Message: "bad\x1b[31m\u202e" + strings.Repeat("x", 100_000)})
	case llmtest.OtherVectors:
		return fault(model.Fault{Action: model.WrongSize})
	case llmtest.FewVectors:
		return fault(model.Fault{Action: model.WrongCount})
	case llmtest.NoModels:
		opt.Models = []string{}
	}
	return opt, nil
}
