package httpapi_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/notify"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// receiver takes messages on a real listener and keeps the last one.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	header http.Header
	body   string
	answer http.HandlerFunc // nil: 204
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		b, _ := io.ReadAll(q.Body)
		r.mu.Lock()
		r.header, r.body = q.Header.Clone(), string(b)
		answer := r.answer
		r.mu.Unlock()
		if answer != nil {
			answer(w, q)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) got() (http.Header, string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.header, r.body
}

func (r *receiver) answers(f http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = f
}

// reaching lets the service reach the receivers; every name leads to an address
// inside.
func reaching(t *testing.T, all ...*receiver) func(*httpapi.Options) {
	return func(o *httpapi.Options) {
		o.Notify.Outbound.SetPolicy(outbound.Policy{Resolver: testkit.Resolver(t, func(string, int) testkit.Named {
			return testkit.Named{Addrs: []netip.Addr{netip.MustParseAddr("10.1.2.3")}}
		})})
		for _, r := range all {
			u, err := url.Parse(r.URL)
			must(t, err)
			port, err := strconv.Atoi(u.Port())
			must(t, err)
			o.Notify.Outbound.AllowLoopbackPorts(port)
		}
	}
}

// hookPath is the path of a hook; it is its credential.
func hookPath() string { return "/hooks/" + strings.Repeat("cAn4rY", 8) + "tail" }

func (w *world) channel(body string) notify.NotificationChannel {
	w.t.Helper()
	var c notify.NotificationChannel
	w.made(&c, admin, w.tenantPath()+"/notification-channels", body)
	return c
}

func TestChannelLives(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		path := w.tenantPath() + "/notification-channels"
		made := w.channel(`{"name":"ops","kind":"slack","target":"https://hooks.slack.com` + hookPath() + `","events":["review.failed"],"repositoryIds":["` + w.Repository.ID + `"]}`)
		if !made.Enabled || made.EveryRepository || !slices.Equal(made.RepositoryIDs, []string{w.Repository.ID}) || made.TargetHint != "hooks.slack.com …tail" || made.TargetUpdatedAt == nil {
			t.Fatalf("made %+v", made)
		}
		testkit.Equal(t, "the name is taken", problemOf(t, w.call(admin, http.MethodPost, path, `{"name":"ops","kind":"email","target":"a@example.com","events":["review.failed"]}`)), "already_exists")
		one := path + "/" + made.ID
		testkit.Equal(t, "stale", w.call(admin, http.MethodPatch, one, `{"enabled":false}`, header("If-Match", `"v7"`)).status, http.StatusPreconditionFailed)
		var changed, moved notify.NotificationChannel
		w.into(&changed, w.call(admin, http.MethodPatch, one, `{"enabled":false,"repositoryIds":null,"events":["budget.threshold","review.failed"]}`, header("If-Match", `"v1"`)))
		if changed.Enabled || !changed.EveryRepository || len(changed.RepositoryIDs) != 0 || len(changed.Events) != 2 || !changed.TargetUpdatedAt.Equal(*made.TargetUpdatedAt) {
			t.Errorf("changed %+v", changed)
		}
		w.into(&moved, w.call(admin, http.MethodPatch, one, `{"target":"https://discord.example.com/x"}`))
		if moved.TargetHint != "discord.example.com" || !moved.TargetUpdatedAt.After(*made.TargetUpdatedAt) {
			t.Errorf("moved %+v", moved)
		}
		testkit.Equal(t, "a chat channel has no secret", problemOf(t, w.call(admin, http.MethodPost, one+"/secret", "")), "not_signed")
		var all httpList[notify.NotificationChannel]
		list := w.call(admin, http.MethodGet, path, "")
		w.into(&all, list)
		testkit.Require(t, "listed", len(all.Items), 1)
		testkit.Equal(t, "for a member", w.call(member, http.MethodGet, path, "").status, http.StatusForbidden)
		if strings.Contains(list.body+w.logs.String(), "cAn4rY") {
			t.Error("the target is in an answer or the log")
		}
		var none httpList[notify.ChannelDelivery]
		w.into(&none, w.call(admin, http.MethodGet, one+"/deliveries", ""))
		testkit.Require(t, "deliveries", len(none.Items), 0)
		testkit.Equal(t, "deleted", w.call(admin, http.MethodDelete, one, "").status, http.StatusNoContent)
		for _, gone := range []reply{w.call(admin, http.MethodDelete, one, ""), w.call(admin, http.MethodGet, one+"/deliveries", ""), w.call(admin, http.MethodPost, one+"/test", ""), w.call(admin, http.MethodPost, one+"/secret", "")} {
			testkit.Equal(t, "gone", gone.status, http.StatusNotFound)
		}
	})
}

func TestChannelRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	for name, tc := range map[string]struct {
		body   string
		fields []string
	}{
		"no event":             {`"kind":"webhook","target":"https://a.example.com","events":[]`, []string{"/events"}},
		"event that is none":   {`"kind":"webhook","target":"https://a.example.com","events":["push"]`, []string{"/events/0"}},
		"event twice":          {`"kind":"webhook","target":"https://a.example.com","events":["review.failed","review.failed"]`, []string{"/events/1"}},
		"http":                 {`"kind":"webhook","target":"http://a.example.com","events":["review.failed"]`, []string{"/target"}},
		"private address":      {`"kind":"teams","target":"https://10.1.2.3/x","events":["review.failed"]`, []string{"/target"}},
		"metadata":             {`"kind":"discord","target":"https://169.254.169.254/x","events":["review.failed"]`, []string{"/target"}},
		"user in the URL":      {`"kind":"slack","target":"https://u:p@a.example.com/x","events":["review.failed"]`, []string{"/target"}},
		"no URL":               {`"kind":"webhook","target":"a@example.com","events":["review.failed"]`, []string{"/target"}},
		"no address":           {`"kind":"email","target":"https://a.example.com","events":["review.failed"]`, []string{"/target"}},
		"address with a name":  {`"kind":"email","target":"Mona <a@example.com>","events":["review.failed"]`, []string{"/target"}},
		"address twice":        {`"kind":"email","target":"a@example.com, A@example.com","events":["review.failed"]`, []string{"/target"}},
		"address and a header": {`"kind":"email","target":"a@example.com\r\nBcc: b@example.com","events":["review.failed"]`, []string{"/target"}},
		"absent repository":    {`"kind":"webhook","target":"https://a.example.com","events":["review.failed"],"repositoryIds":["rep_absent"]`, []string{"/repositoryIds/0"}},
		"another's repository": {`"kind":"webhook","target":"https://a.example.com","events":["review.failed"],"repositoryIds":["` + w.Repository.ID + `","` + w.other.Repository.ID + `"]`, []string{"/repositoryIds/1"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.call(admin, http.MethodPost, w.tenantPath()+"/notification-channels", `{"name":"bad",`+tc.body+`}`)
			if fields := wrongFields(t, got); !slices.Equal(fields, tc.fields) {
				t.Errorf("wrong fields are %v, want %v: %s", fields, tc.fields, got.body)
			}
		})
	}
	c := w.channel(`{"name":"ops","kind":"webhook","target":"https://a.example.com","events":["review.failed"]}`)
	got := wrongFields(t, w.call(admin, http.MethodPatch, w.tenantPath()+"/notification-channels/"+c.ID, `{"kind":"email"}`))
	testkit.Equal(t, "another kind", fmt.Sprint(got), "[/kind]")
}

// tested runs a test of a channel and says whether every check passed.
func (w *world) tested(c notify.NotificationChannel) (ok bool, found notify.ChannelChecks) {
	w.t.Helper()
	w.into(&found, w.call(admin, http.MethodPost, w.tenantPath()+"/notification-channels/"+c.ID+"/test", ""))
	return !slices.ContainsFunc(found.Checks, func(c notify.ChannelCheck) bool { return !c.OK }), found
}

