package notify

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// The message about a token that expires soon says so, and not that the connection does not work.
func TestWordsOfATokenThatEnds(t *testing.T) {
	t.Parallel()
	ends := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	body, err := json.Marshal(domain.ConnectionError{ConnectionKind: domain.ConnectionProvider, ConnectionID: "pcn_1", Name: "Acme", Message: domain.TokenEnds(ends), TokenEndsAt: &ends})
	testkit.OK(t, err)
	m, err := New(Config{}).eventMessage(domain.Tenant{ID: "ten_1"}, store.Event{ID: "evt_1", Kind: domain.EventConnectionError, Body: string(body)}, eventPlace{}, eventContext{})
	testkit.OK(t, err)
	testkit.Equal(t, "title", m.Title, "The token of the connection to a code host Acme ends soon")
	testkit.Equal(t, "text", m.Text, "The token ends on 2026-11-30 00:00 UTC. Make a new one at the host and enter it before: nothing is reviewed afterwards.")
	data, err := json.Marshal(m.Data)
	testkit.OK(t, err)
	if !strings.Contains(string(data), `"tokenEndsAt":"2026-11-30T00:00:00Z"`) {
		t.Errorf("receivers get %s", data)
	}
}
