package notify_test

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/notify"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// tap answers like a push service, and keeps the last message.
type tap struct {
	status int
	seen   *http.Request
	size   int
}

func (p *tap) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	p.seen, p.size = r, len(body)
	return &http.Response{StatusCode: p.status, Header: http.Header{}, Body: http.NoBody, Request: r}, err
}

// browser returns a subscription with new keys.
func browser(t testing.TB, endpoint string) notify.PushSubscriptionCreate {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	testkit.OK(t, err)
	return notify.PushSubscriptionCreate{Endpoint: endpoint, Label: "Laptop",
		Keys: notify.PushKeys{P256dh: base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()), Auth: base64.RawURLEncoding.EncodeToString([]byte(rand.Text())[:16])}}
}

// subscribe stores a subscription of a person.
func (f *fixture) subscribe(user string, in notify.PushSubscriptionCreate) (notify.PushSubscription, error) {
	return f.service.PutPushSubscription(bg, f.world.Tenant, user, in)
}

// member creates a member of the tenant.
func (f *fixture) member(name string) string {
	f.t.Helper()
	user, err := f.store.CreateUser(bg, name, false)
	testkit.OK(f.t, err)
	testkit.OK(f.t, f.store.SetMember(bg, f.world.Tenant, user.ID, domain.RoleMember, "hand"))
	return user.ID
}

func TestPushSubscriptionLives(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		service := &tap{status: http.StatusCreated}
		f.service.PushClient = func(string) *http.Client { return &http.Client{Transport: service} }
		f.service.PushContact = "https://assay.example.com"
		mona, olga := f.member("mona"), f.member("olga")
		endpoint := "https://fcm.googleapis.com/fcm/send/" + rand.Text()
		v, err := f.subscribe(mona, browser(t, endpoint))
		testkit.OK(t, err)
		if v.Host != "fcm.googleapis.com" || !v.AuthSet || len(v.Topics) == 0 || strings.Contains(store.JSON(v), endpoint[40:]) {
			t.Errorf("made is %+v", v)
		}
		nextWait, err := f.subscribe(mona, browser(t, endpoint))
		testkit.OK(t, err)
		testkit.Equal(t, "the same endpoint again", nextWait.ID, v.ID)
		testkit.Equal(t, "its version", nextWait.Version, 2)
		list := func(user string) []notify.PushSubscription {
			t.Helper()
			return must(f.service.PushSubscriptions(bg, f.world.Tenant, user))(t)
		}
		testkit.Require(t, "listed", len(list(mona)), 1)
		testkit.Require(t, "listed for another person", len(list(olga)), 0)
		key := must(f.service.VAPIDKey(bg))(t)
		if raw, err := base64.RawURLEncoding.DecodeString(key); err != nil || len(raw) != 65 {
			t.Errorf("the public key has %d bytes: %v", len(raw), err)
		}
		testkit.Equal(t, "the public key stays", must(f.service.VAPIDKey(bg))(t), key)
		update := func(user string, version int64, body string) (notify.PushSubscription, error) {
			return f.service.UpdatePushSubscription(bg, f.world.Tenant, user, v.ID, version, featuretest.Request[notify.PushSubscriptionUpdate](t, body))
		}
		_, err = update(olga, 0, `{}`)
		refused(t, "changed by another person", err, errs.NotFound, "not_found")
		refused(t, "deleted by another user", f.service.DeletePushSubscription(bg, f.world.Tenant, olga, v.ID), errs.NotFound, "not_found")
		_, err = f.service.TestPush(bg, f.world.Tenant, olga, v.ID)
		refused(t, "tested by another person", err, errs.NotFound, "not_found")

		v = must(update(mona, 0, `{"topics":["review.failed"],"quietHours":{"from":"19:00","to":"08:00","timeZone":"Europe/Berlin"},"enabled":false}`))(t)
		if v.Enabled || v.QuietHours == nil || !slices.Equal(v.Topics, []string{"review.failed"}) {
			t.Errorf("changed is %+v", v)
		}
		if loud := must(update(mona, 3, `{"quietHours":null}`))(t); loud.QuietHours != nil {
			t.Errorf("quiet hours stay: %+v", loud)
		}
		_, err = update(mona, 3, `{}`)
		refused(t, "the version before", err, errs.Stale, "stale")

		test := func() notify.PushCheck {
			t.Helper()
			return must(f.service.TestPush(bg, f.world.Tenant, mona, v.ID))(t)[0]
		}
		if said := test(); !said.OK || service.seen.URL.String() != endpoint || service.seen.Header.Get("Content-Encoding") != "aes128gcm" || !strings.HasPrefix(service.seen.Header.Get("Authorization"), "vapid t=") || service.size < 1000 {
			t.Errorf("test: %+v, sent %d bytes with %v", said, service.size, service.seen.Header)
		}
		for _, tc := range []struct {
			status int
			says   string
		}{{403, "refused the key"}, {429, "wait"}, {500, "status 500"}, {410, "no more"}} {
			service.status = tc.status
			if said := test(); said.OK || !strings.Contains(said.Message, tc.says) {
				t.Errorf("status %d: %+v", tc.status, said)
			}
		}
		testkit.Equal(t, "state after 410", list(mona)[0].State, "gone")
		testkit.Equal(t, "state after subscribing again", must(f.subscribe(mona, browser(t, endpoint)))(t).State, "active")
		testkit.OK(t, f.store.DismissMember(bg, f.world.Tenant, mona))
		testkit.Require(t, "subscriptions of a person who left", len(list(mona)), 0)
	})
}

func TestPushSubscriptionRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	s, raw := sqlite(t)
	f := newFixture(t, s, raw)
	mona := f.member("mona")
	const known = "https://web.push.apple.com/x"
	for name, tc := range map[string]struct {
		endpoint string
		change   func(*notify.PushSubscriptionCreate) // may be nil
		field    string
	}{
		"plain http":                  {"http://fcm.googleapis.com/x", nil, "/endpoint"},
		"another host":                {"https://evil.example/x", nil, "/endpoint"},
		"a host with the same ending": {"https://evilnotify.windows.com/x", nil, "/endpoint"},
		"the suffix itself":           {"https://notify.windows.com/x", nil, "/endpoint"},
		"a user":                      {"https://fcm.googleapis.com@evil.example/x", nil, "/endpoint"},
		"a port":                      {"https://fcm.googleapis.com:8443/x", nil, "/endpoint"},
		"no path":                     {"https://fcm.googleapis.com/", nil, "/endpoint"},
		"no point":                    {known, func(in *notify.PushSubscriptionCreate) { in.Keys.P256dh = "C" + in.Keys.P256dh[1:] }, "/keys/p256dh"},
		"short auth":                  {known, func(in *notify.PushSubscriptionCreate) { in.Keys.Auth = strings.Repeat("A", 24) }, "/keys/auth"},
		"Apple":                       {known, nil, ""},
		"Microsoft":                   {"https://wns2-by3p.notify.windows.com/x", nil, ""},
		"Mozilla":                     {"https://eu.push.services.mozilla.com/x", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := browser(t, tc.endpoint)
			if tc.change != nil {
				tc.change(&in)
			}
			_, err := f.subscribe(mona, in)
			testkit.Equal(t, "wrong fields", featuretest.Pointers(t, err), tc.field)
		})
	}
	for range notify.MaxPushSubscriptions - 3 {
		must(f.subscribe(mona, browser(t, known+rand.Text())))(t)
	}
	_, err := f.subscribe(mona, browser(t, known+rand.Text()))
	refused(t, "too many", err, errs.Conflict, "limit_reached")
}