// The oracle is the library of Standard Webhooks.
func TestWebhookIsSigned(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReceiver(t)
		w := newWorld(t, s, reaching(t, r))
		c := w.channel(`{"name":"ops","kind":"webhook","target":"` + r.URL + hookPath() + `","events":["review.failed"]}`)
		if ok, found := w.tested(c); ok || found.Checks[0].Name != "signature" {
			t.Errorf("without a secret: %+v", found)
		}
		if h, _ := r.got(); h != nil {
			t.Error("a message without a signature was sent")
		}
		secretPath := w.tenantPath() + "/notification-channels/" + c.ID + "/secret"
		var first, second notify.ChannelSecret
		w.into(&first, w.call(admin, http.MethodPost, secretPath, ""))
		verify := func(secret string) error {
			t.Helper()
			hook, err := standardwebhooks.NewWebhook(secret)
			must(t, err)
			h, body := r.got()
			return hook.Verify([]byte(body), h)
		}
		if ok, found := w.tested(c); !ok {
			t.Fatalf("%+v", found)
		}
		must(t, verify(first.Secret))
		w.into(&second, w.call(admin, http.MethodPost, secretPath, ""))
		if !strings.HasPrefix(second.Secret, "whsec_") || second.Secret == first.Secret || first.PreviousUntil != nil || second.PreviousUntil == nil {
			t.Errorf("secrets %+v, %+v", first.PreviousUntil, second.PreviousUntil)
		}
		w.tested(c)
		must(t, verify(first.Secret))
		must(t, verify(second.Secret))
		row, err := s.Channel(bg, w.Tenant, c.ID)
		must(t, err)
		_, err = s.RotateChannelSecret(bg, w.Tenant, c.ID, row.Secret, -1) // as if the overlap were over
		must(t, err)
		w.tested(c)
		must(t, verify(second.Secret))
		if verify(first.Secret) == nil {
			t.Error("the secret before signs after the overlap")
		}
		var list httpList[notify.ChannelDelivery]
		answer := w.call(admin, http.MethodGet, w.tenantPath()+"/notification-channels/"+c.ID+"/deliveries", "")
		w.into(&list, answer)
		h, body := r.got()
		if len(list.Items) != 1 || list.Items[0].ID != h.Get("webhook-id") || list.Items[0].State != "delivered" || list.Items[0].ResponseCode != 204 || list.Items[0].Event != "channel.test" {
			t.Errorf("deliveries %+v", list.Items)
		}
		if !strings.Contains(body, `"type":"channel.test"`) || h.Get("Content-Type") != "application/json" {
			t.Errorf("sent %s", body)
		}
		channels := w.call(admin, http.MethodGet, w.tenantPath()+"/notification-channels", "").body
		for _, word := range []string{first.Secret, second.Secret, "cAn4rY"} {
			if strings.Contains(w.logs.String()+answer.body+channels, word) {
				t.Error("a secret is in an answer or the log")
			}
		}
	})
}

func TestChannelTestSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	r, elsewhere := newReceiver(t), newReceiver(t)
	w := newWorld(t, storetest.SQLite(t), reaching(t, r, elsewhere))
	c := w.channel(`{"name":"chat","kind":"slack","target":"` + r.URL + hookPath() + `","events":["review.failed"]}`)
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		code   int64
		says   string // "" where the message is taken
	}{
		"taken": {nil, 204, ""},
		"gone": {func(rw http.ResponseWriter, _ *http.Request) {
			rw.WriteHeader(404)
			_, _ = io.WriteString(rw, "cAn4rY")
		}, 404, "status 404"},
		"broken":    {func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(503) }, 503, "status 503"},
		"redirect":  {func(rw http.ResponseWriter, q *http.Request) { http.Redirect(rw, q, elsewhere.URL, 307) }, 307, "redirect"},
		"no answer": {func(rw http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }, 0, "could not be reached"},
		"long answer": {func(rw http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(rw, strings.Repeat("cAn4rY", 100_000))
		}, 200, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r.answers(tc.answer)
			ok, found := w.tested(c)
			last := found.Checks[len(found.Checks)-1]
			if ok != (tc.says == "") || !strings.Contains(last.Message, tc.says) || strings.Contains(last.Message, "cAn4rY") {
				t.Errorf("%+v", found)
			}
			var list httpList[notify.ChannelDelivery]
			w.into(&list, w.call(admin, http.MethodGet, w.tenantPath()+"/notification-channels/"+c.ID+"/deliveries", ""))
			if len(list.Items) != 1 || list.Items[0].ResponseCode != tc.code || (list.Items[0].State == "delivered") != ok {
				t.Errorf("%+v", list.Items)
			}
		})
	}
	if h, _ := elsewhere.got(); h != nil {
		t.Error("a redirect was followed")
	}
	w.call(admin, http.MethodPatch, w.tenantPath()+"/notification-channels/"+c.ID, `{"enabled":false}`)
	r.answers(nil)
	if ok, found := w.tested(c); ok || found.Checks[len(found.Checks)-1].Name != "enabled" {
		t.Errorf("a channel that is off: %+v", found)
	}
	mail := w.channel(`{"name":"mail","kind":"email","target":"a@example.com, b@example.com","events":["review.failed"]}`)
	if ok, found := w.tested(mail); ok || !strings.Contains(found.Checks[0].Message, "ASSAY_SMTP_HOST") || len(mail.Addresses) != 2 {
		t.Errorf("without a mail server: %+v %+v", found, mail)
	}
	inside := wrongFields(t, w.call(admin, http.MethodPost, w.tenantPath()+"/notification-channels", `{"name":"inside","kind":"teams","target":"https://localhost:1/x","events":["review.failed"]}`))
	testkit.Equal(t, "an address inside", strings.Join(inside, " "), "/target")
	// The name of a host may lead anywhere later; the dial decides.
	led := w.channel(`{"name":"led inside","kind":"teams","target":"https://inside.example.com/x","events":["review.failed"]}`)
	if ok, found := w.tested(led); ok || !strings.Contains(found.Checks[0].Message, "refused") {
		t.Errorf("a name that leads inside: %+v", found)
	}
	if strings.Contains(w.logs.String(), "cAn4rY") {
		t.Error("the target is in the log")
	}
}

