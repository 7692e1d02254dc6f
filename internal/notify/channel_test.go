package notify_test

import (
	"io"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/notify"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// hookPath returns the path of a webhook, which is its credential.
func hookPath() string { return "/hooks/" + strings.Repeat("cAn4rY", 8) + "tail" }

// create makes a channel from a request in JSON.
func (f *fixture) create(body string) (notify.NotificationChannel, error) {
	f.t.Helper()
	return f.service.CreateChannel(bg, f.world.Tenant, featuretest.Request[notify.NotificationChannelCreate](f.t, body))
}

// update changes a channel.
func (f *fixture) update(id string, version int64, body string) (notify.NotificationChannel, error) {
	f.t.Helper()
	return f.service.UpdateChannel(bg, f.world.Tenant, id, version, featuretest.Request[notify.NotificationChannelUpdate](f.t, body))
}

// tested runs a test of a channel and reports whether every check passed.
func (f *fixture) tested(c notify.NotificationChannel) (ok bool, checks []notify.ChannelCheck) {
	f.t.Helper()
	found, err := f.service.Test(bg, f.world.Tenant, c.ID)
	testkit.OK(f.t, err)
	return !slices.ContainsFunc(found.Checks, func(c notify.ChannelCheck) bool { return !c.OK }), found.Checks
}

// refused checks the kind and the code of an error.
func refused(t testing.TB, what string, err error, kind errs.Kind, code string) {
	t.Helper()
	if !errs.Is(err, kind) || !strings.HasPrefix(err.Error(), code+":") {
		t.Errorf("%s: %v, want %v with the code %s", what, err, kind, code)
	}
}

func TestChannelLives(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		made, err := f.create(`{"name":"ops","kind":"slack","target":"https://hooks.slack.com` + hookPath() + `","events":["review.failed"],"repositoryIds":["` + f.world.Repository.ID + `"]}`)
		testkit.OK(t, err)
		if !made.Enabled || made.EveryRepository || !slices.Equal(made.RepositoryIDs, []string{f.world.Repository.ID}) || made.TargetHint != "hooks.slack.com …tail" || made.TargetUpdatedAt == nil {
			t.Fatalf("made %+v", made)
		}
		_, err = f.create(`{"name":"ops","kind":"email","target":"a@example.com","events":["review.failed"]}`)
		refused(t, "the name is taken", err, errs.Conflict, "already_exists")
		_, err = f.update(made.ID, 7, `{"enabled":false}`)
		refused(t, "a version that never existed", err, errs.Stale, "stale")
		changed, err := f.update(made.ID, 1, `{"enabled":false,"repositoryIds":null,"events":["budget.threshold","review.failed"]}`)
		testkit.OK(t, err)
		if changed.Enabled || !changed.EveryRepository || len(changed.RepositoryIDs) != 0 || len(changed.Events) != 2 || !changed.TargetUpdatedAt.Equal(*made.TargetUpdatedAt) {
			t.Errorf("changed %+v", changed)
		}
		if listed := store.JSON(f.channel(made)); strings.Contains(listed, "cAn4rY") {
			t.Error("the list has the target")
		}
		moved, err := f.update(made.ID, 0, `{"target":"https://discord.example.com/x"}`)
		testkit.OK(t, err)
		if moved.TargetHint != "discord.example.com" || !moved.TargetUpdatedAt.After(*made.TargetUpdatedAt) {
			t.Errorf("moved %+v", moved)
		}
		_, err = f.service.RotateSecret(bg, f.world.Tenant, made.ID)
		refused(t, "a chat channel has no secret", err, errs.Conflict, "not_signed")
		testkit.Require(t, "deliveries", len(f.deliveries(made)), 0)
		testkit.OK(t, f.service.DeleteChannel(bg, f.world.Tenant, made.ID))
		refused(t, "deleted again", f.service.DeleteChannel(bg, f.world.Tenant, made.ID), errs.NotFound, "not_found")
		_, err = f.service.Deliveries(bg, f.world.Tenant, made.ID, store.Cursor{}, 1)
		refused(t, "its deliveries", err, errs.NotFound, "not_found")
		_, err = f.service.Test(bg, f.world.Tenant, made.ID)
		refused(t, "its test", err, errs.NotFound, "not_found")
		_, err = f.service.RotateSecret(bg, f.world.Tenant, made.ID)
		refused(t, "its secret", err, errs.NotFound, "not_found")
	})
}

func TestChannelRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	s, raw := sqlite(t)
	f := newFixture(t, s, raw)
	other := storetest.Seed(t, s)
	const failed = `,"events":["review.failed"]`
	for name, tc := range map[string]struct{ body, field string }{
		"event twice":          {`"kind":"webhook","target":"https://a.example.com","events":["review.failed","review.failed"]`, "/events/1"},
		"http":                 {`"kind":"webhook","target":"http://a.example.com"` + failed, "/target"},
		"private address":      {`"kind":"teams","target":"https://10.1.2.3/x"` + failed, "/target"},
		"metadata":             {`"kind":"discord","target":"https://169.254.169.254/x"` + failed, "/target"},
		"loopback":             {`"kind":"teams","target":"https://localhost:1/x"` + failed, "/target"},
		"user in the URL":      {`"kind":"slack","target":"https://u:p@a.example.com/x"` + failed, "/target"},
		"no URL":               {`"kind":"webhook","target":"a@example.com"` + failed, "/target"},
		"no address":           {`"kind":"email","target":"https://a.example.com"` + failed, "/target"},
		"address with a name":  {`"kind":"email","target":"Mona <a@example.com>"` + failed, "/target"},
		"address twice":        {`"kind":"email","target":"a@example.com, A@example.com"` + failed, "/target"},
		"address and a header": {`"kind":"email","target":"a@example.com\r\nBcc: b@example.com"` + failed, "/target"},
		"absent repository":    {`"kind":"webhook","target":"https://a.example.com","repositoryIds":["rep_absent"]` + failed, "/repositoryIds/0"},
		"another's repository": {`"kind":"webhook","target":"https://a.example.com","repositoryIds":["` + f.world.Repository.ID + `","` + other.Repository.ID + `"]` + failed, "/repositoryIds/1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := f.create(`{"name":"bad",` + tc.body + `}`)
			testkit.Equal(t, "wrong fields", featuretest.Pointers(t, err), tc.field)
		})
	}
}

// reach lets the service reach another receiver. Every name resolves to an internal address.
func (f *fixture) reach(more *receiver) {
	f.t.Helper()
	f.service.Outbound = outbound.New(outbound.Policy{Resolver: testkit.Resolver(f.t, func(string, int) testkit.Named {
		return testkit.Named{Addrs: []netip.Addr{netip.MustParseAddr("10.1.2.3")}}
	}), LoopbackPorts: []int{f.receiver.port(), more.port()}})
	f.t.Cleanup(f.service.Outbound.Close)
}

// The library of Standard Webhooks checks the signatures.
func TestWebhookIsSigned(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		c, err := f.create(`{"name":"ops","kind":"webhook","target":"` + f.receiver.URL + hookPath() + `","events":["security.break_glass"]}`)
		testkit.OK(t, err)
		if ok, found := f.tested(c); ok || found[0].Name != "signature" || len(f.receiver.taken()) != 0 {
			t.Errorf("without a secret: %+v, %d messages", found, len(f.receiver.taken()))
		}
		rotate := func() notify.ChannelSecret {
			t.Helper()
			v, err := f.service.RotateSecret(bg, f.world.Tenant, c.ID)
			testkit.OK(t, err)
			return v
		}
		last := func() got {
			all := f.receiver.taken()
			return all[len(all)-1]
		}
		verify := func(secret string) error {
			t.Helper()
			hook, err := standardwebhooks.NewWebhook(secret)
			testkit.OK(t, err)
			return hook.Verify([]byte(last().body), last().header)
		}
		first := rotate()
		if ok, found := f.tested(c); !ok {
			t.Fatalf("%+v", found)
		}
		testkit.OK(t, verify(first.Secret))
		second := rotate()
		if !strings.HasPrefix(second.Secret, "whsec_") || second.Secret == first.Secret || first.PreviousUntil != nil || second.PreviousUntil == nil {
			t.Errorf("secrets %+v, %+v", first.PreviousUntil, second.PreviousUntil)
		}
		f.tested(c)
		testkit.OK(t, verify(first.Secret))
		testkit.OK(t, verify(second.Secret))
		row, err := f.store.Channel(bg, f.world.Tenant, c.ID)
		testkit.OK(t, err)
		_, err = f.store.RotateChannelSecret(bg, f.world.Tenant, c.ID, row.Secret, -1) // as if the overlap were over
		testkit.OK(t, err)
		f.tested(c)
		testkit.OK(t, verify(second.Secret))
		if verify(first.Secret) == nil {
			t.Error("the earlier secret still signs after the overlap")
		}
		sent := f.delivery(c)
		if sent.ID != last().header.Get("webhook-id") || sent.State != "delivered" || sent.ResponseCode != 204 || sent.Event != "channel.test" {
			t.Errorf("delivery %+v", sent)
		}
		if !strings.Contains(last().body, `"type":"channel.test"`) || last().header.Get("Content-Type") != "application/json" {
			t.Errorf("sent %s", last().body)
		}
		for _, word := range []string{first.Secret, second.Secret, "cAn4rY"} {
			if strings.Contains(f.logs.String()+store.JSON(sent)+store.JSON(f.channel(c)), word) {
				t.Error("a secret is in an answer or the log")
			}
		}
	})
}

func TestChannelTestSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	s, raw := sqlite(t)
	f, elsewhere := newFixture(t, s, raw), newReceiver(t)
	f.reach(elsewhere)
	channel := func(body string) notify.NotificationChannel { return must(f.create(body))(t) }
	c := channel(`{"name":"chat","kind":"slack","target":"` + f.receiver.URL + hookPath() + `","events":["review.failed"]}`)
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		code   int64
		says   string // "" if the message is accepted
	}{
		"taken": {nil, 204, ""},
		"gone": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(404)
			_, _ = io.WriteString(w, "cAn4rY")
		}, 404, "status 404"},
		"broken":    {status(503), 503, "status 503"},
		"redirect":  {func(w http.ResponseWriter, q *http.Request) { http.Redirect(w, q, elsewhere.URL, 307) }, 307, "redirect"},
		"no answer": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 0, "could not be reached"},
		"long answer": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.Repeat("cAn4rY", 100_000))
		}, 200, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f.receiver.answers(tc.answer)
			ok, found := f.tested(c)
			last := found[len(found)-1]
			if ok != (tc.says == "") || !strings.Contains(last.Message, tc.says) || strings.Contains(last.Message, "cAn4rY") {
				t.Errorf("%+v", found)
			}
			if sent := f.delivery(c); sent.ResponseCode != tc.code || (sent.State == "delivered") != ok {
				t.Errorf("%+v", sent)
			}
		})
	}
	if len(elsewhere.taken()) != 0 {
		t.Error("a redirect was followed")
	}
	must(f.update(c.ID, 0, `{"enabled":false}`))(t)
	f.receiver.answers(nil)
	if ok, found := f.tested(c); ok || found[len(found)-1].Name != "enabled" {
		t.Errorf("a disabled channel: %+v", found)
	}
	mail := channel(`{"name":"mail","kind":"email","target":"a@example.com, b@example.com","events":["review.failed"]}`)
	if ok, found := f.tested(mail); ok || !strings.Contains(found[0].Message, "ASSAY_SMTP_HOST") || len(mail.Addresses) != 2 {
		t.Errorf("without a mail server: %+v %+v", found, mail)
	}
	// A host name may resolve to another address later, so that the dial decides.
	led := channel(`{"name":"led inside","kind":"teams","target":"https://inside.example.com/x","events":["review.failed"]}`)
	if ok, found := f.tested(led); ok || !strings.Contains(found[0].Message, "refused") {
		t.Errorf("a name with an internal address: %+v", found)
	}
	if strings.Contains(f.logs.String(), "cAn4rY") {
		t.Error("the target is in the log")
	}
}

// Deliveries are listed with their results, newest first, page by page.
func TestDeliveriesAreListed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		c, err := f.create(`{"name":"ops","kind":"webhook","target":"https://receiver.example.com/hooks/x","events":["review.failed"]}`)
		testkit.OK(t, err)
		for _, id := range []string{"msg_1", "msg_2"} {
			must(f.store.AddNotification(bg, f.world.Tenant, store.Notification{ID: id, Channel: c.ID, Event: "review.failed", EventID: "evt_" + id, State: domain.NotificationPending, Payload: `{"canary":1}`}))(t)
		}
		noted, err := f.store.RecordAttempt(bg, f.world.Tenant, store.Notification{ID: "msg_1", State: domain.NotificationPending, ResponseCode: 503, Error: "the receiver answered with the status 503"}, time.Minute)
		testkit.OK(t, err)
		testkit.Equal(t, "noted", noted, true)
		noted, err = f.store.RecordAttempt(bg, f.world.Tenant, store.Notification{ID: "msg_1", State: domain.NotificationDelivered}, 0)
		testkit.OK(t, err)
		testkit.Equal(t, "noted by a worker that is late", noted, false)
		page := must(f.service.Deliveries(bg, f.world.Tenant, c.ID, store.Cursor{}, 1))(t)
		testkit.Equal(t, "newest", page[0].ID, "msg_2")
		rest := must(f.service.Deliveries(bg, f.world.Tenant, c.ID, store.Cursor{US: page[0].CreatedAt.UnixMicro(), ID: page[0].ID}, 9))(t)
		testkit.Require(t, "older ones", len(rest), 1)
		if d := rest[0]; d.ID != "msg_1" || d.EventID != "evt_msg_1" || d.State != "pending" || d.Attempts != 1 || d.ResponseCode != 503 || d.NextAttemptAt == nil || d.NextAttemptAt.Sub(d.UpdatedAt) != time.Minute || d.Error == "" {
			t.Errorf("the older one is %+v", d)
		}
		if strings.Contains(store.JSON(rest), "canary") {
			t.Error("the list has the messages themselves")
		}
	})
}
