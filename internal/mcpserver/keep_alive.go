package mcpserver

import (
	"bytes"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

// keepAliveWriter is a response that carries a comment from time to time until the answer is there, because proxies take
// a silent connection for dead (WHATWG HTML, 9.2.7). A comment is due if nothing was written since the last
// check. After a comment the status is 200, so an answer with another status becomes an event of the stream.
type keepAliveWriter struct {
	header http.Header // what the handler sets
	stop   chan struct{}
	ended  chan struct{}

	mu               sync.Mutex
	to               http.ResponseWriter
	begun            bool // status and header are sent
	stream           bool // as a stream of events
	wantsOtherStatus bool // the handler wants another status than the stream has
	hasWritten       bool // something was written since the last check
}

func newKeepAliveWriter(to http.ResponseWriter, every time.Duration) *keepAliveWriter {
	a := &keepAliveWriter{header: http.Header{}, stop: make(chan struct{}), ended: make(chan struct{}), to: to}
	go a.run(every)
	return a
}

// end stops the comments and completes the answer.
func (a *keepAliveWriter) end() {
	close(a.stop)
	<-a.ended
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.begun {
		a.begin(http.StatusOK)
	}
}

func (a *keepAliveWriter) run(every time.Duration) {
	defer close(a.ended)
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-a.stop:
			return
		case <-t.C:
			a.comment()
		}
	}
}

// comment writes a comment, unless something was written since the last check. A request with a call is always
// answered by a stream, unless its answer comes at once.
func (a *keepAliveWriter) comment() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.hasWritten {
		a.hasWritten = false
		return
	}
	if !a.begun {
		a.to.Header().Set("Content-Type", "text/event-stream")
		a.to.Header().Set("Cache-Control", "no-cache, no-transform")
		a.begun, a.stream = true, true
		a.to.WriteHeader(http.StatusOK)
	}
	if a.stream {
		_, _ = a.to.Write([]byte(": still at it\n\n")) // a client that has gone ends its request anyway
		_ = http.NewResponseController(a.to).Flush()
	}
}

// Header implements [http.ResponseWriter].
func (a *keepAliveWriter) Header() http.Header { return a.header }

// WriteHeader implements [http.ResponseWriter].
func (a *keepAliveWriter) WriteHeader(status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.begin(status)
}

func (a *keepAliveWriter) begin(status int) {
	a.hasWritten = true
	if a.begun {
		a.wantsOtherStatus = a.wantsOtherStatus || a.stream && status != http.StatusOK
		return
	}
	maps.Copy(a.to.Header(), a.header)
	a.begun, a.stream = true, strings.HasPrefix(a.header.Get("Content-Type"), "text/event-stream")
	a.to.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (a *keepAliveWriter) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.hasWritten = true
	if !a.begun {
		a.begin(http.StatusOK)
	}
	if !a.wantsOtherStatus {
		return a.to.Write(p)
	}
	event := append([]byte("event: message\ndata: "), bytes.ReplaceAll(bytes.TrimSpace(p), []byte("\n"), []byte("\ndata: "))...)
	if _, err := a.to.Write(append(event, "\n\n"...)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// FlushError implements the flushing that [http.ResponseController] looks for.
func (a *keepAliveWriter) FlushError() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return http.NewResponseController(a.to).Flush()
}
