package catalog

import "testing"

func TestWindow(t *testing.T) {
	t.Parallel()
	preset, _ := PresetOf("openrouter")
	for name, c := range map[string]struct {
		key   Key
		model string
		want  int64
	}{
		"by its id":                      {Key{Kind: OpenAI}, "gpt-4", 8192},
		"with a date":                    {Key{Kind: Anthropic}, "claude-opus-4-5-20251101", 200_000},
		"an area of Bedrock":             {Key{Kind: Bedrock}, "eu.anthropic.claude-haiku-4-5-20251001-v1:0", 200_000},
		"newer than the data":            {Key{Kind: OpenAI}, "gpt-5.6", 128_000},
		"newer, of another series":       {Key{Kind: Anthropic}, "claude-opus-5-5", 200_000},
		"model of a router":              {Key{Kind: Compatible, Preset: preset.ID, BaseURL: preset.BaseURL}, "openai/gpt-4", 8191},
		"a deployment":                   {Key{Kind: Azure}, "reviews", 0},
		"unlike all others":              {Key{Kind: OpenAI}, "o99", 0},
		"a custom service":               {Key{Kind: Compatible, BaseURL: "http://llama.example/v1"}, "gpt-4", 0},
		"Ollama, whose operator decides": {Key{Kind: Compatible, Preset: "ollama", BaseURL: "http://localhost:11434/v1"}, "llama3", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.key.Window(c.model); got != c.want {
				t.Errorf("%d tokens, want %d", got, c.want)
			}
		})
	}
}
