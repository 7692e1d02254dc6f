package notify

import (
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/store"
)

// Limits (design choice).
const (
	maxChannels  = 50 // per tenant
	mostReceiver = 20 // addresses per channel
)

// channelTestEvent is the event kind of test messages. Channels cannot subscribe to it.
const channelTestEvent = "channel.test"

// NotificationChannelCreate is a new channel.
type NotificationChannelCreate struct {
	Name          string   `json:"name" minLength:"1" maxLength:"100" example:"Team channel"`
	Kind          string   `json:"kind" enum:"webhook,slack,teams,discord,email" example:"webhook"`
	Target        string   `json:"target" minLength:"1" maxLength:"4000" writeOnly:"true" doc:"The URL; for email up to 20 addresses, separated by commas. A URL is a secret: answers have a hint of it only" example:"https://receiver.example.com/hooks/assay"`
	Events        []string `json:"events" minItems:"1" maxItems:"20" enum:"review.completed,review.failed,approval.requested,approval.decided,finding.decided,onboarding.proposed,budget.threshold,connection.error,suppression.proposed,fix.completed,ci.analysis.completed,security.secret_found,security.break_glass,instance-admin.joined" doc:"Kinds of events" example:"[\"review.failed\"]"`
	RepositoryIDs []string `json:"repositoryIds,omitempty" maxItems:"500" doc:"Repositories of the tenant; none: every one"`
	Enabled       *bool    `json:"enabled,omitempty" doc:"True where absent"`
}

// NotificationChannelUpdate changes a channel; absent fields keep their values.
type NotificationChannelUpdate struct {
	Name          patch.Value[string]      `json:"name,omitzero" minLength:"1" maxLength:"100"`
	Kind          patch.Value[string]      `json:"kind,omitzero" enum:"webhook,slack,teams,discord,email" doc:"Can't be changed; the present value is accepted"`
	Target        patch.Value[string]      `json:"target,omitzero" minLength:"1" maxLength:"4000" writeOnly:"true" example:"https://receiver.example.com/hooks/other"`
	Events        patch.Value[[]string]    `json:"events,omitzero" minItems:"1" maxItems:"20" enum:"review.completed,review.failed,approval.requested,approval.decided,finding.decided,onboarding.proposed,budget.threshold,connection.error,suppression.proposed,fix.completed,ci.analysis.completed,security.secret_found,security.break_glass,instance-admin.joined" doc:"Kinds of events" example:"[\"review.failed\"]"`
	RepositoryIDs patch.Nullable[[]string] `json:"repositoryIds,omitzero" minItems:"1" maxItems:"500" doc:"null: every repository"`
	Enabled       patch.Value[bool]        `json:"enabled,omitzero" doc:"true also ends a pause"`
}

// NotificationChannel is a channel as the API shows it.
type NotificationChannel struct {
	ID              string     `json:"id" audit:"ignore"`
	Name            string     `json:"name" audit:"track"`
	Kind            string     `json:"kind" enum:"webhook,slack,teams,discord,email" audit:"track"`
	Addresses       []string   `json:"addresses,omitempty" audit:"track" doc:"Of email"`
	TargetSet       bool       `json:"targetSet" audit:"ignore"`
	TargetHint      string     `json:"targetHint,omitempty" audit:"ignore" doc:"Host of the URL, and its last characters where it is long"`
	TargetUpdatedAt *time.Time `json:"targetUpdatedAt,omitempty" audit:"secret"`
	Events          []string   `json:"events" audit:"track"`
	RepositoryIDs   []string   `json:"repositoryIds,omitempty" audit:"track" doc:"Absent: every repository, where everyRepository says so"`
	EveryRepository bool       `json:"everyRepository" audit:"track"`
	Enabled         bool       `json:"enabled" audit:"track"`
	PausedAt        *time.Time `json:"pausedAt,omitempty" audit:"ignore" doc:"It kept failing, and nothing is sent until it is enabled again"`
	PausedReason    string     `json:"pausedReason,omitempty" audit:"ignore"`
	SecretSet       bool       `json:"secretSet" audit:"ignore"`
	SecretUpdatedAt *time.Time `json:"secretUpdatedAt,omitempty" audit:"secret"`
	PreviousUntil   *time.Time `json:"previousSecretUntil,omitempty" audit:"ignore" doc:"Until then the secret before signs as well"`
	Version         int64      `json:"version" audit:"ignore" doc:"For If-Match, as \"v7\""`
	CreatedAt       time.Time  `json:"createdAt" audit:"ignore"`
	UpdatedAt       time.Time  `json:"updatedAt" audit:"ignore"`
}

