package notify_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/assay-dev/assay/internal/budget"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/notify"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// verify checks a message with the library of Standard Webhooks and decodes it.
func verify(t *testing.T, secret string, g got) (out struct {
	Type, Timestamp string
	Data            map[string]any
}) {
	t.Helper()
	hook, err := standardwebhooks.NewWebhook(secret)
	testkit.OK(t, err)
	testkit.OK(t, hook.Verify([]byte(g.body), g.header))
	testkit.OK(t, json.Unmarshal([]byte(g.body), &out))
	return out
}

func TestBudgetAlertReachesAWebhook(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		c, secret := f.webhook("ops", notify.NotificationChannelCreate{Events: []string{"budget.threshold"}})
		f.serve()
		b := budget.Budgets{Tenant: &domain.Budget{MonthlyMicros: 9_007_199_254_740_993, Currency: "USD", Mode: "soft"}}
		for range 2 { // the second time adds nothing
			testkit.OK(t, b.Raise(bg, f.store, f.world.Tenant, f.world.Repository.ID, store.Settled{Period: "2026-11", TenantSpent: 5_007_199_254_740_993}))
			f.settle()
		}
		all := f.receiver.taken()
		if len(all) != 1 {
			t.Fatalf("%d messages", len(all))
		}
		m := verify(t, secret.Secret, all[0])
		d := f.delivery(c)
		testkit.Equal(t, "type", m.Type, "budget.threshold")
		testkit.Equal(t, "id", all[0].header.Get("webhook-id"), d.ID)
		testkit.Equal(t, "event", m.Data["eventId"], any(d.EventID))
		testkit.Equal(t, "threshold", m.Data["threshold"], any(50.0))
		if !strings.Contains(all[0].body, `"budgetMicros":9007199254740993`) || m.Data["repository"] != nil {
			t.Errorf("the message is %s", all[0].body)
		}
		if d.State != "delivered" || d.Attempts != 1 || d.ResponseCode != http.StatusNoContent || d.NextAttemptAt != nil || d.Error != "" {
			t.Errorf("the delivery is %+v", d)
		}
		key := strings.TrimPrefix(secret.Secret, "whsec_")
		if log := f.logs.String(); strings.Contains(log, key) || strings.Contains(log, f.receiver.URL) {
			t.Errorf("the log has the secret or the target: %s", log)
		}
	})
}

// The filters of a channel decide which events it gets.
func TestFiltersOfChannels(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		second := must(f.store.UpsertRepository(bg, f.world.Tenant, store.Repository{Installation: f.world.Installation.ID, ExternalID: "7", Owner: "octo", Name: "second"}))(t)
		off := false
		for name, in := range map[string]notify.NotificationChannelCreate{
			"admins":  {Events: []string{"instance-admin.joined"}},
			"both":    {Events: []string{"review.failed", "budget.threshold"}},
			"reviews": {Events: []string{"review.failed"}},
			"first":   {Events: []string{"review.failed", "budget.threshold"}, RepositoryIDs: []string{f.world.Repository.ID}},
			"second":  {Events: []string{"review.failed", "budget.threshold"}, RepositoryIDs: []string{second.ID}},
			"off":     {Events: []string{"review.failed", "budget.threshold"}, Enabled: &off},
			"other":   {Events: []string{"review.completed"}},
		} {
			f.webhook(name, in)
		}
		f.serve()
		f.happened(domain.EventReviewFailed, f.failed())
		f.happened(domain.EventBudgetThreshold, domain.BudgetThreshold{Period: "2026-11", Threshold: 80, Currency: "USD"})
		f.happened(domain.EventBudgetThreshold, domain.BudgetThreshold{RepositoryID: second.ID, Period: "2026-11", Threshold: 80, Currency: "USD"})
		f.happened(domain.EventAdminJoined, domain.AdminJoined{UserID: "usr_1", Name: "Root", Role: "admin", Reason: "Support case 4711"})
		seen := map[string]string{}
		for _, g := range f.receiver.taken() {
			var m struct {
				Type string
				Data struct{ Repository string }
			}
			testkit.OK(t, json.Unmarshal([]byte(g.body), &m))
			seen[strings.TrimPrefix(g.path, "/")] += m.Type + " " + m.Data.Repository + ";"
		}
		testkit.Equal(t, "messages", fmt.Sprint(seen), fmt.Sprint(map[string]string{
			"admins":  "instance-admin.joined ;",
			"both":    "review.failed octo/repo;budget.threshold ;budget.threshold octo/second;",
			"reviews": "review.failed octo/repo;",
			"first":   "review.failed octo/repo;budget.threshold ;",
			"second":  "budget.threshold ;budget.threshold octo/second;",
		}))
	})
}

