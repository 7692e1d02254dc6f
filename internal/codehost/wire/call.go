package wire

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// Call is one request: its input, and its result after it was sent. It travels in the request's context,
// because libraries replace the errors of a transport by their own. One goroutine at a time may use it.
type Call struct {
	Op        string                                // our name of the call, from a fixed set
	Key       string                                // budget key of the gate
	Write     bool                                  // counted and spaced by the gate
	Effect    bool                                  // a lost answer is ambiguous, because the request may have had an effect
	Authorize func(context.Context) (string, error) // value of the header Authorization; "" for an anonymous request
	Refused   func()                                // called after a 401 answer; may be nil
	Found     bool                                  // 302 and 307 are successes: another call fetches the body from elsewhere
	Raw       bool                                  // the body is kept unchanged, and not decoded
	Bytes     int64                                 // most bytes of a decoded body; 0 means [maxDecoded]
	Entries   int                                   // entries of the requested page of a list; 0 for an answer that is not a page

	// Read gets the body of a success while it arrives, at most Bytes and one more, which shows that the body goes
	// on. The answer is then empty. An error of Read is one of reading the answer.
	Read func(io.Reader) error

	// Installation and AsApp go to the observer: see [codehost.Exchange].
	Installation domain.HostID
	AsApp        bool

	answered bool // a 2xx answer was read completely
	err      *codehost.Error
}

// Answer is the result of one request.
type Answer struct {
	Resp   *http.Response // nil without an answer; its body is in Body
	Body   []byte         // nil if it exceeds the bounds of the call
	Err    error          // of sending the request, or of reading the answer
	Sent   bool           // false only if nothing of the request can have reached the connection
	Effect bool           // as in [Call]
	Now    time.Time
}

// Verdict is the meaning of an answer.
type Verdict struct {
	Err     *codehost.Error // nil for success; the caller fills in Op
	Block   time.Duration   // wait for the whole budget key, 0 for none
	Grow    bool            // the host gave no duration
	Healthy bool            // the host answered without a limit
	Request string          // host's id of the request, for the log
}

// Judge classifies an answer that was read completely. It is called once per request, and must not keep the
// answer.
type Judge func(Answer) Verdict

// brokenVerdict returns the verdict for a request that was not sent, or whose answer is lost or incomplete.
func brokenVerdict(a Answer) Verdict {
	e := &codehost.Error{Class: codehost.ClassUnavailable, Cause: a.Err}
	if a.Resp != nil {
		e.Status = a.Resp.StatusCode
	}
	if a.Effect && a.Sent {
		e.Class = codehost.ClassAmbiguous
	}
	return Verdict{Err: e}
}

type callKey struct{}

// Run executes fn, whose requests go through a [Transport] as the call. It returns the classified error of
// the last request. All its errors are [*codehost.Error]s.
func Run(ctx context.Context, c *Call, fn func(context.Context) error) error {
	err := fn(context.WithValue(ctx, callKey{}, c))
	if c.err != nil {
		return c.err
	}
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*codehost.Error](err); ok { // fn rejected the content of an answer
		return e
	}
	e := &codehost.Error{Op: c.Op, Class: codehost.ClassInvalid, Cause: err}
	if c.answered { // the library could not decode the answer
		e.Class, e.Message, e.Cause = codehost.ClassUnavailable, "the answer is not what the API describes", nil
		if c.Effect {
			e.Class = codehost.ClassAmbiguous
		}
	}
	return e
}
