package mcpclient_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/mcpclient"
)

// streaming starts a session correctly, and answers the list of tools with a stream of events. answered gets
// the client's answers to requests of the server.
func streaming(list func(w http.ResponseWriter, r *http.Request, id json.RawMessage), answered http.HandlerFunc) http.Handler {
	begin := rpc(map[string]func(json.RawMessage) any{"initialize": initialized})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var in struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.Unmarshal(body, &in)
		switch {
		case in.Method == "tools/list":
			w.Header().Set("Content-Type", "text/event-stream")
			list(w, r, in.ID)
		case in.Method == "" && in.ID != nil:
			answered(w, r)
		default:
			r.Body = io.NopCloser(bytes.NewReader(body))
			begin.ServeHTTP(w, r)
		}
	})
}

// ask requests a server's tools and expects an error that contains a text.
func ask(ctx context.Context, t *testing.T, h http.Handler, within time.Duration, want string) {
	t.Helper()
	u, f := serve(t, h)
	_, err := mcpclient.List(ctx, f, mcpclient.Server{Tenant: "ten_1", URL: u}, within)
	var e *mcpclient.Error
	if !errors.As(err, &e) || e.Step != "list" || !strings.Contains(e.Message, want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// A server that sends requests without end gets a bounded number of answers, and the session ends.
func TestAServerThatAsksBackWithoutEnd(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	ask(t.Context(), t, streaming(func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
		for n := range 20_000 {
			if _, err := fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}\n\n", n+1000); err != nil {
				return
			}
		}
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}, func(_ http.ResponseWriter, r *http.Request) { // and reads none of them
		asked.Add(1)
		<-r.Context().Done()
	}), time.Minute, "asked back")
	if n := asked.Load(); n > 64 {
		t.Errorf("it got %d answers", n)
	}
}

// If a server does not read an answer, the session still ends in time.
func TestAnAnswerThatAServerDoesNotTake(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ask(ctx, t, streaming(func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
			_, _ = io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"id\":1000,\"method\":\"ping\"}\n\n")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, func(_ http.ResponseWriter, r *http.Request) {
			cancel() // the caller has gone
			<-r.Context().Done()
		}), time.Hour, "")
	}()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("the session does not end")
	}
}

// Values that an event hides from the bound of an answer are not decoded.
func TestEventsThatHideTheirValues(t *testing.T) {
	t.Parallel()
	many := strings.TrimSuffix(strings.Repeat("{},", 600_000), ",")
	for name, event := range map[string]string{
		"a comment that ends within a text": ": \"\\\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"tools\":[" + many + "]}}\n\n",
		"a text on two lines":               "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"x\":\"a\ndata: b\",\"tools\":[" + many + "]}}\n\n",
		"a text that returns":               "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"x\":\"a\rb\",\"tools\":[" + many + "]}}\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ask(t.Context(), t, streaming(func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) {
				_, _ = fmt.Fprintf(w, event, id)
			}, http.NotFound), time.Minute, "larger than allowed")
		})
	}
}