// A message is sent again with its id, a new timestamp and the same body.
func TestRetries(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		c, secret := f.webhook("ops", notify.NotificationChannelCreate{Events: []string{"review.failed"}})
		f.receiver.answers(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7200")
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		f.serve()
		f.happened(domain.EventReviewFailed, f.failed())
		d := f.delivery(c)
		if d.State != "pending" || d.Attempts != 1 || d.ResponseCode != 503 || d.Error == "" || d.NextAttemptAt == nil || d.NextAttemptAt.Sub(d.UpdatedAt) != 2*time.Hour {
			t.Fatalf("after an attempt that failed: %+v", d)
		}
		f.receiver.answers(status(http.StatusBadGateway))
		f.hurry()
		if d = f.delivery(c); d.State != "pending" || d.Attempts != 2 || d.NextAttemptAt.Sub(d.UpdatedAt) != time.Minute {
			t.Fatalf("after a second one: %+v", d)
		}
		f.receiver.answers(nil)
		f.hurry()
		if d = f.delivery(c); d.State != "delivered" || d.Attempts != 3 || d.ResponseCode != 204 || d.Error != "" || d.NextAttemptAt != nil {
			t.Errorf("after a successful attempt: %+v", d)
		}
		f.hurry()
		all := f.receiver.taken()
		if len(all) != 3 {
			t.Fatalf("%d requests", len(all))
		}
		for _, g := range all {
			verify(t, secret.Secret, g)
			if g.header.Get("webhook-id") != d.ID || g.body != all[0].body {
				t.Errorf("another id or body: %v %s", g.header, g.body)
			}
		}
	})
}

// A receiver that always fails is given up after eight attempts, and one that refuses at once.
func TestMessagesAreGivenUp(t *testing.T) {
	t.Parallel()
	for code, attempts := range map[int]int64{500: 8, 429: 8, 408: 8, 409: 8, 425: 8, 400: 1, 401: 1, 404: 1, 302: 1} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			t.Parallel()
			s, raw := sqlite(t)
			f := newFixture(t, s, raw)
			c, _ := f.webhook("ops", notify.NotificationChannelCreate{Events: []string{"review.failed"}})
			f.receiver.answers(status(code))
			f.serve()
			f.happened(domain.EventReviewFailed, f.failed())
			for range 10 {
				f.hurry()
			}
			if d := f.delivery(c); d.State != "failed" || d.Attempts != attempts || d.ResponseCode != int64(code) || d.NextAttemptAt != nil {
				t.Errorf("%+v", d)
			}
			testkit.Require(t, "requests", int64(len(f.receiver.taken())), attempts)
			testkit.Equal(t, "paused within hours", f.channel(c).PausedAt == nil, true)
		})
	}
}

// A channel that keeps failing is paused and the administrators get a notice. It continues when it is enabled
// again.
func TestChannelIsPaused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		c, _ := f.webhook("broken", notify.NotificationChannelCreate{Events: []string{"review.failed", "connection.error"}})
		f.webhook("watch", notify.NotificationChannelCreate{Events: []string{"connection.error"}})
		broken := func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/broken" {
				w.WriteHeader(http.StatusInternalServerError)
			}
		}
		f.receiver.answers(broken)
		f.serve()
		for range 4 {
			f.happened(domain.EventReviewFailed, f.failed())
		}
		f.raw(`UPDATE notification_channels SET failing_us = failing_us - $1 WHERE failures > 0`, (12 * time.Hour).Microseconds())
		testkit.Equal(t, "paused after four", f.channel(c).PausedAt == nil, true)
		f.happened(domain.EventReviewFailed, f.failed())
		f.settle()
		paused := f.channel(c)
		if paused.PausedAt == nil || !strings.Contains(paused.PausedReason, "500") || !paused.Enabled {
			t.Fatalf("not paused: %+v", paused)
		}
		for _, d := range f.deliveries(c) {
			if d.State != "failed" || d.NextAttemptAt != nil {
				t.Errorf("a message waits for a channel that is paused: %+v", d)
			}
		}
		all := f.receiver.taken()
		last := all[len(all)-1]
		if last.path != "/watch" || !strings.Contains(last.body, `"connectionKind":"channel"`) || !strings.Contains(last.body, c.ID) {
			t.Errorf("the other channel got %s %s", last.path, last.body)
		}
		entries, err := f.service.Audit.Entries(bg, f.world.Tenant, store.AuditFilter{Limit: 100})
		testkit.OK(t, err)
		said := fmt.Sprintf("%+v", entries)
		if !strings.Contains(said, "notification-channel.pause") {
			t.Errorf("no entry in the log: %s", said)
		}
		waiting, err := f.store.Waiting(bg, f.world.Tenant, store.Viewer{User: "stranger", Admin: true, Least: "manage"}, store.Cursor{}, 100)
		testkit.OK(t, err)
		if len(waiting) == 0 || !strings.Contains(fmt.Sprintf("%+v", waiting), c.ID) {
			t.Errorf("not in the inbox: %+v", waiting)
		}
		before := len(f.receiver.taken())
		f.happened(domain.EventReviewFailed, f.failed())
		f.hurry()
		testkit.Require(t, "messages while it is paused", len(f.receiver.taken()), before)

		f.receiver.answers(nil)
		_, err = f.service.UpdateChannel(bg, f.world.Tenant, c.ID, 0, notify.NotificationChannelUpdate{Enabled: patch.Of(true)})
		testkit.OK(t, err)
		f.happened(domain.EventReviewFailed, f.failed())
		testkit.Require(t, "messages afterwards", len(f.receiver.taken()), before+1)
		testkit.Equal(t, "resumed", f.channel(c).PausedAt == nil, true)
	})
}

