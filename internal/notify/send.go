package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
)

// Limits of one attempt (design choice; Standard Webhooks recommends 15 to 30
// seconds, a person who presses a button waits less).
const (
	attemptTime = 15 * time.Second
	mostAnswer  = 16 << 10 // nothing in an answer is read but its status
)

// Destination is an opened channel.
type Destination struct {
	Tenant    string
	Kind      string
	URL       secret.Secret   // "" for email
	Addresses []string        // of email
	Secrets   []secret.Secret // of webhook: the newest first, during a rotation the one before as well
}

// Outcome is what became of one attempt.
type Outcome struct {
	Delivered  bool
	Status     int    // of the answer; 0: there was none
	Reason     string // in words of ours, "" where delivered; safe to show
	Retry      bool   // another attempt can help
	Gone       bool   // the receiver wants no more messages
	RetryAfter time.Duration
}

// Send makes one attempt to tell a message. It never panics on what a receiver
// answers, and never repeats it. now is the time that is signed.
func (s *Service) Send(ctx context.Context, d Destination, m Message, now time.Time) Outcome {
	if d.Kind == "email" {
		return s.mail(ctx, d.Addresses, m)
	}
	text, err := body(d.Kind, m)
	if err != nil {
		return Outcome{Reason: "the message has no form in JSON"}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL.Reveal(), bytes.NewReader(text))
	if err != nil {
		return Outcome{Reason: "the stored URL cannot be used"} // the error names the URL
	}
	r.Header.Set("Content-Type", "application/json")
	if d.Kind == "webhook" {
		if err := Sign(r.Header, m.ID, now, text, d.Secrets...); err != nil {
			return Outcome{Reason: "the channel has no secret to sign with; make one first"}
		}
	}
	resp, err := s.Outbound.Client(outbound.Purpose{Name: "notify", Tenant: d.Tenant, Timeout: attemptTime, MaxResponseBytes: mostAnswer}).Do(r)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(io.Discard, resp.Body) // so that the connection can be used again; the cap ends what is too long
	return answered(resp)
}

// answered reads the status. Redirects are not followed and final: a signed
// message goes to where the administrator said, or nowhere.
func answered(resp *http.Response) Outcome {
	o := Outcome{Status: resp.StatusCode}
	switch c := resp.StatusCode; {
	case c >= 200 && c < 300:
		o.Delivered = true
		return o
	case passing(c):
		o.Retry, o.RetryAfter = true, retryAfter(resp.Header, time.Now())
	case c == http.StatusGone:
		o.Gone = true
	}
	o.Reason = fmt.Sprintf("the receiver answered with the status %d", resp.StatusCode)
	return o
}

// passing reports whether a status can be another one later.
func passing(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return status >= 500
}

// longestRetryAfter bounds what a receiver may ask for (design choice).
const longestRetryAfter = 24 * time.Hour

// retryAfter reads how long a receiver asks to wait: seconds, or a date (RFC
// 9110, section 10.2.3). 0: it does not ask.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := h.Get("Retry-After")
	if n, err := strconv.Atoi(text); err == nil {
		return time.Duration(min(max(n, 0), int(longestRetryAfter/time.Second))) * time.Second
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), longestRetryAfter)
}

// failed puts an error of the client into words that hold nothing of the URL:
// for chat services it is the credential.
func failed(err error) Outcome {
	if redirect, ok := errors.AsType[*outbound.RedirectError](err); ok {
		return Outcome{Status: redirect.Status, Reason: "the receiver answered with a redirect, which is not followed; enter the address that it leads to"}
	}
	if refused, ok := errors.AsType[*outbound.RefusedError](err); ok {
		return Outcome{Reason: "the address is refused: " + refused.Reason}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return Outcome{Reason: "the receiver did not answer in time", Retry: true}
	}
	return Outcome{Reason: "the receiver could not be reached", Retry: true}
}
