package wire

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// Call is one request on its way: what it needs going in, what is known of it
// coming out. It travels in the request's context, because libraries replace the
// errors of a transport by their own. It is used by one goroutine at a time.
type Call struct {
	Op        string                                // our name of the call, one of a fixed set
	Key       string                                // budget key of the gate
	Write     bool                                  // counted and spaced by the gate
	Effect    bool                                  // a lost answer is ambiguous
	Authorize func(context.Context) (string, error) // what stands in the header Authorization; "" for nobody
	Refused   func()                                // called where the host answered 401; may be nil
	Found     bool                                  // 302 is a success: the body lies elsewhere, and another call asks for it
	Raw       bool                                  // the body is kept as it is, and not decoded
	Bytes     int64                                 // of a body that is decoded; 0 means [maxDecoded]
	Entries   int                                   // of the page of a list that is asked for; 0 for an answer that is not a page
	Tail      int                                   // keep only so many bytes of the end of the body; 0 keeps all of it
	TailOf    int64                                 // with Tail: the most bytes that are read to find the end

	// Cut says, after a call with Tail, that the body had more before what was kept.
	Cut bool

	// Installation and AsApp go to the observer: see [codehost.Answered].
	Installation domain.HostID
	AsApp        bool

	answered bool // a 2xx answer was read whole
	err      *codehost.Error
}

// Answer is what came of one request.
type Answer struct {
	Resp   *http.Response // nil where there was none; its body is Body
	Body   []byte         // nil where it is beyond the bounds of the call
	Err    error          // of sending, or of reading the answer
	Sent   bool           // false only where the connection was surely never given any of it
	Effect bool           // of the call
	Now    time.Time
}

// Verdict is what an answer means.
type Verdict struct {
	Err     *codehost.Error // nil for success; its Op is filled in
	Block   time.Duration   // for the whole budget key, 0 for none
	Grow    bool            // the host did not say how long
	Healthy bool            // the host answered, and not with a limit
	Request string          // the host's id of the request, for the log
}

// Judge classifies an answer. It is called once per request, with the answer
// whole, and must not keep it.
type Judge func(Answer) Verdict

// broken is the verdict on an answer that is none: it was never sent, lost, or
// broke off.
func broken(a Answer) Verdict {
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

// Run sends what fn sends through a [Transport] as the call, and returns the
// classified error of the last request, [*codehost.Error]s only.
func Run(ctx context.Context, c *Call, fn func(context.Context) error) error {
	err := fn(context.WithValue(ctx, callKey{}, c))
	if c.err != nil {
		return c.err
	}
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*codehost.Error](err); ok { // fn's own, of what it found in an answer
		return e
	}
	e := &codehost.Error{Op: c.Op, Class: codehost.ClassInvalid, Cause: err}
	if c.answered { // the answer could not be understood
		e.Class, e.Message, e.Cause = codehost.ClassUnavailable, "the answer is not what the API describes", nil
		if c.Effect {
			e.Class = codehost.ClassAmbiguous
		}
	}
	return e
}