func TestReceiverThatIsGonePausesItsChannel(t *testing.T) {
	t.Parallel()
	s, raw := sqlite(t)
	f := newFixture(t, s, raw)
	c, _ := f.webhook("ops", notify.NotificationChannelCreate{Events: []string{"review.failed"}})
	f.receiver.answers(status(http.StatusGone))
	f.serve()
	f.happened(domain.EventReviewFailed, f.failed())
	if v, d := f.channel(c), f.delivery(c); v.PausedAt == nil || d.State != "failed" || d.ResponseCode != http.StatusGone {
		t.Errorf("%+v %+v", v, d)
	}
}

// A disabled channel does not get waiting messages either.
func TestChannelThatIsTurnedOff(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		c, _ := f.webhook("ops", notify.NotificationChannelCreate{Events: []string{"review.failed"}})
		f.receiver.answers(status(500))
		f.serve()
		f.happened(domain.EventReviewFailed, f.failed())
		_, err := f.service.UpdateChannel(bg, f.world.Tenant, c.ID, 0, notify.NotificationChannelUpdate{Enabled: patch.Of(false)})
		testkit.OK(t, err)
		f.hurry()
		if d := f.delivery(c); d.State != "failed" || d.Attempts != 1 || len(f.receiver.taken()) != 1 {
			t.Errorf("%+v after %d requests", d, len(f.receiver.taken()))
		}
	})
}

// If a worker loses its job between sending and recording, the message is sent again with the same id, and
// recorded once.
func TestCrashBetweenSendingAndRecording(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		c, secret := f.webhook("ops", notify.NotificationChannelCreate{Events: []string{"review.failed"}})
		crashed := false
		f.receiver.answers(func(w http.ResponseWriter, _ *http.Request) {
			if !crashed { // like the sweep of expired leases
				crashed = true
				f.raw(`UPDATE jobs SET claim_gen = claim_gen + 1, crash_attempts = crash_attempts + 1, state = 'queued', claimed_by = '', dispatched_us = NULL, run_us = run_us + 3600000000 WHERE kind = 'channel.send' AND state = 'running'`)
			}
			w.WriteHeader(http.StatusNoContent)
		})
		f.serve()
		f.happened(domain.EventReviewFailed, f.failed())
		if d := f.delivery(c); d.State != "pending" || d.Attempts != 0 {
			t.Errorf("an attempt of a worker without the job is recorded: %+v", d)
		}
		f.hurry()
		testkit.Equal(t, "state", f.delivery(c).State, "delivered")
		all := f.receiver.taken()
		if len(all) != 2 {
			t.Fatalf("%d requests", len(all))
		}
		for _, g := range all {
			verify(t, secret.Secret, g)
			testkit.Equal(t, "id", g.header.Get("webhook-id"), f.delivery(c).ID)
		}
		testkit.Equal(t, "attempts that count", f.delivery(c).Attempts, int64(1))
	})
}

// If the job of an event runs again, no message is made twice.
func TestAnEventIsToldOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		c, _ := f.webhook("ops", notify.NotificationChannelCreate{Events: []string{"review.failed"}})
		f.serve()
		f.happened(domain.EventReviewFailed, f.failed())
		f.raw(`UPDATE jobs SET state = 'queued', dispatched_us = NULL, finished_us = NULL, run_us = 1 WHERE kind = 'event.tell'`)
		f.settle()
		testkit.Require(t, "requests", len(f.receiver.taken()), 1)
		testkit.Equal(t, "state", f.delivery(c).State, "delivered")
	})
}

