package catalog_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/testkit"
)

// With the embedded data, the suggestions contain the models that a person with a new key would look for, and
// no useless ones.
func TestSuggestions(t *testing.T) {
	t.Parallel()
	bedrock := func(region string) catalog.Key { return catalog.Key{Kind: catalog.Bedrock, Region: region} }
	for name, tc := range map[string]struct {
		key   catalog.Key
		first string // the newest
		has   []string
		not   []string // parts of ids
	}{
		"OpenAI": {catalog.Key{Kind: catalog.OpenAI}, "gpt-5.5", []string{"gpt-5.4", "gpt-5.4-mini", "gpt-5.4-nano", "gpt-5-mini", "text-embedding-3-large", "text-embedding-3-small"},
			[]string{"gpt-4o", "gpt-3.5", "image", "chat", "deep-research"}},
		"Anthropic": {catalog.Key{Kind: catalog.Anthropic}, "claude-sonnet-5", []string{"claude-opus-4-8", "claude-haiku-4-5", "claude-sonnet-4-6"}, []string{"claude-3", "2024", "embed", "claude-haiku-4-5-2025"}},
		"Mistral":   {catalog.Key{Kind: catalog.Mistral}, "codestral-latest", []string{"mistral-large-latest", "mistral-medium-2604", "mistral-small-2603", "mistral-embed"}, []string{"2411", "voxtral"}},
		"Azure":     {catalog.Key{Kind: catalog.Azure, Resource: "aa"}, "gpt-5.5", []string{"gpt-5.4-mini", "text-embedding-3-large"}, []string{"gpt-4o"}},
		"Bedrock in Frankfurt": {bedrock("eu-central-1"), "eu.anthropic.claude-sonnet-5", []string{"eu.anthropic.claude-haiku-4-5-20251001-v1:0", "eu.anthropic.claude-opus-4-8", "amazon.nova-2-lite-v1:0", "amazon.titan-embed-text-v2:0"},
			[]string{"us.anthropic", "global.", "jp.", "au.", "safeguard", "voxtral"}},
		"Bedrock in Oregon": {bedrock("us-west-2"), "us.anthropic.claude-sonnet-5", []string{"us.anthropic.claude-opus-4-8", "amazon.titan-embed-text-v2:0"}, []string{"eu.", "global."}},
		"Bedrock in Tokyo":  {bedrock("ap-northeast-1"), "jp.anthropic.claude-sonnet-5", []string{"jp.anthropic.claude-opus-4-7"}, []string{"eu.", "us.anthropic"}},
		"Bedrock in Sydney": {bedrock("ap-southeast-2"), "au.anthropic.claude-sonnet-5", []string{"au.anthropic.claude-opus-4-8"}, []string{"eu.", "us.anthropic"}},
		"Bedrock in Mumbai": {bedrock("ap-south-1"), "global.anthropic.claude-sonnet-5", []string{"amazon.titan-embed-text-v2:0"}, []string{"eu.", "jp.", "au.", "us.anthropic"}},
		"Gemini":            {preset(t, "gemini"), "gemini-flash-latest", []string{"gemini-3.5-flash", "gemini-3.1-pro-preview", "gemini-embedding-001"}, []string{"image", "tts", "gemini-3.1-flash-lite-preview"}},
		"Scaleway":          {preset(t, "scaleway"), "devstral-2-123b-instruct-2512", []string{"gpt-oss-120b", "qwen3-embedding-8b", "bge-multilingual-gemma2"}, []string{"whisper", "voxtral"}},
		"OpenRouter":        {preset(t, "openrouter"), "anthropic/claude-sonnet-5", []string{"openai/gpt-5.5", "google/gemini-3.5-flash", "anthropic/claude-opus-4.8"}, []string{":free", "audio", "image", "gpt-4o"}},
	} {
		got, err := tc.key.Suggest(20)
		testkit.OK(t, err)
		if len(got) > 20 || len(got) == 0 || got[0] != tc.first {
			t.Errorf("%s: %d, the first is %v, want %s", name, len(got), got, tc.first)
		}
		for _, id := range tc.has {
			if !slices.Contains(got, id) {
				t.Errorf("%s: %s is missing in %v", name, id, got)
			}
		}
		for _, id := range got {
			for _, part := range tc.not {
				if strings.Contains(id, part) {
					t.Errorf("%s: %s is suggested", name, id)
				}
			}
		}
		for range 5 {
			again, err := tc.key.Suggest(20)
			testkit.OK(t, err)
			if !slices.Equal(got, again) {
				t.Fatalf("%s: another order: %v, %v", name, got, again)
			}
		}
	}
	for name, key := range map[string]catalog.Key{"own service": preset(t, "vllm"), "no data": preset(t, "ionos"), "another address": {Kind: catalog.Compatible, Preset: "groq", BaseURL: "https://proxy.example.com"}} {
		if got, err := key.Suggest(20); err != nil || len(got) != 0 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
