package notify

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/SherClockHolmes/webpush-go"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// pushTTL is how long a push service stores a message for an absent browser, in seconds: a day (RFC 8030,
// section 5.2).
const pushTTL = 24 * 60 * 60

// PushCheck is one step of a test.
type PushCheck struct {
	Name    string `json:"name"`
	OK      bool   `json:"ok"`
	Message string `json:"message"`
}

// VAPIDKey returns the public key that browsers subscribe with (RFC 8292): an uncompressed P-256 point in
// base64url. The first call creates the pair. It never changes, because every subscription is bound to it.
func (s *Service) VAPIDKey(ctx context.Context) (string, error) {
	k, err := s.vapid(ctx)
	return k.Public, err
}

func vapidScope() secret.Scope {
	return secret.Scope{Table: "push_keys", Row: "vapid", Column: "private_key"}
}

func (s *Service) vapid(ctx context.Context) (store.PushKey, error) {
	k, err := s.Store.PushKey(ctx)
	if !errs.Is(err, errs.NotFound) {
		return k, err
	}
	private, public, err := webpush.GenerateVAPIDKeys()
	if err != nil {
		return k, fmt.Errorf("make the key pair for push services: %w", err)
	}
	k.Public = public
	if k.Private, err = s.Keyring.SealSecret(ctx, vapidScope(), secret.New(private)); err != nil {
		return k, err
	}
	return s.Store.CreatePushKey(ctx, k)
}

// TestPush sends a message to a person's browser and returns the result.
func (s *Service) TestPush(ctx context.Context, t domain.Tenant, user, id string) ([]PushCheck, error) {
	row, err := s.Store.PushSubscription(ctx, t, user, id)
	if err != nil {
		return nil, err
	}
	check := PushCheck{Name: "send", OK: true, Message: "The push service took the message."}
	result := "ok"
	if err := s.sendPush(ctx, t, row, `{"kind":"test","title":"assay","body":"Notifications reach this browser."}`); err != nil {
		var refused *pushError
		if !errors.As(err, &refused) {
			return nil, err
		}
		check.OK, check.Message, result = false, refused.say, "failed"
	}
	v := pushOf(row)
	return []PushCheck{check}, s.Audit.Record(ctx, audit.Act{Tenant: t, Action: "push-subscription.test", Target: v.target(), Result: result})
}

// pushError is a refusal with a message for the subscription's owner.
type pushError struct {
	say   string
	cause error
	retry bool          // another attempt can help
	after time.Duration // wait that the push service requests
	drop  bool          // the message no longer suits this browser
}

func (e *pushError) Error() string { return e.say }
func (e *pushError) Unwrap() error { return e.cause }

// sendPush sends one message. It returns a pushError if the push service refuses it or does not answer, and
// marks a subscription that the service no longer has as gone.
func (s *Service) sendPush(ctx context.Context, t domain.Tenant, row store.PushSubscription, message string) error {
	if s.Config.PushClient == nil {
		return &pushError{say: "This process cannot reach push services."}
	}
	hosts, err := s.pushHosts(ctx)
	if err != nil {
		return err
	}
	if !knownPushHost(hosts, row.Host) { // the list may have become shorter
		return &pushError{say: "The push service is no longer among those that the instance allows."}
	}
	key, err := s.vapid(ctx)
	if err != nil {
		return err
	}
	private, err := s.Keyring.OpenSecret(ctx, vapidScope(), key.Private)
	if err != nil {
		return err
	}
	endpoint, err := s.Keyring.OpenSecret(ctx, pushScope(t, row.ID, "endpoint"), row.Endpoint)
	if err != nil {
		return err
	}
	auth, err := s.Keyring.OpenSecret(ctx, pushScope(t, row.ID, "auth"), row.Auth)
	if err != nil {
		return err
	}
	answer, err := webpush.SendNotificationWithContext(ctx, []byte(message),
		&webpush.Subscription{Endpoint: endpoint.Reveal(), Keys: webpush.Keys{P256dh: row.P256dh, Auth: auth.Reveal()}},
		&webpush.Options{HTTPClient: s.Config.PushClient(t.ID), TTL: pushTTL, Subscriber: s.Config.PushContact,
			VAPIDPublicKey: key.Public, VAPIDPrivateKey: private.Reveal()})
	if err != nil { // the error of net/http contains the URL, which is a secret
		return &pushError{say: "The push service did not answer.", retry: true, cause: outbound.Scrub(err)}
	}
	_ = answer.Body.Close()
	return s.pushAnswer(ctx, t, row, answer)
}

// pushAnswer interprets the status of a push service (RFC 8030, sections 5 and 7.3).
func (s *Service) pushAnswer(ctx context.Context, t domain.Tenant, row store.PushSubscription, answer *http.Response) error {
	switch code := answer.StatusCode; {
	case code >= 200 && code < 300:
		return s.Store.RecordPush(ctx, t, row.ID, false)
	case code == http.StatusGone || code == http.StatusNotFound:
		if err := s.Store.RecordPush(ctx, t, row.ID, true); err != nil {
			return err
		}
		return &pushError{say: "The push service knows this subscription no more. Subscribe again in the browser."}
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return &pushError{say: "The push service refused the key of this instance. Subscribe again in the browser."}
	case code == http.StatusTooManyRequests:
		return &pushError{say: "The push service asks to wait. Try again later.", retry: true, after: retryAfter(answer.Header, time.Now())}
	default:
		return &pushError{say: fmt.Sprintf("The push service answered with status %d.", code), retry: passing(code),
			after: retryAfter(answer.Header, time.Now())}
	}
}

// PushContact returns the operator's address for push services (RFC 8292, section 2.1): the public address
// if it is https, otherwise a mail address on its host.
func PushContact(baseURL, host string) string {
	if strings.HasPrefix(baseURL, "https://") {
		return baseURL
	}
	return "operator@" + host
}
