package responses_test

import (
	"net/http"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/llmtest"
	"github.com/assay-dev/assay/internal/llm/llmtest/simtest"
	"github.com/assay-dev/assay/internal/llm/responses"
)

// open returns a client of a simulated model, or of one with Azure's interface.
func open(t *testing.T, base string, client *http.Client, azure bool) *responses.Client {
	t.Helper()
	cfg := responses.Config{BaseURL: base + "/v1", APIKey: simtest.Key(), HTTP: client, Azure: azure}
	if azure {
		cfg.BaseURL = base + "/openai/v1/"
	}
	c, err := responses.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for name, without := range map[string]map[llmtest.Trait]string{
		"openai": nil,
		"azure":  {llmtest.ModelList: "the list has the models of the region, not the deployments"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			simtest.Run(t, func(t *testing.T, base string, client *http.Client) llm.Client {
				t.Helper()
				return open(t, base, client, name == "azure")
			}, without)
		})
	}
}
