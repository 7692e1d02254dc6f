package webhook_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/webhook"
)

// A delivery with a secret that is newer than the cache makes the receiver read the secrets again, once in
// each interval. The former secret stays valid.
func TestNewSecretsAreReadAgain(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		g := newGateway(t, s)
		now := time.Now()
		former := g.rotate()
		g.connections.SetClock(func() time.Time { return now })
		g.keepOpen = true
		send := func(what, query, key string, want int) {
			t.Helper()
			got := g.send("host-f", g.row.ID+query, domain.NewID("guid"), bare(key, opened), strings.NewReader(opened))
			testkit.Equal(t, what, got.Code, want)
		}
		send("the first secret", "", former, http.StatusAccepted)
		newest := g.rotate()
		send("the new secret in the interval of the last read", "", newest, http.StatusUnauthorized)
		now = now.Add(codehost.SecretReadInterval)
		send("the new secret after the interval", "", newest, http.StatusAccepted)
		send("the former secret", "", former, http.StatusAccepted)
		third := g.rotate()
		now = now.Add(codehost.SecretReadInterval)
		send("a wrong secret", "", "wrong", http.StatusUnauthorized) // it takes the read of the interval
		now = now.Add(codehost.SecretReadInterval / 2)
		send("a secret that the read of the wrong one found", "", third, http.StatusAccepted)
		fourth := codehost.HookSecret(secret.New(g.rotate()), "5").Reveal()
		send("the secret of a repository in the interval", "?repository=5", fourth, http.StatusUnauthorized)
		now = now.Add(codehost.SecretReadInterval)
		send("the secret of a repository after the interval", "?repository=5", fourth, http.StatusAccepted)
	})
}

// The next secret of an app is accepted as soon as the interval of reads is over.
func TestTheNextSecretOfAnAppIsReadAgain(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		now := time.Now()
		v := serve(t, s, func(c *webhook.Config) { c.Apps.SetClock(func() time.Time { return now }) })
		testkit.Equal(t, "the first secret", v.send(v.key, "guid-1", good).status, http.StatusAccepted)
		next := v.app
		next.NextWebhookSecret = v.seal(v.app.ID, "next_webhook_secret", "the next secret")
		_, err := s.UpdateApp(bg, next, store.AppSecrets{NextWebhook: true})
		testkit.OK(t, err)
		testkit.Equal(t, "in the interval", v.send("the next secret", "guid-2", good).status, http.StatusUnauthorized)
		now = now.Add(codehost.SecretReadInterval)
		testkit.Equal(t, "after it", v.send("the next secret", "guid-2", good).status, http.StatusAccepted)
		testkit.Equal(t, "the first one", v.send(v.key, "guid-3", good).status, http.StatusAccepted)
	})
}
