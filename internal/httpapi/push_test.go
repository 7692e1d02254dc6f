package httpapi_test

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/notify"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// pushService answers like one, with the status that the test sets.
type pushService struct {
	status int
	seen   *http.Request
	size   int
}

func (p *pushService) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	p.seen, p.size = r, len(body)
	return &http.Response{StatusCode: p.status, Header: http.Header{}, Body: http.NoBody, Request: r}, err
}

// browser is a subscription with fresh keys.
func browser(t *testing.T, endpoint string) string {
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	must(t, err)
	return `{"endpoint":"` + endpoint + `","keys":{"p256dh":"` + base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()) + `","auth":"` + base64.RawURLEncoding.EncodeToString([]byte(rand.Text())[:16]) + `"},"label":"Laptop"}`
}

func TestPushSubscriptionLives(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		service := &pushService{status: http.StatusCreated}
		w := newWorld(t, s, func(o *httpapi.Options) {
			o.Notify.PushClient = func(string) *http.Client { return &http.Client{Transport: service} }
			o.Notify.PushContact = "https://assay.example.com"
		})
		path := w.mine() + "/push-subscriptions"
		token := rand.Text()
		endpoint := "https://fcm.googleapis.com/fcm/send/" + token
		var v, again notify.PushSubscription
		made := w.call(member, http.MethodPut, path, browser(t, endpoint))
		w.into(&v, made)
		if v.Host != "fcm.googleapis.com" || !v.AuthSet || len(v.Topics) == 0 {
			t.Errorf("made is %+v", v)
		}
		w.into(&again, w.call(member, http.MethodPut, path, browser(t, endpoint)))
		testkit.Equal(t, "the same endpoint again", again.ID, v.ID)
		testkit.Equal(t, "its version", again.Version, 2)

		var list, others httpapi.PushSubscriptions
		listed := w.call(member, http.MethodGet, path, "")
		w.into(&list, listed)
		testkit.Require(t, "listed", len(list.Items), 1)
		if raw, err := base64.RawURLEncoding.DecodeString(list.VAPIDPublicKey); err != nil || len(raw) != 65 {
			t.Errorf("the public key has %d bytes: %v", len(raw), err)
		}
		w.into(&others, w.call(admin, http.MethodGet, path, ""))
		testkit.Require(t, "listed for somebody else", len(others.Items), 0)
		testkit.Equal(t, "the public key stays", others.VAPIDPublicKey, list.VAPIDPublicKey)
		for _, method := range []string{http.MethodPatch, http.MethodDelete} {
			testkit.Require(t, method+" by somebody else", w.call(admin, method, path+"/"+v.ID, strings.Repeat(`{}`, len(method)/5%2)).status, http.StatusNotFound)
		}
		testkit.Equal(t, "test by somebody else", w.call(admin, http.MethodPost, path+"/"+v.ID+"/test", "").status, http.StatusNotFound)

		w.into(&v, w.call(member, http.MethodPatch, path+"/"+v.ID, `{"topics":["review.failed"],"quietHours":{"from":"19:00","to":"08:00","timeZone":"Europe/Berlin"},"enabled":false}`))
		if v.Enabled || v.QuietHours == nil || !slices.Equal(v.Topics, []string{"review.failed"}) {
			t.Errorf("changed is %+v", v)
		}
		var loud notify.PushSubscription
		w.into(&loud, w.call(member, http.MethodPatch, path+"/"+v.ID, `{"quietHours":null}`, header("If-Match", `"v3"`)))
		if loud.QuietHours != nil {
			t.Errorf("quiet hours stay: %+v", loud)
		}
		testkit.Equal(t, "stale", w.call(member, http.MethodPatch, path+"/"+v.ID, `{}`, header("If-Match", `"v3"`)).status, http.StatusPreconditionFailed)

		var tested httpapi.PushTested
		w.into(&tested, w.call(member, http.MethodPost, path+"/"+v.ID+"/test", ""))
		if !tested.Checks[0].OK || service.seen.URL.String() != endpoint || service.seen.Header.Get("Content-Encoding") != "aes128gcm" || !strings.HasPrefix(service.seen.Header.Get("Authorization"), "vapid t=") || service.size < 1000 {
			t.Errorf("test: %+v, sent %d bytes with %v", tested, service.size, service.seen.Header)
		}
		for status, want := range map[int]string{403: "refused the key", 429: "wait", 500: "status 500", 410: "no more"} {
			service.status = status
			w.into(&tested, w.call(member, http.MethodPost, path+"/"+v.ID+"/test", ""))
			if tested.Checks[0].OK || !strings.Contains(tested.Checks[0].Message, want) {
				t.Errorf("status %d: %+v", status, tested)
			}
		}
		w.into(&list, w.call(member, http.MethodGet, path, ""))
		testkit.Equal(t, "state after 410", list.Items[0].State, "gone")
		w.into(&v, w.call(member, http.MethodPut, path, browser(t, endpoint)))
		testkit.Equal(t, "state after subscribing again", v.State, "active")
		if strings.Contains(made.body+listed.body+w.logs.String(), token) {
			t.Error("the endpoint is shown")
		}
		must(t, s.DismissMember(bg, w.Tenant, w.people[member].id))
		left, err := s.PushSubscriptions(bg, w.Tenant, w.people[member].id)
		must(t, err)
		testkit.Require(t, "subscriptions of somebody who left", len(left), 0)
	})
}

func TestPushSubscriptionRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	good := browser(t, "https://web.push.apple.com/x")
	for name, tc := range map[string]struct {
		body   string
		fields []string
	}{
		"plain http":          {browser(t, "http://fcm.googleapis.com/x"), []string{"/endpoint"}},
		"another host":        {browser(t, "https://evil.example/x"), []string{"/endpoint"}},
		"a host that ends so": {browser(t, "https://evilnotify.windows.com/x"), []string{"/endpoint"}},
		"the suffix itself":   {browser(t, "https://notify.windows.com/x"), []string{"/endpoint"}},
		"a user":              {browser(t, "https://fcm.googleapis.com@evil.example/x"), []string{"/endpoint"}},
		"a port":              {browser(t, "https://fcm.googleapis.com:8443/x"), []string{"/endpoint"}},
		"no path":             {browser(t, "https://fcm.googleapis.com/"), []string{"/endpoint"}},
		"no point":            {strings.Replace(good, `"p256dh":"B`, `"p256dh":"C`, 1), []string{"/keys/p256dh"}},
		"short auth":          {good[:strings.Index(good, `"auth":"`)] + `"auth":"` + strings.Repeat("A", 24) + `"}}`, []string{"/keys/auth"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.call(member, http.MethodPut, w.mine()+"/push-subscriptions", tc.body)
			if fields := wrongFields(t, got); !slices.Equal(fields, tc.fields) {
				t.Errorf("wrong fields are %v, want %v: %s", fields, tc.fields, got.body)
			}
		})
	}
	for _, host := range []string{"web.push.apple.com", "wns2-by3p.notify.windows.com", "eu.push.services.mozilla.com"} {
		testkit.Equal(t, host, w.call(member, http.MethodPut, w.mine()+"/push-subscriptions", browser(t, "https://"+host+"/x")).status, http.StatusOK)
	}
	w.into(&struct{}{}, w.call(member, http.MethodGet, w.mine()+"/push-subscriptions", ""))
	for range notify.MaxPushSubscriptions - 3 {
		testkit.Equal(t, "one more", w.call(member, http.MethodPut, w.mine()+"/push-subscriptions", browser(t, "https://web.push.apple.com/"+rand.Text())).status, http.StatusOK)
	}
	testkit.Equal(t, "too many", w.call(member, http.MethodPut, w.mine()+"/push-subscriptions", browser(t, "https://web.push.apple.com/"+rand.Text())).status, http.StatusConflict)
}
