package tenant_test

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A pause that a provider asked for ends early only if later calls go to another place or use another
// key.
func TestEditsThatEndThePauseOfAKey(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		openai := w.Credential(`{"name":"openai","kind":"openai","apiKey":"k"}`)
		own := w.Credential(`{"name":"own","kind":"compatible","baseUrl":"https://models.example.com/v1"}`)
		mistral := w.Credential(`{"name":"mistral","kind":"mistral","apiKey":"k"}`)
		bedrock := w.Credential(`{"name":"bedrock","kind":"bedrock","apiKey":"k","region":"eu-west-1"}`)
		for _, tc := range []struct {
			id, body string
			lifts    bool
		}{
			{openai.ID, `{"name":"renamed"}`, false},
			{openai.ID, `{"maxConcurrency":3}`, false},
			{openai.ID, `{}`, false},
			{mistral.ID, `{"dataRegion":"eu"}`, false}, // only declared; calls go to the same place
			{own.ID, `{"preset":"litellm","baseUrl":"https://models.example.com/v1/"}`, false},
			{bedrock.ID, `{"region":"eu-west-1"}`, false},
			{openai.ID, `{"apiKey":"another"}`, true},
			{openai.ID, `{"dataRegion":"eu","apiKey":"k"}`, true},
			{own.ID, `{"baseUrl":"https://other.example.com/v1"}`, true},
			{own.ID, `{"apiKey":"k"}`, true},
			{own.ID, `{"apiKey":null}`, true},
			{bedrock.ID, `{"region":"eu-west-3","apiKey":"k"}`, true},
		} {
			t.Run(tc.body, func(t *testing.T) {
				testkit.OK(t, s.BlockCredential(bg, w.Tenant, tc.id, time.Hour))
				_, err := change(t, w, tc.id, tc.body)
				testkit.OK(t, err)
				wait, err := s.CredentialBlock(bg, w.Tenant, tc.id)
				testkit.OK(t, err)
				testkit.Equal(t, "the pause is over", wait == 0, tc.lifts)
			})
		}
	})
}
