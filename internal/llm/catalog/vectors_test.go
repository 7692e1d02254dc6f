package catalog_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestVectorsThatAreRefused(t *testing.T) {
	t.Parallel()
	openai, mistral, bedrock := catalog.Key{Kind: catalog.OpenAI}, catalog.Key{Kind: catalog.Mistral}, catalog.Key{Kind: catalog.Bedrock, Region: "eu-west-1"}
	moved := preset(t, "gemini")
	moved.BaseURL = "https://gateway.example.com/v1"
	for name, tc := range map[string]struct {
		key   catalog.Key
		model string
		field map[int]string // by size; other sizes are accepted
	}{
		"small":             {openai, "text-embedding-3-small", map[int]string{3072: "vectorSize"}},
		"large":             {openai, "text-embedding-3-large", nil},
		"ada":               {openai, "text-embedding-ada-002", map[int]string{384: "vectorSize", 768: "vectorSize", 1024: "vectorSize", 3072: "vectorSize"}},
		"Mistral":           {mistral, "mistral-embed", map[int]string{384: "vectorSize", 768: "vectorSize", 1536: "vectorSize", 3072: "vectorSize"}},
		"Mistral, dated":    {mistral, "mistral-embed-2312", map[int]string{384: "vectorSize", 768: "vectorSize", 1536: "vectorSize", 3072: "vectorSize"}},
		"Mistral, unknown":  {mistral, "codestral-embed", nil},
		"Mistral, in words": {mistral, "mistral-large-latest", everySize("model")},
		"Titan":             {bedrock, "amazon.titan-embed-text-v2:0", map[int]string{384: "vectorSize", 768: "vectorSize", 1536: "vectorSize", 3072: "vectorSize"}},
		"Titan, older":      {bedrock, "amazon.titan-embed-text-v1", everySize("model")},
		"Cohere on Bedrock": {bedrock, "cohere.embed-multilingual-v3", everySize("model")},
		"Claude on Bedrock": {bedrock, "eu.anthropic.claude-sonnet-5", everySize("model")},
		"a deployment":      {catalog.Key{Kind: catalog.Azure}, "gpt-5.4", nil},
		"in words":          {openai, "gpt-5.4", everySize("model")},
		"unknown":           {openai, "text-embedding-9", nil},
		"Gemini":            {preset(t, "gemini"), "models/gemini-embedding-001", nil},
		"Gemini, in words":  {preset(t, "gemini"), "models/gemini-2.5-flash", everySize("model")},
		"Gemini elsewhere":  {moved, "gemini-2.5-flash", nil},
		"Scaleway":          {preset(t, "scaleway"), "bge-multilingual-gemma2", nil},
		"STACKIT":           {preset(t, "stackit"), "intfloat/e5-mistral-7b-instruct", nil},
		"a custom server":   {preset(t, "ollama"), "gpt-oss", nil},
	} {
		for _, size := range catalog.VectorSizes() {
			got := tc.key.RefusesVectors(tc.model, size)
			testkit.Equal(t, name, got.Field, tc.field[size])
			testkit.Equal(t, name+": says why", got.Why != "", got.Field != "")
		}
	}
}

func everySize(field string) map[int]string {
	out := map[int]string{}
	for _, size := range catalog.VectorSizes() {
		out[size] = field
	}
	return out
}