// Titles are foreign text. Each kind of channel escapes them for its format, and a secret in a reason is not
// sent.
func TestTextFromOutsideIsEscaped(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		f.raw(`UPDATE pull_requests SET title = $1 WHERE id = $2`, `<!channel> @everyone **bold** <https://evil.example|x>`, f.world.Pull.ID)
		for _, kind := range []string{"slack", "teams", "discord"} {
			_, err := f.service.CreateChannel(bg, f.world.Tenant, notify.NotificationChannelCreate{Name: kind, Kind: kind, Target: f.receiver.URL + "/" + kind, Events: []string{"review.failed"}})
			testkit.OK(t, err)
		}
		f.serve()
		e := f.failed()
		e.Reason = "the provider said hunter2"
		f.happened(domain.EventReviewFailed, e)
		all := f.receiver.taken()
		testkit.Require(t, "messages", len(all), 3)
		for _, g := range all {
			var v map[string]any
			testkit.OK(t, json.Unmarshal([]byte(g.body), &v))
			if strings.Contains(g.body, "hunter2") || !strings.Contains(g.body, "octo/repo#1") && !strings.Contains(g.body, `octo/repo\\#1`) || !strings.Contains(g.body, "https://assay.example.com/t/"+f.world.Tenant.ID+"/repositories/") {
				t.Errorf("%s: %s", g.path, g.body)
			}
			switch g.path {
			case "/discord":
				if strings.Contains(g.body, "**bold") || !strings.Contains(g.body, `"allowed_mentions":{"parse":[]}`) {
					t.Errorf("discord: %s", g.body)
				}
			case "/slack":
				if strings.Contains(fmt.Sprint(v["text"]), "<!") || strings.Contains(g.body, "mrkdwn") {
					t.Errorf("slack: %s", g.body)
				}
			case "/teams":
				if strings.Contains(g.body, "TextBlock\",\"text\"") || strings.Contains(g.body, `"type":"TextBlock"`) {
					t.Errorf("teams: %s", g.body)
				}
			}
		}
	})
}

// A message that is created while its channel is being paused does not wait forever.
func TestMessageToAPausedChannelEnds(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		c, _ := f.webhook("ops", notify.NotificationChannelCreate{Events: []string{"review.failed"}})
		f.receiver.answers(status(500))
		f.serve()
		f.happened(domain.EventReviewFailed, f.failed())
		f.raw(`UPDATE notification_channels SET paused_us = 1 WHERE id = $1`, c.ID)
		f.hurry()
		if d := f.delivery(c); d.State != "failed" || d.Attempts != 1 || d.NextAttemptAt != nil {
			t.Errorf("%+v", d)
		}
	})
}

// Many workers fail at one channel while another one pauses it. They do not block each other's rows, so that
// no attempt is made twice.
func TestManyFailuresAtOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		c, _ := f.webhook("ops", notify.NotificationChannelCreate{Events: []string{"review.failed"}})
		f.receiver.answers(status(500))
		f.serve()
		f.happened(domain.EventReviewFailed, f.failed())
		f.raw(`UPDATE notification_channels SET failures = 1, failing_us = failing_us - $1 WHERE id = $2`, (12 * time.Hour).Microseconds(), c.ID)
		for range 40 {
			f.event(domain.EventReviewFailed, f.failed())
		}
		f.settle()
		testkit.Equal(t, "paused", f.channel(c).PausedAt != nil, true)
		for _, d := range f.deliveries(c) {
			if d.State != "failed" {
				t.Errorf("%+v", d)
			}
		}
		if log := f.logs.String(); strings.Contains(log, `"outcome":"failed"`) || strings.Contains(log, `"outcome":"lost"`) {
			t.Error("a job failed")
		}
	})
}

// A message that cannot even be attempted ends too, with the reason.
func TestMessageThatCannotBeTried(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		c, _ := f.webhook("ops", notify.NotificationChannelCreate{Events: []string{"review.failed"}})
		f.raw(`UPDATE notification_channels SET target = $1 WHERE id = $2`, []byte("not sealed"), c.ID)
		f.serve()
		f.happened(domain.EventReviewFailed, f.failed())
		for range 8 {
			f.hurry()
		}
		if d := f.delivery(c); d.State != "failed" || !strings.Contains(d.Error, "dead jobs") || len(f.receiver.taken()) != 0 {
			t.Errorf("%+v", d)
		}
	})
}
