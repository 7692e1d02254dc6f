package notify

import (
	"context"
	"crypto/ecdh"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// MaxPushSubscriptions is how many browsers a person may subscribe in a tenant (design choice).
const MaxPushSubscriptions = 20

// pushHosts returns the push services of the major browsers: Chrome and most others on its engine, Firefox,
// Safari, and Edge (https://pushpad.xyz/blog/what-are-the-browser-push-services). A leading *. matches
// every subdomain.
func pushHosts() []string {
	return []string{"fcm.googleapis.com", "updates.push.services.mozilla.com", "*.push.services.mozilla.com", "web.push.apple.com",
		"*.notify.windows.com"}
}

// PushKeys are the browser's keys of a subscription (RFC 8291, section 2).
type PushKeys struct {
	P256dh string `json:"p256dh" minLength:"86" maxLength:"90" doc:"Uncompressed P-256 point, base64url" example:"BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM"`
	Auth   string `json:"auth" minLength:"22" maxLength:"26" writeOnly:"true" doc:"16 bytes, base64url" example:"tBHItJI5svbpez7KI4CCXg"`
}

// PushSubscriptionCreate is the result of PushManager.subscribe() in a browser.
type PushSubscriptionCreate struct {
	Endpoint string   `json:"endpoint" minLength:"12" maxLength:"2048" writeOnly:"true" doc:"https URL of a known push service. It lets its holder send messages: it is stored sealed, and only its host is shown" example:"https://fcm.googleapis.com/fcm/send/example"`
	Keys     PushKeys `json:"keys"`
	Label    string   `json:"label,omitempty" maxLength:"100" doc:"What the person calls the browser" example:"Laptop"`
}

// QuietHours are hours without notifications. They span midnight if To is before From.
type QuietHours struct {
	From     string `json:"from" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" doc:"HH:MM" example:"19:00"`
	To       string `json:"to" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" doc:"HH:MM" example:"08:00"`
	TimeZone string `json:"timeZone" minLength:"1" maxLength:"64" doc:"Name in the IANA database" example:"Europe/Berlin"`
}

// PushSubscriptionUpdate changes a subscription; absent fields keep their values.
type PushSubscriptionUpdate struct {
	Label      patch.Value[string]        `json:"label,omitzero" maxLength:"100"`
	Topics     patch.Value[[]string]      `json:"topics,omitzero" maxItems:"20" enum:"review.completed,review.failed,approval.requested,approval.decided,finding.decided,onboarding.proposed,budget.threshold,connection.error,suppression.proposed,fix.completed,ci.analysis.completed,security.secret_found,security.break_glass,instance-admin.joined" doc:"Kinds of events" example:"[\"review.failed\"]"`
	QuietHours patch.Nullable[QuietHours] `json:"quietHours,omitzero" doc:"null: none"`
	Enabled    patch.Value[bool]          `json:"enabled,omitzero"`
}

// PushSubscription is a subscription as its owner sees it.
type PushSubscription struct {
	ID            string      `json:"id" audit:"ignore"`
	Host          string      `json:"host" audit:"track" doc:"Of the push service"`
	Label         string      `json:"label" audit:"track"`
	Topics        []string    `json:"topics" audit:"track" doc:"Kinds of events"`
	QuietHours    *QuietHours `json:"quietHours,omitempty" audit:"ignore"`
	Enabled       bool        `json:"enabled" audit:"track"`
	State         string      `json:"state" enum:"active,gone" audit:"track" doc:"gone: the push service knows the subscription no more; the browser must subscribe again"`
	AuthSet       bool        `json:"authSet" audit:"ignore"`
	AuthUpdatedAt *time.Time  `json:"authUpdatedAt" audit:"secret"`
	SentAt        *time.Time  `json:"sentAt,omitempty" audit:"ignore" doc:"When the push service last took a message"`
	Version       int64       `json:"version" audit:"ignore" doc:"For If-Match, as \"v7\""`
	CreatedAt     time.Time   `json:"createdAt" audit:"ignore"`
	UpdatedAt     time.Time   `json:"updatedAt" audit:"ignore"`
}

// defaultTopics returns the events that require an action.
func defaultTopics() []string {
	return []string{"review.failed", "approval.requested", "onboarding.proposed", "budget.threshold", "connection.error",
		"security.secret_found", "security.break_glass", "instance-admin.joined"}
}

func pushOf(v store.PushSubscription) PushSubscription {
	out := PushSubscription{ID: v.ID, Host: v.Host, Label: v.Label, Topics: append([]string{}, store.FromJSON[[]string](v.Topics)...),
		Enabled: v.Enabled, State: v.State, AuthSet: true, AuthUpdatedAt: new(store.Time(v.AuthUS)),
		Version: v.Version, CreatedAt: store.Time(v.CreatedUS), UpdatedAt: store.Time(v.UpdatedUS)}
	if v.QuietHours != "" {
		out.QuietHours = new(store.FromJSON[QuietHours](v.QuietHours))
	}
	out.SentAt = store.TimeOrNil(v.SentUS)
	return out
}

func (v PushSubscription) target() audit.Target {
	return audit.Target{Kind: "push-subscription", ID: v.ID, Name: v.Label}
}

func pushScope(t domain.Tenant, row, column string) secret.Scope {
	return secret.Scope{Tenant: t.ID, Table: "push_subscriptions", Row: row, Column: column}
}

// PushSubscriptions lists a person's subscriptions, newest first.
func (s *Service) PushSubscriptions(ctx context.Context, t domain.Tenant, user string) ([]PushSubscription, error) {
	rows, err := s.Store.PushSubscriptions(ctx, t, user)
	out := make([]PushSubscription, len(rows))
	for i, row := range rows {
		out[i] = pushOf(row)
	}
	return out, err
}

// PutPushSubscription creates the subscription of a browser, or renews the one with the same endpoint.
// Errors: Invalid, Conflict (too many).
func (s *Service) PutPushSubscription(ctx context.Context, t domain.Tenant, user string,
	in PushSubscriptionCreate) (PushSubscription, error) {
	host, p256dh, auth, err := s.checkPush(ctx, in)
	if err != nil {
		return PushSubscription{}, err
	}
	sum := sha256.Sum256([]byte(in.Endpoint))
	hash := hex.EncodeToString(sum[:])
	var after PushSubscription
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		rows, err := s.Store.PushSubscriptions(ctx, t, user)
		if err != nil {
			return audit.Act{}, err
		}
		act := audit.Act{Tenant: t, Action: "push-subscription.create"}
		i := slices.IndexFunc(rows, func(r store.PushSubscription) bool { return r.EndpointHash == hash })
		row := store.PushSubscription{ID: domain.NewID("psh"), User: user, EndpointHash: hash, Host: host,
			Topics: store.JSON(defaultTopics()), Enabled: true}
		switch {
		case i >= 0:
			row = rows[i]
			act.Action, act.Before = "push-subscription.update", pushOf(row)
		case len(rows) >= MaxPushSubscriptions:
			return audit.Act{}, errs.New(errs.Conflict, "limit_reached",
				"There are already %d browsers, and more are not possible. Delete some first.", MaxPushSubscriptions)
		}
		row.P256dh, row.State = p256dh, "active"
		if in.Label != "" {
			row.Label = in.Label
		}
		if row.Auth, err = s.Keyring.SealSecret(ctx, pushScope(t, row.ID, "auth"), auth); err != nil {
			return audit.Act{}, err
		}
		if i >= 0 {
			if row, err = s.Store.UpdatePushSubscription(ctx, t, row); errs.Is(err, errs.NotFound) {
				err = errs.New(errs.Conflict, "changed", "The subscription was changed at the same time. Send it again.")
			}
		} else {
			if row.Endpoint, err = s.Keyring.SealSecret(ctx, pushScope(t, row.ID, "endpoint"), secret.New(in.Endpoint)); err != nil {
				return audit.Act{}, err
			}
			row, err = s.Store.CreatePushSubscription(ctx, t, row)
		}
		after = pushOf(row)
		act.Target, act.After = after.target(), after
		return act, err
	})
	return after, err
}

