package mcpbridge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/secret"
)

// through runs a session with the given input against a service, and returns the lines that the assistant
// receives.
func through(t *testing.T, in io.Reader, serve http.HandlerFunc) (lines []map[string]any, log string, err error) {
	t.Helper()
	server := httptest.NewServer(serve)
	t.Cleanup(server.Close)
	var out, said bytes.Buffer
	b := Bridge{Endpoint: server.URL + "/mcp", Client: server.Client(), Token: secret.New("tok" + "en"), Log: &said}
	err = b.Run(t.Context(), in, &out)
	for l := range strings.Lines(out.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(l), &m); err != nil {
			t.Fatalf("the assistant gets %q", l)
		}
		lines = append(lines, m)
	}
	return lines, said.String(), err
}

func question(id int, method string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`, id, method) + "\n"
}

func answer(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, text)
}

func TestMessagesGoThrough(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	versions := map[string]string{}
	in := question(1, "initialize") + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n\n" + question(2, "tools/list") + question(3, "tools/call")
	lines, log, err := through(t, strings.NewReader(in), func(w http.ResponseWriter, r *http.Request) {
		var e envelope
		if err := json.NewDecoder(r.Body).Decode(&e); err != nil {
			t.Error(err)
		}
		mu.Lock()
		versions[e.Method] = r.Header.Get("Mcp-Protocol-Version")
		mu.Unlock()
		if r.URL.Path != "/mcp" || r.Header.Get("Authorization") != "Bearer token" || r.Header.Get("Accept") != "application/json, text/event-stream" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("asked with %v at %s", r.Header, r.URL.Path)
		}
		switch e.Method {
		case "initialize":
			answer(w, "{\"jsonrpc\":\"2.0\",\n \"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\"}}")
		case "notifications/initialized":
			w.WriteHeader(http.StatusAccepted)
		case "tools/list":
			answer(w, `{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`)
		default:
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
			_, _ = io.WriteString(w, ": hello\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"method\":\"notifications/progress\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n\n")
		}
	})
	if err != nil || log != "" || len(lines) != 4 {
		t.Fatalf("%v, %q, %v", err, log, lines)
	}
	if versions["initialize"] != "" || versions["tools/list"] != "2025-11-25" || versions["tools/call"] != "2025-11-25" {
		t.Errorf("versions of the protocol: %v", versions)
	}
}

// TestWhatTheServiceRefusesIsAnAnswer: an assistant never waits for an answer that does not come.
func TestWhatTheServiceRefusesIsAnAnswer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		serve http.HandlerFunc
		want  string
	}{
		"token":   {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, "refuses the token"},
		"address": {func(w http.ResponseWriter, _ *http.Request) { http.NotFound(w, nil) }, "no /mcp at this address"},
		"limit": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
		}, "try again in 7 seconds"},
		"down": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, "status 502"},
		"page": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }, "status 200"},
		"problem": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"code":"x"}`)
		}, "refuses the token"},
		"too long": {func(w http.ResponseWriter, _ *http.Request) {
			answer(w, `{"jsonrpc":"2.0","id":1,"result":"`+strings.Repeat("x", maxAnswer)+`"}`)
		}, "more than 16 MiB"},
		"event": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for range 40 {
				_, _ = io.WriteString(w, "data: "+strings.Repeat("x", 1<<20)+"\n")
			}
		}, "more than 16 MiB"},
		"aborted": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "cannot be reached"},
		"no json": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: {\n\n")
		}, "not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines, _, err := through(t, strings.NewReader(question(1, "tools/list")), tt.serve)
			if err != nil || len(lines) != 1 {
				t.Fatalf("%v, %v", err, lines)
			}
			failed, _ := lines[0]["error"].(map[string]any)
			if text, _ := failed["message"].(string); lines[0]["id"] != 1.0 || !strings.Contains(text, tt.want) || strings.Contains(text, "token\"") {
				t.Errorf("the assistant gets %v", lines[0])
			}
		})
	}
}

// TestANotificationThatFailsIsLogged: a notification does not have an answer.
func TestANotificationThatFailsIsLogged(t *testing.T) {
	t.Parallel()
	lines, log, err := through(t, strings.NewReader(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`), func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	if err != nil || len(lines) != 0 || !strings.Contains(log, "418") {
		t.Errorf("%v, %v, %q", err, lines, log)
	}
}

// TestACancelledQuestionEnds: the service's request ends too.
func TestACancelledQuestionEnds(t *testing.T) {
	t.Parallel()
	in, w := io.Pipe()
	began, ended := make(chan struct{}), make(chan struct{})
	go func() {
		_, _ = io.WriteString(w, question(5, "tools/call"))
		<-began
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`+"\n")
		<-ended
		_ = w.Close()
	}()
	lines, log, err := through(t, in, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(began)
		<-r.Context().Done()
		close(ended)
	})
	if err != nil || len(lines) != 0 || log != "" {
		t.Errorf("%v, %v, %q", err, lines, log)
	}
}

func TestOnlySoManyAtOnce(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int64
	gate := make(chan struct{})
	var all strings.Builder
	for i := range 50 {
		all.WriteString(question(i, "tools/call"))
	}
	var once sync.Once
	lines, _, err := through(t, strings.NewReader(all.String()), func(w http.ResponseWriter, r *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		if n == maxInFlight {
			once.Do(func() { close(gate) })
		}
		<-gate
		var e envelope
		_ = json.NewDecoder(r.Body).Decode(&e)
		answer(w, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, e.ID))
	})
	if err != nil || len(lines) != 50 || most.Load() != maxInFlight {
		t.Errorf("%v, %d answers, %d at once", err, len(lines), most.Load())
	}
}

