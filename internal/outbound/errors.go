package outbound

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/assay-dev/assay/internal/secret"
)

// ErrTooLarge means that an answer was longer than its purpose allows. The part that was already read must
// not be used.
var ErrTooLarge = errors.New("the answer is larger than allowed")

// ErrIdle means that the body of an answer paused for longer than its purpose allows.
var ErrIdle = errors.New("the answer stopped coming")

// errReplayable means that a write carried a header that makes net/http resend it automatically (Go 1.26
// net/http/request.go, isReplayable).
var errReplayable = errors.New("a write must not carry an Idempotency-Key header")

// RefusedError means that the policy does not allow the destination, and that nothing was sent. Host is the
// given name without userinfo, path and query.
type RefusedError struct {
	Host   string
	Port   int
	Reason string
}

// Error returns the host, the port and the reason.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s port %d is refused: %s", e.Host, e.Port, e.Reason)
}

func refuse(t target, reason string) error {
	return &RefusedError{Host: t.host, Port: t.port, Reason: reason}
}

// RedirectError means that the server answered with a redirect that the purpose does not follow. Location
// is absolute. Its query may contain a signed credential, so the error text omits it.
type RedirectError struct {
	Status   int
	Location *url.URL
}

// Error returns the status and the target without userinfo and query.
func (e *RedirectError) Error() string {
	return fmt.Sprintf("redirect (%d) to %s is not followed", e.Status, secret.ScrubURL(e.Location.String()))
}

// Scrub removes userinfo and query from the URL in an error of net/http. errors.Is and errors.As still
// work.
func Scrub(err error) error {
	if ue, ok := errors.AsType[*url.Error](err); ok {
		ue.URL = secret.ScrubURL(ue.URL)
	}
	return err
}

// Do sends the request and scrubs the error. Callers without a client library should use it in place of
// client.Do.
func Do(client *http.Client, req *http.Request) (*http.Response, error) {
	resp, err := client.Do(req)
	return resp, Scrub(err)
}