// ChannelDelivery is one message to a channel.
type ChannelDelivery struct {
	ID            string     `json:"id" doc:"Also the id of the message, in webhook-id"`
	Event         string     `json:"event"`
	EventID       string     `json:"eventId,omitempty" doc:"Absent for a test"`
	State         string     `json:"state" enum:"pending,delivered,failed"`
	Attempts      int64      `json:"attempts"`
	ResponseCode  int64      `json:"responseCode,omitempty" doc:"Of the last attempt; absent: there was no answer"`
	Error         string     `json:"error,omitempty" doc:"Why the last attempt failed"`
	NextAttemptAt *time.Time `json:"nextAttemptAt,omitempty"`
	CreatedAt     time.Time  `json:"createdAt"`
	UpdatedAt     time.Time  `json:"updatedAt"`
}

// check validates a channel. target is "" if it does not change.
func (s *Service) check(c NotificationChannel, target string) error {
	var f field.Check
	f.Name("/name", c.Name)
	f.Distinct("/events", c.Events)
	f.Distinct("/repositoryIds", c.RepositoryIDs)
	switch {
	case target == "":
	case c.Kind == "email":
		_, ok := addresses(target)
		f.That(ok, "/target", "must be 1 to 20 email addresses, separated by commas, without names and none of them twice")
	default:
		f.That(s.Outbound.CheckForm(target) == nil, "/target", "must be a URL that can be reached: https to a public host, or what the "+
			"operator allows in the air-gap configuration; without user and fragment")
	}
	return f.Err()
}

// addresses parses the receivers of an email channel.
func addresses(target string) ([]string, bool) {
	var out []string
	for part := range strings.SplitSeq(target, ",") {
		part = strings.TrimSpace(part)
		a, err := mail.ParseAddress(part)
		if err != nil || a.Address != part || !field.Plain(part) || len(part) > 254 ||
			slices.ContainsFunc(out, func(o string) bool { return strings.EqualFold(o, part) }) {
			return nil, false
		}
		out = append(out, part)
	}
	return out, len(out) <= mostReceiver
}

// targetHint returns the part of a secret URL that may be shown: its host, and its last four characters if at
// least twenty others stay hidden.
func targetHint(target string) string {
	u, err := url.Parse(target)
	if err != nil {
		return ""
	}
	if rest := strings.TrimPrefix(target, u.Scheme+"://"+u.Host); len(rest) >= 24 && field.Plain(rest) {
		return u.Host + " …" + string([]rune(rest)[len([]rune(rest))-4:])
	}
	return u.Host
}

func (c NotificationChannel) target() audit.Target {
	return audit.Target{Kind: "notification-channel", ID: c.ID, Name: c.Name}
}

func channelOf(row store.Channel, repositories []string) NotificationChannel {
	c := NotificationChannel{ID: row.ID, Name: row.Name, Kind: row.Kind, TargetSet: true, Events: store.FromJSON[[]string](row.Events),
		EveryRepository: row.EveryRepository, RepositoryIDs: repositories, Enabled: row.Enabled,
		PausedAt: store.TimeOrNil(row.PausedUS), PausedReason: row.PausedReason, SecretSet: len(row.Secret) > 0, Version: row.Version,
		CreatedAt: store.Time(row.CreatedUS), UpdatedAt: store.Time(row.UpdatedUS)}
	if row.Kind == "email" {
		c.Addresses, _ = addresses(row.TargetHint)
	} else {
		c.TargetHint, c.TargetUpdatedAt = row.TargetHint, store.TimeOrNil(row.TargetUS)
	}
	if c.SecretSet {
		c.SecretUpdatedAt = store.TimeOrNil(row.SecretUS)
	}
	if row.Overlaps {
		c.PreviousUntil = store.TimeOrNil(row.PreviousUntilUS)
	}
	return c
}

func nameTaken(err error) error {
	if errs.Is(err, errs.Conflict) {
		return errs.Wrap(err, errs.Conflict, "already_exists", "There is already a notification channel with this name; name must be "+
			"unique in the tenant.")
	}
	return err
}
