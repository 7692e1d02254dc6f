package catalog

import "testing"

func TestVendor(t *testing.T) {
	own := Key{Kind: Compatible, BaseURL: "http://models.internal:8000/v1"}
	for _, tc := range []struct {
		key         Key
		model, want string
	}{
		{Key{Kind: OpenAI}, "gpt-5.4", "OpenAI"},
		{Key{Kind: Azure}, "our-deployment", "OpenAI"},
		{Key{Kind: Anthropic}, "claude-opus-4-6", "Anthropic"},
		{Key{Kind: Mistral}, "devstral-medium", "Mistral"},
		{Key{Kind: Bedrock}, "eu.anthropic.claude-sonnet-4-6-v1:0", "Anthropic"},
		{Key{Kind: Bedrock}, "amazon.nova-pro-v1:0", "Amazon"},
		{Key{Kind: Bedrock}, "us.meta.llama4-maverick-17b-instruct-v1:0", "Meta"},
		{Key{Kind: Compatible, Preset: "openrouter"}, "openai/gpt-5.4", "OpenAI"},
		{Key{Kind: Compatible, Preset: "openrouter"}, "google/gemini-3-pro", "Google"},
		{Key{Kind: Compatible, Preset: "gemini"}, "models/learnlm-2", "Google"},
		{own, "qwen3-coder:30b", "Alibaba"},
		{own, "Qwen/Qwen3-Coder-480B", "Alibaba"},
		{own, "openai/gpt-oss-120b", "OpenAI"},
		{own, "o3-mini", "OpenAI"},
		{own, "deepseek-r1-distill-llama-70b", "DeepSeek"},
		{own, "llama3.1:8b", "Meta"},
		{own, "gemma3:27b", "Google"},
		{own, "grok-code-fast-1", "xAI"},
		{own, "phi4:14b", "Microsoft"},
		{own, "phi3", "Microsoft"},
		{own, "microsoft/Phi-4-mini", "Microsoft"},
		{own, "gpt4o", "OpenAI"},
		{own, "gpt35", "OpenAI"},
		{own, "chatgpt-4o-latest", "OpenAI"},
		{Key{Kind: Compatible, Preset: "openrouter"}, "openai/o4-mini", "OpenAI"},
		{own, "openrouter/o1", "OpenAI"},
		{own, "marco-o1", ""},
		{own, "skywork-o1", ""},
		{own, "philosopher-7b", ""},
		{own, "our_own_model", ""},
		{own, "metamodel-foo3", ""},
		{own, "", ""},
	} {
		if got := tc.key.Vendor(tc.model); got != tc.want {
			t.Errorf("%s %q: %q, want %q", tc.key.Kind, tc.model, got, tc.want)
		}
	}
}

func TestSameVendor(t *testing.T) {
	own, other := Key{Kind: Compatible, BaseURL: "http://a/v1"}, Key{Kind: Compatible, BaseURL: "http://b/v1"}
	for _, tc := range []struct {
		a      Key
		modelA string
		b      Key
		modelB string
		want   bool
	}{
		{Key{Kind: OpenAI}, "gpt-5.4", Key{Kind: Azure}, "deployment", true},
		{Key{Kind: OpenAI}, "gpt-5.4", Key{Kind: Anthropic}, "claude-opus-4-6", false},
		{Key{Kind: Anthropic}, "claude-opus-4-6", Key{Kind: Bedrock}, "anthropic.claude-sonnet-4-6", true},
		{own, "ours", own, "ours", true},
		{own, "ours", own, "theirs", false},
		{own, "ours", other, "ours", false},
		{own, "ours", Key{Kind: OpenAI}, "gpt-5.4", false},
	} {
		if got := SameVendor(tc.a, tc.modelA, tc.b, tc.modelB); got != tc.want {
			t.Errorf("%s %q and %s %q: %v", tc.a.Kind, tc.modelA, tc.b.Kind, tc.modelB, got)
		}
	}
}