// checkPush validates a subscription: the endpoint must be on a known push service, and the keys must
// follow RFC 8291, sections 2 and 3.2.
func (s *Service) checkPush(ctx context.Context, in PushSubscriptionCreate) (host, p256dh string, auth secret.Secret, err error) {
	hosts, err := s.pushHosts(ctx)
	if err != nil {
		return "", "", auth, err
	}
	var c field.Check
	c.Line("/label", in.Label)
	host, ok := pushHost(in.Endpoint)
	c.That(ok && knownPushHost(hosts, host), "/endpoint", "must be an https URL of a known push service, as PushManager.subscribe() "+
		"returns it; an instance admin can name further services")
	point, err := decodePushKey(in.Keys.P256dh)
	if err == nil {
		_, err = ecdh.P256().NewPublicKey(point)
	}
	c.That(err == nil && len(point) == 65, "/keys/p256dh", "must be an uncompressed point of P-256, 65 bytes in base64url")
	raw, err := decodePushKey(in.Keys.Auth)
	c.That(err == nil && len(raw) == 16, "/keys/auth", "must be 16 bytes in base64url")
	return host, base64.RawURLEncoding.EncodeToString(point), secret.New(base64.RawURLEncoding.EncodeToString(raw)), c.Err()
}

func decodePushKey(text string) ([]byte, error) {
	return base64.RawURLEncoding.Strict().DecodeString(strings.TrimRight(text, "="))
}

