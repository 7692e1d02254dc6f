package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A pause that a provider has asked for ends early only where calls go elsewhere
// afterwards, or with another key.
func TestEditsThatEndThePauseOfAKey(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		openai := w.credential(`{"name":"openai","kind":"openai","apiKey":"k"}`)
		own := w.credential(`{"name":"own","kind":"compatible","baseUrl":"https://models.example.com/v1"}`)
		mistral := w.credential(`{"name":"mistral","kind":"mistral","apiKey":"k"}`)
		bedrock := w.credential(`{"name":"bedrock","kind":"bedrock","apiKey":"k","region":"eu-west-1"}`)
		for _, tc := range []struct {
			id, body string
			lifts    bool
		}{
			{openai.ID, `{"name":"renamed"}`, false},
			{openai.ID, `{"maxConcurrency":3}`, false},
			{openai.ID, `{}`, false},
			{mistral.ID, `{"dataRegion":"eu"}`, false}, // only declared; calls go where they went
			{own.ID, `{"preset":"litellm","baseUrl":"https://models.example.com/v1/"}`, false},
			{bedrock.ID, `{"region":"eu-west-1"}`, false},
			{openai.ID, `{"apiKey":"another"}`, true},
			{openai.ID, `{"dataRegion":"eu","apiKey":"k"}`, true},
			{own.ID, `{"baseUrl":"https://other.example.com/v1"}`, true},
			{own.ID, `{"apiKey":"k"}`, true},
			{own.ID, `{"apiKey":null}`, true},
			{bedrock.ID, `{"region":"eu-west-3","apiKey":"k"}`, true},
		} {
			must(t, s.BlockCredential(bg, w.Tenant, tc.id, time.Hour))
			got := w.call(admin, http.MethodPatch, w.tenantPath()+"/llm-credentials/"+tc.id, tc.body)
			testkit.Equal(t, tc.body+": "+got.body, got.status, http.StatusOK)
			wait, err := s.CredentialBlock(bg, w.Tenant, tc.id)
			must(t, err)
			testkit.Equal(t, "the pause is over after "+tc.body, wait == 0, tc.lifts)
		}
	})
}