func TestABadLineEndsTheSession(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{"no JSON": "hello\n", "a batch": "[]\n", "too long": `{"a":"` + strings.Repeat("x", maxMessage) + `"}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, _, err := through(t, strings.NewReader(in), func(http.ResponseWriter, *http.Request) { t.Error("the service got a request") }); err == nil {
				t.Error("the session continues")
			}
		})
	}
}

// TestEveryQuestionIsAnswered: whatever the service does, an assistant gets exactly one answer to its
// request.
func TestEveryQuestionIsAnswered(t *testing.T) {
	t.Parallel()
	stream := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, text)
		}
	}
	for name, tt := range map[string]struct {
		id    string
		serve http.HandlerFunc
		fails bool
	}{
		"an empty stream":              {`1`, stream(": hello\n\n"), true},
		"a stream of other messages":   {`1`, stream("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\n"), true},
		"a request by the server":      {`1`, stream("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\n"), true},
		"taken":                        {`1`, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }, true},
		"no content":                   {`1`, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, true},
		"an answer to another request": {`1`, func(w http.ResponseWriter, _ *http.Request) { answer(w, `{"jsonrpc":"2.0","id":7,"result":{}}`) }, true},
		"a message without an id": {`1`, func(w http.ResponseWriter, _ *http.Request) {
			answer(w, `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}`)
		}, true},
		"an object for an id":   {`1`, func(w http.ResponseWriter, _ *http.Request) { answer(w, `{"jsonrpc":"2.0","id":{},"result":{}}`) }, true},
		"an answer and a rest":  {`1`, stream("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\ndata: {\n\n"), false},
		"an id in another form": {`1.0`, stream("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n"), false},
		"a text for an id":      {`"\u0061"`, stream("data: {\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{}}\n\n"), false},
		"a complete answer":     {`1`, func(w http.ResponseWriter, _ *http.Request) { answer(w, `{"jsonrpc":"2.0","id":1,"result":{}}`) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines, _, err := through(t, strings.NewReader(`{"jsonrpc":"2.0","id":`+tt.id+`,"method":"tools/call"}`+"\n"), tt.serve)
			if err != nil {
				t.Fatal(err)
			}
			var want any
			if err := json.Unmarshal([]byte(tt.id), &want); err != nil {
				t.Fatal(err)
			}
			good, bad := 0, 0
			for _, l := range lines {
				switch failed, _ := l["error"].(map[string]any); {
				case l["id"] != want || l["method"] != nil:
				case failed == nil:
					good++
				case strings.Contains(fmt.Sprint(failed["message"]), "without an answer to this request"):
					bad++
				}
			}
			if tt.fails && (good != 0 || bad != 1) || !tt.fails && (good != 1 || bad != 0) {
				t.Errorf("the assistant gets %v", lines)
			}
		})
	}
}

// TestACancelIsReadWhileAllAreBusy: only the cancel frees a place.
func TestACancelIsReadWhileAllAreBusy(t *testing.T) {
	t.Parallel()
	in, w := io.Pipe()
	begun, ended := make(chan string, 100), make(chan string, 100)
	cancel := func(id int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id) + "\n"
	}
	var said []string
	go func() {
		defer func() { _ = w.Close() }()
		for i := range maxInFlight + 2 { // two of them wait
			_, _ = io.WriteString(w, question(i, "tools/call"))
		}
		for range maxInFlight {
			said = append(said, <-begun)
		}
		for i := range maxInFlight + 2 {
			_, _ = io.WriteString(w, cancel(i))
		}
		for range maxInFlight {
			<-ended
		}
	}()
	lines, log, err := through(t, in, func(_ http.ResponseWriter, r *http.Request) {
		var e envelope
		_ = json.NewDecoder(r.Body).Decode(&e)
		_, _ = io.Copy(io.Discard, r.Body)
		begun <- string(e.ID)
		<-r.Context().Done()
		ended <- string(e.ID)
	})
	if err != nil || len(lines) != 0 || log != "" || len(said) != maxInFlight {
		t.Errorf("%v, %v, %q, %v", err, lines, log, said)
	}
}

// TestOnlySoManyWait: the bridge keeps a bounded number of an assistant's requests.
func TestOnlySoManyWait(t *testing.T) {
	t.Parallel()
	in, w := io.Pipe()
	gate := make(chan struct{})
	go func() {
		defer func() { _ = w.Close() }()
		for i := range maxWaiting + 1 {
			_, _ = io.WriteString(w, question(i, "tools/call"))
		}
		_, _ = io.WriteString(w, "\n") // the bridge continues to read after it has refused the last one
		close(gate)
	}()
	lines, _, err := through(t, in, func(w http.ResponseWriter, r *http.Request) {
		<-gate
		var e envelope
		_ = json.NewDecoder(r.Body).Decode(&e)
		answer(w, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, e.ID))
	})
	refused := 0
	for _, l := range lines {
		if strings.Contains(fmt.Sprint(l["error"]), "too many questions wait") {
			refused++
		}
	}
	if err != nil || len(lines) != maxWaiting+1 || refused != 1 {
		t.Errorf("%v, %d answers, %d refused", err, len(lines), refused)
	}
}