// A channel can be told of one-time links to the tenant's admins.
func TestChannelOfBreakGlass(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	var made struct{ Events []string }
	w.made(&made, admin, w.tenantPath()+"/notification-channels", `{"name":"Security","kind":"webhook","target":"https://receiver.example.com/hooks/x","events":["security.break_glass"]}`)
	testkit.Equal(t, "kinds", strings.Join(made.Events, ","), "security.break_glass")
}

// Deliveries are listed with what came of them, newest first, page by page, and
// to administrators of the tenant only.
func TestDeliveriesAreListed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		c := w.channel(`{"name":"ops","kind":"webhook","target":"https://receiver.example.com/hooks/x","events":["review.failed"]}`)
		path := w.tenantPath() + "/notification-channels/" + c.ID + "/deliveries"
		for _, id := range []string{"msg_1", "msg_2"} {
			must2(s.AddNotification(bg, w.Tenant, store.Notification{ID: id, Channel: c.ID, Event: "review.failed", EventID: "evt_" + id, State: domain.NotificationPending, Payload: `{"canary":1}`}))(t)
		}
		noted, err := s.NoteAttempt(bg, w.Tenant, store.Notification{ID: "msg_1", State: domain.NotificationPending, ResponseCode: 503, Error: "the receiver answered with the status 503"}, time.Minute)
		must(t, err)
		testkit.Equal(t, "noted", noted, true)
		noted, err = s.NoteAttempt(bg, w.Tenant, store.Notification{ID: "msg_1", State: domain.NotificationDelivered}, 0)
		must(t, err)
		testkit.Equal(t, "noted by a worker that is late", noted, false)
		var page, rest httpList[notify.ChannelDelivery]
		w.into(&page, w.call(admin, http.MethodGet, path+"?limit=1", ""))
		testkit.Equal(t, "newest", page.Items[0].ID, "msg_2")
		got := w.call(admin, http.MethodGet, path+"?limit=1&cursor="+url.QueryEscape(page.NextCursor), "")
		w.into(&rest, got)
		if d := rest.Items[0]; d.ID != "msg_1" || d.EventID != "evt_msg_1" || d.State != "pending" || d.Attempts != 1 || d.ResponseCode != 503 || d.NextAttemptAt == nil || d.NextAttemptAt.Sub(d.UpdatedAt) != time.Minute || d.Error == "" {
			t.Errorf("the older one is %s", got.body)
		}
		if strings.Contains(got.body, "canary") {
			t.Error("the list has the messages themselves")
		}
		testkit.Equal(t, "for a member", w.call(member, http.MethodGet, path, "").status, http.StatusForbidden)
	})
}
