package webhook_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/webhook"
)

// A tracker connection accepts signatures by either of its two secrets, and recognises a repeated
// delivery by the tracker's id, or without one by its body.
func TestTrackerDeliveries(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		g := newGateway(t, s)
		row, err := s.CreateTrackerConnection(bg, g.world.Tenant, store.TrackerConnection{ID: domain.NewID("tcn"), Kind: "azure-boards", Name: "Boards", AuthKind: "token", Token: []byte("sealed"), Projects: "[]", Mapping: "{}", Enabled: true})
		testkit.OK(t, err)
		w := wire()
		w.Read = func(h http.Header) (webhook.Headers, error) {
			return webhook.Headers{Delivery: h.Get("X-Delivery"), Proof: len(h.Get("X-Signature")) == 64}, nil
		}
		w.Event = func(_ http.Header, body []byte) string {
			var in struct{ Type string }
			_ = json.Unmarshal(body, &in)
			return in.Type
		}
		rotate := func(overlap time.Duration) string {
			id, key := domain.NewID("whs"), secret.NewToken(secret.Webhook)
			sealed, err := g.ring.SealSecret(bg, secret.Scope{Tenant: g.world.Tenant.ID, Table: "webhook_secrets", Row: id, Column: "sealed"}, key)
			testkit.OK(t, err)
			testkit.OK(t, s.InTx(bg, func(ctx context.Context) error {
				_, _, err := s.RotateTrackerSecret(ctx, g.world.Tenant, row.ID, id, sealed, overlap)
				return err
			}))
			return key.Reveal()
		}
		open := func() {
			g.mux = http.NewServeMux()
			g.mux.Handle("POST /webhooks/tracker-c/{connectionId}", webhook.NewConnection(webhook.ConnectionConfig{Store: s, Connections: webhook.NewConnections(s, g.ring), Kind: domain.AzureBoards, Wire: w,
				MaxBody: 1 << 20, Budget: 10 * time.Second, Logger: slog.New(slog.DiscardHandler)}))
		}
		send := func(what, id, guid, signature, body string, status int, duplicate bool) {
			t.Helper()
			r := httptest.NewRequest(http.MethodPost, "/webhooks/tracker-c/"+id, strings.NewReader(body))
			r.Header.Set("X-Delivery", guid)
			r.Header.Set("X-Signature", signature)
			rec := httptest.NewRecorder()
			g.mux.ServeHTTP(rec, r)
			testkit.Equal(t, what, rec.Code, status)
			if got := strings.Contains(rec.Body.String(), `"duplicate":true`); got != duplicate {
				t.Errorf("%s: duplicate %v", what, got)
			}
		}
		first := rotate(time.Hour)
		second := rotate(time.Hour)
		open()
		body := `{"type":"workitem.updated","n":1}`
		send("the newest secret", row.ID, "", bare(second, body), body, http.StatusAccepted, false)
		send("the same body without an id", row.ID, "", bare(second, body), body, http.StatusAccepted, true)
		send("the secret before", row.ID, "d1", bare(first, body), body, http.StatusAccepted, false)
		send("the same id", row.ID, "d1", bare(second, `{"n":2}`), `{"n":2}`, http.StatusAccepted, true)
		send("a wrong secret", row.ID, "d2", bare("wrong", body), body, http.StatusUnauthorized, false)
		send("no proof", row.ID, "d2", "", body, http.StatusUnauthorized, false)
		send("no such connection", "tcn_nobody", "d2", bare(second, body), body, http.StatusUnauthorized, false)
		send("a connection to a code host", g.row.ID, "d2", bare(second, body), body, http.StatusUnauthorized, false)
		third := rotate(-time.Second)
		open()
		send("a secret that has ended", row.ID, "d3", bare(first, body), body, http.StatusUnauthorized, false)
		send("the one before, without overlap", row.ID, "d3", bare(second, body), body, http.StatusUnauthorized, false)
		send("the third", row.ID, "d3", bare(third, body), body, http.StatusAccepted, false)
		rows, err := s.Deliveries(bg, store.DeliveryFilter{Source: row.ID, Limit: 10})
		testkit.OK(t, err)
		testkit.Equal(t, "stored", len(rows), 3)
		for _, d := range rows {
			if d.Kind != "azure-boards" || d.Tenant != g.world.Tenant.ID || d.Event != "workitem.updated" {
				t.Errorf("stored is %+v", d)
			}
		}
		row.Enabled, row.Version = false, row.Version+3
		_, err = s.UpdateTrackerConnection(bg, g.world.Tenant, row)
		testkit.OK(t, err)
		open()
		send("switched off", row.ID, "d4", bare(third, body), body, http.StatusUnauthorized, false)
	})
}
