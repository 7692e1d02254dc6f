package notify

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// ChannelCheck is one step of a channel's test.
type ChannelCheck struct {
	Name    string `json:"name"`
	OK      bool   `json:"ok"`
	Message string `json:"message"`
}

// ChannelChecks is the result of a channel's test.
type ChannelChecks struct {
	Checks []ChannelCheck `json:"checks"`
}

// Test sends a test message to a channel, even if the channel is off or paused. It records a delivery that
// replaces the previous test's.
func (s *Service) Test(ctx context.Context, t domain.Tenant, id string) (ChannelChecks, error) {
	row, shown, err := s.channel(ctx, t, id)
	if err != nil {
		return ChannelChecks{}, err
	}
	d, err := s.Open(ctx, t, row)
	if err != nil {
		return ChannelChecks{}, err
	}
	now := time.Now()
	m := Message{ID: domain.NewID("msg"), Event: channelTestEvent, Time: now, Title: "Test message of the channel " + row.Name,
		Text: "An administrator asked for this test. If you can read it, the channel works.",
		Data: map[string]any{"channelId": row.ID, "tenantId": t.ID}}
	var out ChannelChecks
	if row.Kind == "webhook" && len(d.Secrets) == 0 {
		out.Checks = append(out.Checks, ChannelCheck{"signature", false, "the channel has no secret to sign with; make one first"})
		return out, s.recordTest(ctx, t, shown, m, Outcome{Reason: "the channel has no secret to sign with"}, false)
	}
	if row.Kind == "email" && s.SMTP.Host == "" {
		out.Checks = append(out.Checks, ChannelCheck{"mail server", false, "no mail server is configured; an operator sets ASSAY_SMTP_HOST"})
		return out, s.recordTest(ctx, t, shown, m, Outcome{Reason: "no mail server is configured"}, false)
	}
	if row.Kind == "webhook" {
		message := "the message is signed with the secret"
		if len(d.Secrets) > 1 {
			message = "the message is signed with the secret and with the one before"
		}
		out.Checks = append(out.Checks, ChannelCheck{"signature", true, message})
	}
	o := s.Send(ctx, d, m, now)
	said := ChannelCheck{"message", o.Delivered, o.Reason}
	if o.Delivered {
		said.Message = "the receiver took the message"
	}
	out.Checks = append(out.Checks, said)
	if !shown.Enabled || shown.PausedAt != nil {
		out.Checks = append(out.Checks, ChannelCheck{"enabled", false, "the channel is off or paused, so that events are not sent"})
	}
	return out, s.recordTest(context.WithoutCancel(ctx), t, shown, m, o, true)
}

// recordTest records a test: always in the audit log, and as a delivery if something was sent.
func (s *Service) recordTest(ctx context.Context, t domain.Tenant, c NotificationChannel, m Message, o Outcome, sent bool) error {
	act := audit.Act{Tenant: t, Action: "notification-channel.test", Target: c.target(), Result: "ok"}
	state := "delivered"
	if !o.Delivered {
		act.Result, act.Note, state = "failed", o.Reason, "failed"
	}
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		if !sent {
			return act, nil
		}
		if err := s.Store.DropNotifications(ctx, t, c.ID, channelTestEvent); err != nil {
			return act, err
		}
		payload, err := json.Marshal(m)
		if err != nil {
			return act, err
		}
		_, err = s.Store.AddNotification(ctx, t, store.Notification{ID: m.ID, Channel: c.ID, Event: m.Event, State: state,
			Payload: string(payload), Attempts: 1,
			ResponseCode: int64(o.Status), Error: strings.TrimSpace(o.Reason)})
		return act, err
	})
}

// Deliveries lists the messages to a channel after a cursor, newest first.
func (s *Service) Deliveries(ctx context.Context, t domain.Tenant, id string, before store.Cursor, limit int) ([]ChannelDelivery, error) {
	if _, err := s.Store.Channel(ctx, t, id); err != nil {
		return nil, err
	}
	rows, err := s.Store.Notifications(ctx, t, id, before, limit)
	out := make([]ChannelDelivery, len(rows))
	for i, n := range rows {
		out[i] = ChannelDelivery{ID: n.ID, Event: n.Event, EventID: n.EventID, State: n.State, Attempts: n.Attempts,
			ResponseCode: n.ResponseCode, Error: n.Error,
			NextAttemptAt: store.TimeOrNil(n.NextAttemptUS), CreatedAt: store.Time(n.CreatedUS), UpdatedAt: store.Time(n.UpdatedUS)}
	}
	return out, err
}
