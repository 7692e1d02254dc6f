package bedrock_test

import (
	"net/http"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/bedrock"
	"github.com/assay-dev/assay/internal/llm/llmtest"
	"github.com/assay-dev/assay/internal/llm/llmtest/simtest"
)

func open(t *testing.T, base string, client *http.Client) *bedrock.Client {
	t.Helper()
	c, err := bedrock.New(bedrock.Config{RuntimeURL: base, ControlURL: base + "/", APIKey: simtest.Key(), HTTP: client})
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
	}, map[llmtest.Trait]string{llmtest.ReasoningTokens: "usage has no member for them"})
}
