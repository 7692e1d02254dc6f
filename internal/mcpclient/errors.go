package mcpclient

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/outbound"
)

// maxCause bounds the characters of a cause that are kept (design choice).
const maxCause = 200

// Error explains why a server could not be called. Message is our own sentence, without text from the server.
type Error struct {
	Step    string // connect, list or call
	Message string
	// Cause is the observed failure as one short line: cleaned, cut, and without our credential; "" if
	// unknown.
	Cause string

	fromServer bool // the server may have written the cause
}

// Error returns the message with the cause.
func (e *Error) Error() string {
	if e.Cause == "" {
		return e.Step + ": " + e.Message
	}
	return e.Step + ": " + e.Message + ": " + e.Cause
}

// Unlogged returns the part of the text that logs must leave out: the server's words, because they may repeat
// a request.
func (e *Error) Unlogged() string {
	if e.fromServer {
		return e.Cause
	}
	return ""
}

// lastExchange is the outcome of the last exchange. It is safe for concurrent use, because goroutines of the library
// read the answers.
type lastExchange struct {
	mu     sync.Mutex
	status int
	err    error
}

func (l *lastExchange) note(status int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if status != 0 {
		l.status = status
	}
	l.err = err
}

func (l *lastExchange) get() (status int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.status, l.err
}

// tappedBody records why an answer could not be read to its end.
type tappedBody struct {
	io.Closer
	io.Reader
	tap    *tap
	silent bool // records nothing
	cancel context.CancelFunc
}

// Close implements [io.Closer].
func (b *tappedBody) Close() error {
	defer b.cancel()
	return b.Closer.Close()
}

// Read implements [io.Reader].
func (b *tappedBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != nil && !b.silent && !errors.Is(err, io.EOF) {
		b.tap.seen.note(0, err)
	}
	return n, err
}

// explain returns the failure as our own sentence.
func (t *tap) explain(ctx context.Context, step string, cause error, within time.Duration) *Error {
	status, err := t.seen.get()
	e := &Error{Step: step, fromServer: err == nil}
	if err != nil { // the connection's error is more precise than the library's
		cause = err
	}
	e.Cause = strings.Join(strings.Fields(newRedactor(t.value).clean(outbound.Scrub(cause).Error(), maxCause)), " ")
	var beyond *outbound.BoundError
	var refused *outbound.RefusedError
	var redirect *outbound.RedirectError
	var certificate *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	switch {
	case t.asked.Load() > maxRequests:
		e.Message = fmt.Sprintf("The server asked back so often that the session has more than %d requests.", maxRequests)
	case errors.As(err, &refused):
		e.Message = "The address is refused: " + refused.Reason + "."
	case errors.As(err, &redirect):
		e.Message = fmt.Sprintf("The server answered with a redirect (%d), which is not followed. Enter the address that answers itself.",
			redirect.Status)
	case errors.As(err, &beyond):
		e.Message = "The answer is larger than allowed: " + beyond.Reason + "."
	case errors.Is(err, outbound.ErrTooLarge):
		e.Message = "The answer is larger than 2 MiB."
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		e.Message = fmt.Sprintf("The server did not answer within %d seconds.", int(within.Seconds()))
	case errors.As(err, &certificate), errors.As(err, &authority):
		e.Message = "The server's certificate is not trusted."
	case err != nil:
		e.Message = "No connection could be made, or it broke."
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		e.Message = fmt.Sprintf("The server refused who asks (status %d). Check the kind of authentication and its secret.", status)
	case status >= 300:
		e.Message = fmt.Sprintf("The server answered with status %d. Check that the URL is that of its MCP endpoint.", status)
	case step == "call":
		e.Message = "The server refused the call."
	default:
		e.Message = "The answer does not follow the Model Context Protocol."
	}
	return e
}
