package outbound

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/assay-dev/assay/internal/secret"
)

// ErrTooLarge means that an answer was longer than its purpose allows. What
// was read before must not be used.
var ErrTooLarge = errors.New("the answer is larger than allowed")

// ErrIdle means that a body stopped coming for longer than its purpose allows.
var ErrIdle = errors.New("the answer stopped coming")

// errReplayable means that a write carried a header that makes net/http send
// it again by itself (Go 1.26 net/http/request.go, isReplayable).
var errReplayable = errors.New("a write must not carry an Idempotency-Key header")

// RefusedError means that the policy does not allow the destination. Nothing
// was sent. Host is the name as given, without userinfo, path and query.
type RefusedError struct {
	Host   string
	Port   int
	Reason string
}

// Error names host, port and reason.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s port %d is refused: %s", e.Host, e.Port, e.Reason)
}

func refuse(t target, reason string) error {
	return &RefusedError{Host: t.host, Port: t.port, Reason: reason}
}

// RedirectError means that the server answered with a redirect that the
// purpose does not follow. Location is absolute; its query may hold a signed
// credential, so it is not part of the text.
type RedirectError struct {
	Status   int
	Location *url.URL
}

// Error names the status and the target without userinfo and query.
func (e *RedirectError) Error() string {
	return fmt.Sprintf("redirect (%d) to %s is not followed", e.Status, secret.ScrubURL(e.Location.String()))
}

// Scrub takes userinfo and query out of the URL that net/http puts into its
// errors. The chain stays intact for errors.Is and errors.As.
func Scrub(err error) error {
	if ue, ok := errors.AsType[*url.Error](err); ok {
		ue.URL = secret.ScrubURL(ue.URL)
	}
	return err
}

// Do sends the request and scrubs the error. Callers that do not go through a
// library should use it in place of client.Do.
func Do(client *http.Client, req *http.Request) (*http.Response, error) {
	resp, err := client.Do(req)
	return resp, Scrub(err)
}
