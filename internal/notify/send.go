package notify

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
)

// Limits of one attempt (design choice). Standard Webhooks recommends 15 to 30 seconds, but a person who
// presses a button waits less.
const (
	attemptTime = 15 * time.Second
	mostAnswer  = 16 << 10 // only the status of an answer is read
)

// Destination is an opened channel.
type Destination struct {
	Tenant    string
	Kind      string
	URL       secret.Secret   // "" for email
	Addresses []string        // for email
	Secrets   []secret.Secret // for webhooks: the newest first, then the previous one during a rotation
}

// Outcome is the result of one attempt.
type Outcome struct {
	Delivered  bool
	Status     int    // of the answer; 0 if there was no answer
	Reason     string // "" if delivered; in our words, safe to show
	Retry      bool   // another attempt may succeed
	Gone       bool   // the receiver wants no more messages
	RetryAfter time.Duration
}

// Send makes one attempt to send a message. The outcome never repeats the receiver's answer. now is the
// signed time.
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
		return Outcome{Reason: "the stored URL cannot be used"} // the error contains the URL
	}
	r.Header.Set("Content-Type", "application/json")
	if d.Kind == "webhook" {
		if err := signHeader(r.Header, m.ID, now, text, d.Secrets...); err != nil {
			return Outcome{Reason: "the channel has no secret to sign with; make one first"}
		}
	}
	resp, err := s.Outbound.Client(outbound.Purpose{Name: "notify", Tenant: d.Tenant, Timeout: attemptTime,
		MaxResponseBytes: mostAnswer}).Do(r)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(io.Discard, resp.Body) // allows reuse of the connection; the limit stops long answers
	return answered(resp)
}

// answered interprets the status. It does not follow redirects, because a signed message must only go to
// the administrator's address.
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

// passing reports whether a status may be temporary.
func passing(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return status >= 500
}

// longestRetryAfter bounds the wait that a receiver may request (design choice).
const longestRetryAfter = 24 * time.Hour

// retryAfter returns the wait that a receiver requests, in seconds or as a date (RFC 9110, section 10.2.3),
// or 0.
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

// failed describes an error of the client without the URL, because the URLs of chat services are
// credentials.
func failed(err error) Outcome {
	if redirect, ok := errors.AsType[*outbound.RedirectError](err); ok {
		return Outcome{Status: redirect.Status, Reason: "the receiver answered with a redirect, which is not followed; enter the " +
			"address that it leads to"}
	}
	if refused, ok := errors.AsType[*outbound.RefusedError](err); ok {
		return Outcome{Reason: "the address is refused: " + refused.Reason}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return Outcome{Reason: "the receiver did not answer in time", Retry: true}
	}
	return Outcome{Reason: "the receiver could not be reached" + causeOf(err), Retry: true}
}

// causeOf says why a connection failed, as the end of a sentence; "" for other errors. It names no part of the URL.
func causeOf(err error) string {
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		return ": its host name is unknown"
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return ": nothing accepts connections at its port"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return ": its certificate is not trusted here"
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return ": it does not speak TLS at this port"
	}
	return ""
}
