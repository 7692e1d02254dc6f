package problem

import (
	"io"
	"net/http"
	"time"
)

const (
	// maxRest is the maximum size of the rest of a refused body that is read, in bytes.
	maxRest = 40 << 20
	// restTime is how long the rest may take to arrive.
	restTime = 10 * time.Second
	// serverRest is the size of the rest that the HTTP server reads itself, in bytes (net/http, maxPostHandlerReadBytes).
	serverRest = 256 << 10
)

// DiscardRest sends a refusal that was written, and reads the rest of the request's body within bounds. Many senders write
// their whole body before they read the answer. Otherwise the server closes the connection, and such a sender sees a reset
// or a broken pipe in place of the reason.
func DiscardRest(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength >= 0 && r.ContentLength < serverRest || r.ContentLength > 2*maxRest {
		return
	}
	to := http.NewResponseController(w) // not every writer supports flushes and deadlines
	_ = to.Flush()
	_ = to.SetReadDeadline(time.Now().Add(restTime))
	_, _ = io.CopyN(io.Discard, r.Body, maxRest)
	_ = to.SetReadDeadline(time.Time{})
}
