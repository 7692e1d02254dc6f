package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/store"
)

// pushPauses are the waits for browsers. The list is shorter, because a notification that is hours old is
// useless.
func pushPauses() []time.Duration { return pauses()[:5] }

// Bounds of a message to a browser, in characters. A push service accepts 4,096 bytes (RFC 8291, section
// 4), and a character has at most six bytes in JSON.
const (
	mostPushTitle = 120
	mostPushText  = 300
)

// pushMessage returns the content for a browser: kind, title and body, the page to open, and the event's
// id, by which a browser shows a repeated message once.
func pushMessage(event string, m Message) (string, error) {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	err := out.Encode(struct {
		Kind  string `json:"kind"`
		Event string `json:"eventId"`
		Title string `json:"title"`
		Body  string `json:"body"`
		URL   string `json:"url,omitempty"`
	}{m.Event, event, clip.Runes(m.Title, mostPushTitle, "…"), clip.Runes(m.Text, mostPushText, "…"), m.Link})
	return strings.TrimSpace(b.String()), err
}

// push makes one attempt to send a message to a browser. Immediately before it sends, it checks again
// whether the person is a member, may see the content and wants it, and whether quiet hours are over.
func (s *Service) push(ctx context.Context, c *jobs.Claim) error {
	t := domain.Tenant{ID: c.Job.Tenant}
	d, err := s.Store.PushDelivery(ctx, t, c.Job.Subject)
	if err != nil || d.State != domain.NotificationPending {
		return errs.IgnoreAbsent(err)
	}
	c.Stage("send", sendTime)
	row, err := s.Store.PushSubscriber(ctx, t, d.Subscription)
	if errs.Is(err, errs.NotFound) {
		return s.concludePush(ctx, t, c, d, &pushError{say: "the subscription is gone or off, or its owner is not a member any more", drop: true})
	}
	if err != nil {
		return err
	}
	now, err := s.Store.Now(ctx)
	if err != nil {
		return err
	}
	v := pushOf(row)
	if wait := v.QuietHours.left(time.UnixMicro(now)); wait > 0 {
		return &jobs.Snooze{For: wait, Why: "quiet hours"}
	}
	sees, err := s.sees(ctx, t, row.User, d)
	switch {
	case err != nil && errs.Is(err, errs.Unavailable):
		return s.concludePush(ctx, t, c, d, &pushError{say: "the code host could not be asked what the person may see", retry: true})
	case err != nil && errs.Is(err, errs.Unauthenticated):
		sees = false // the host cannot confirm that the person may see it
	case err != nil:
		return err
	}
	if !sees || !slices.Contains(v.Topics, d.Event) {
		return s.concludePush(ctx, t, c, d, &pushError{say: "its owner has no permission to see it, or switched it off", drop: true})
	}
	err = s.sendPush(ctx, t, row, d.Payload)
	if cut := ctx.Err(); cut != nil && err != nil {
		return cut
	}
	refused, ok := errors.AsType[*pushError](err)
	if err != nil && !ok {
		return err
	}
	return s.concludePush(ctx, t, c, d, refused)
}

// sees reports whether a person may currently see the content of a message.
func (s *Service) sees(ctx context.Context, t domain.Tenant, user string, d store.PushDelivery) (bool, error) {
	if s.Standing == nil {
		return false, nil
	}
	role, on, err := s.Standing(ctx, t, user, d.Repository)
	if err != nil {
		return false, err
	}
	want := audience(d.Event)
	if want.admins {
		return role == domain.RoleAdmin, nil
	}
	return role != "" && on != perm.RepoNone && on >= want.least, nil
}

// concludePush records an attempt and its end, or the job of the next attempt. refused is nil after a
// success.
func (s *Service) concludePush(ctx context.Context, t domain.Tenant, c *jobs.Claim, d store.PushDelivery, refused *pushError) error {
	d.State, d.Error = domain.NotificationDelivered, ""
	var wait time.Duration
	if refused != nil {
		d.State, d.Error = domain.NotificationFailed, refused.say
		var more bool
		wait, more = nextWait(d.Attempts, pushPauses(), refused.after)
		switch {
		case refused.drop:
			d.State = domain.NotificationDropped
		case refused.retry && more:
			d.State = domain.NotificationPending
		}
	}
	err := s.Store.InTx(context.WithoutCancel(ctx), func(ctx context.Context) error {
		noted, err := s.Store.RecordPushAttempt(ctx, t, d)
		if err != nil {
			return err
		}
		if noted && d.State == domain.NotificationPending {
			if err := s.enqueue(ctx, t, domain.KindPush, d.ID, d.Attempts+1, wait); err != nil {
				return err
			}
		}
		return c.Finish(ctx)
	})
	if err == nil && s.Pushed != nil {
		outcome := d.State
		if outcome == domain.NotificationPending {
			outcome = "again"
		}
		s.Pushed(outcome)
	}
	return err
}

// pushDead ends a message whose job was given up.
func (s *Service) pushDead(ctx context.Context, j store.Job, _ jobs.Death) error {
	t := domain.Tenant{ID: j.Tenant}
	d, err := s.Store.PushDelivery(ctx, t, j.Subject)
	if err != nil {
		return errs.IgnoreAbsent(err)
	}
	d.State, d.Error = domain.NotificationFailed, "the service could not send it"
	_, err = s.Store.RecordPushAttempt(ctx, t, d)
	return err
}

// left returns how long quiet hours last from now on. It returns 0 outside quiet hours, without them, and
// for an unknown time zone.
func (q *QuietHours) left(now time.Time) time.Duration {
	if q == nil {
		return 0
	}
	zone, err := time.LoadLocation(q.TimeZone)
	if err != nil {
		return 0
	}
	from, err1 := time.Parse("15:04", q.From)
	to, err2 := time.Parse("15:04", q.To)
	if err1 != nil || err2 != nil {
		return 0
	}
	now = now.In(zone)
	for _, day := range []int{-1, 0} { // hours that began yesterday may still last
		at := func(clock time.Time, day int) time.Time {
			return time.Date(now.Year(), now.Month(), now.Day()+day, clock.Hour(), clock.Minute(), 0, 0, zone)
		}
		begin, end := at(from, day), at(to, day)
		if !to.After(from) {
			end = at(to, day+1)
		}
		if !now.Before(begin) && now.Before(end) {
			return end.Sub(now)
		}
	}
	return 0
}