// pushHost returns the host of an endpoint. It returns false unless the URL has https on the default port,
// and no user and no fragment.
func pushHost(endpoint string) (string, bool) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "https" || u.User != nil || u.Fragment != "" || u.Host == "" || u.Host != u.Hostname() ||
		len(strings.Trim(u.Path, "/")) == 0 || !field.Plain(endpoint) {
		return "", false
	}
	return strings.ToLower(u.Host), true
}

func knownPushHost(known []string, host string) bool {
	return slices.ContainsFunc(known, func(k string) bool {
		if below, ok := strings.CutPrefix(strings.ToLower(k), "*."); ok {
			return strings.HasSuffix(host, "."+below)
		}
		return strings.EqualFold(k, host)
	})
}

func (s *Service) pushHosts(ctx context.Context) ([]string, error) {
	if s.Config.MorePushHosts == nil {
		return pushHosts(), nil
	}
	more, err := s.Config.MorePushHosts(ctx)
	return append(pushHosts(), more...), err
}

// UpdatePushSubscription changes a person's subscription. If version is not 0, it returns Stale unless the
// subscription has that version.
func (s *Service) UpdatePushSubscription(ctx context.Context, t domain.Tenant, user, id string, version int64,
	in PushSubscriptionUpdate) (PushSubscription, error) {
	var after PushSubscription
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.PushSubscription(ctx, t, user, id)
		if err != nil {
			return audit.Act{}, err
		}
		if version != 0 && version != row.Version {
			return audit.Act{}, errs.Changed()
		}
		before := pushOf(row)
		after = before
		in.Label.Into(&after.Label)
		in.Topics.Into(&after.Topics)
		in.QuietHours.IntoPointer(&after.QuietHours)
		in.Enabled.Into(&after.Enabled)
		var c field.Check
		c.Line("/label", after.Label)
		c.Distinct("/topics", after.Topics)
		if q := after.QuietHours; q != nil {
			c.TimeZone("/quietHours/timeZone", q.TimeZone)
			c.That(q.From != q.To, "/quietHours/to", "must differ from from")
		}
		if err := c.Err(); err != nil {
			return audit.Act{}, err
		}
		row.Label, row.Topics, row.Enabled, row.QuietHours, row.Auth = after.Label, store.JSON(after.Topics), after.Enabled, "", nil
		if after.QuietHours != nil {
			row.QuietHours = store.JSON(after.QuietHours)
		}
		if row, err = s.Store.UpdatePushSubscription(ctx, t, row); errs.Is(err, errs.NotFound) {
			return audit.Act{}, errs.Changed()
		}
		after = pushOf(row)
		return audit.Act{Tenant: t, Action: "push-subscription.update", Target: after.target(), Before: before, After: after}, err
	})
	return after, err
}

// DeletePushSubscription deletes a person's subscription.
func (s *Service) DeletePushSubscription(ctx context.Context, t domain.Tenant, user, id string) error {
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.DeletePushSubscription(ctx, t, user, id)
		before := pushOf(row)
		return audit.Act{Tenant: t, Action: "push-subscription.delete", Target: before.target(), Before: before}, err
	})
}
