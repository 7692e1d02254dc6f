package httpapi_test

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"testing"

	"github.com/assay-dev/assay/internal/assign"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// browser returns a push subscription with new keys.
func browser(t *testing.T, endpoint string) string {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	must(t, err)
	return `{"endpoint":"` + endpoint + `","keys":{"p256dh":"` + base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()) + `","auth":"` + base64.RawURLEncoding.EncodeToString([]byte(rand.Text())[:16]) + `"}}`
}

// Decisions of an instance admin apply to every tenant at once: the legal sign-off, and the push services.
func TestInstanceDecisionsReachTenants(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	signedOff := func() bool {
		var v assign.AssignmentTransparency
		w.into(&v, w.call(member, http.MethodGet, w.tenantPath()+"/assignment/transparency", ""))
		return v.SignOff.SignedOff
	}
	testkit.Equal(t, "at first", signedOff(), false)
	const path = "/api/instance/assignment/legal-sign-off"
	testkit.Equal(t, "recorded", w.call(instanceAdmin, http.MethodPut, path, `{"signedOff":true,"documentReference":"Agreement 3","dataUses":["reviewer suggestions"]}`).status, http.StatusOK)
	testkit.Equal(t, "then", signedOff(), true)
	testkit.Equal(t, "withdrawn", w.call(instanceAdmin, http.MethodPut, path, `{"signedOff":false}`).status, http.StatusOK)
	testkit.Equal(t, "afterwards", signedOff(), false)

	subscribe := func() int {
		return w.call(member, http.MethodPut, w.mine()+"/push-subscriptions", browser(t, "https://push.example.net/send/1")).status
	}
	testkit.Equal(t, "an unknown push service", subscribe(), http.StatusUnprocessableEntity)
	testkit.Equal(t, "named", w.call(instanceAdmin, http.MethodPut, "/api/instance/settings", `{"pushServiceHosts":["push.example.net"]}`).status, http.StatusOK)
	testkit.Equal(t, "a named push service", subscribe(), http.StatusOK)
}
