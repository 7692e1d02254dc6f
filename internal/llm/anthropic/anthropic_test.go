package anthropic_test

import (
	"net/http"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/anthropic"
	"github.com/assay-dev/assay/internal/llm/llmtest"
	"github.com/assay-dev/assay/internal/llm/llmtest/simtest"
	"github.com/assay-dev/assay/sim/model"
)

func open(t *testing.T, base string, client *http.Client) *anthropic.Client {
	t.Helper()
	c, err := anthropic.New(anthropic.Config{BaseURL: base, APIKey: simtest.Key(), HTTP: client})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestConformance(t *testing.T) {
	t.Parallel()
	simtest.Run(t, func(t *testing.T, base string, client *http.Client) llm.Client {
		t.Helper()
		return open(t, base, client)
	}, map[llmtest.Trait]string{llmtest.Vectors: "the provider has no embeddings"})
}

func simOptions() model.Options { return model.Options{APIKey: llmtest.Key()} }
