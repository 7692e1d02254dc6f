package catalog_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/llm/modelsdev"
	"github.com/assay-dev/assay/internal/testkit"
)

func preset(t *testing.T, id string) catalog.Key {
	t.Helper()
	p, ok := catalog.PresetOf(id)
	if !ok {
		t.Fatalf("there is no preset %s", id)
	}
	return catalog.Key{Kind: catalog.Compatible, Preset: id, BaseURL: p.BaseURL}
}

// taken returns the efforts of the interface that are not refused.
func taken(k catalog.Key, model string, told llm.Efforts) string {
	var out []string
	for _, e := range catalog.Efforts()[1:] {
		if k.RefusesEffort(model, llm.Effort(e.ID), told) == "" {
			out = append(out, e.ID)
		}
	}
	return strings.Join(out, " ")
}

const every = "none minimal low medium high xhigh max"

func TestEffortsThatAreTaken(t *testing.T) {
	t.Parallel()
	openai, claude, mistral := catalog.Key{Kind: catalog.OpenAI}, catalog.Key{Kind: catalog.Anthropic}, catalog.Key{Kind: catalog.Mistral}
	bedrock := catalog.Key{Kind: catalog.Bedrock, Region: "eu-west-1"}
	moved := preset(t, "groq")
	moved.BaseURL = "https://proxy.example.com/v1"
	for name, tc := range map[string]struct {
		key   catalog.Key
		model string
		told  llm.Efforts
		want  string
	}{
		"from the data":                    {openai, "gpt-5-mini", nil, "minimal low medium high"},
		"from the data, gpt-5":             {openai, "gpt-5", nil, "minimal low medium high"},
		"with a date":                      {openai, "gpt-5-mini-2025-08-07", nil, "minimal low medium high"},
		"one only":                         {openai, "gpt-5-pro", nil, "high"},
		"newer than the data":              {openai, "gpt-5.6-luna", nil, "none low medium high xhigh max"},
		"unknown":                          {openai, "gpt-9", nil, every},
		"no reasoning in the data":         {openai, "gpt-4.1", nil, every},
		"another model from time to time":  {openai, "gpt-5.3-chat-latest", nil, every},
		"a deployment":                     {catalog.Key{Kind: catalog.Azure, Resource: "aa"}, "gpt-5-pro", nil, every},
		"Claude":                           {claude, "claude-opus-4-6", nil, "none low medium high max"},
		"Claude with budgets only":         {claude, "claude-haiku-4-5", nil, "none"},
		"Claude with budgets, dated":       {claude, "claude-sonnet-4-5-20250929", nil, "none"},
		"Claude with budgets and effort":   {claude, "claude-opus-4-5", nil, "none low medium high"},
		"Claude that always thinks":        {claude, "claude-fable-5", nil, "low medium high xhigh max"},
		"unknown Claude":                   {claude, "claude-nova-9", nil, "none low medium high xhigh max"},
		"listed, more than the data":       {claude, "claude-haiku-4-5", llm.Efforts{llm.EffortLow: true, llm.EffortNone: false}, "low"},
		"listed, less than the data":       {claude, "claude-opus-4-6", llm.Efforts{llm.EffortMax: false}, "none low medium high"},
		"not listed":                       {claude, "claude-opus-4-6", llm.Efforts{}, "none low medium high max"},
		"Bedrock in a region":              {bedrock, "eu.anthropic.claude-opus-4-6-v1", nil, "none low medium high max"},
		"Bedrock in a region without data": {bedrock, "apac.anthropic.claude-opus-4-6-v1", nil, "none low medium high max"},
		"Bedrock with budgets only":        {bedrock, "eu.anthropic.claude-haiku-4-5-20251001-v1:0", nil, "none"},
		"Bedrock, another maker":           {bedrock, "amazon.nova-2-lite-v1:0", nil, "low medium high"},
		"Bedrock, without data":            {bedrock, "amazon.nova-9", nil, "low medium high xhigh max"},
		"Mistral":                          {mistral, "mistral-small-2603", nil, "none high"},
		"Mistral, moving":                  {mistral, "mistral-small-latest", nil, "none minimal low medium high xhigh"},
		"Mistral, without data":            {mistral, "mistral-large-4-0", nil, "none minimal low medium high xhigh"},
		"Gemini":                           {preset(t, "gemini"), "gemini-3.5-flash", nil, "minimal low medium high"},
		"Gemini, as it lists":              {preset(t, "gemini"), "models/gemini-3.5-flash", nil, "minimal low medium high"},
		"Gemini, a budget":                 {preset(t, "gemini"), "gemini-2.5-flash", nil, "none minimal low medium high"},
		"Groq":                             {preset(t, "groq"), "openai/gpt-oss-120b", nil, "low medium high"},
		"Groq at another address":          {moved, "openai/gpt-oss-120b", nil, every},
		"Groq, none or its default":        {preset(t, "groq"), "qwen/qwen3-32b", nil, "none"},
		"Scaleway":                         {preset(t, "scaleway"), "gpt-oss-120b", nil, "low medium high"},
		"OVHcloud, on and off":             {preset(t, "together"), "zai-org/GLM-5", nil, every},
		"a router":                         {preset(t, "openrouter"), "openai/gpt-5-pro", nil, every},
		"own service":                      {preset(t, "vllm"), "openai/gpt-oss-120b", nil, every},
		"Ollama":                           {preset(t, "ollama"), "gpt-oss", nil, "none low medium high max"},
		"LM Studio":                        {preset(t, "lmstudio"), "gpt-oss", nil, ""},
	} {
		if got := taken(tc.key, tc.model, tc.told); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
	testkit.Equal(t, "default is always accepted", preset(t, "lmstudio").RefusesEffort("m", llm.EffortDefault, nil), "")
	testkit.Equal(t, "the words", openai.RefusesEffort("gpt-5-pro", llm.EffortLow, nil), "must be one that is taken. This model takes default, high")
}

// For every model with a list of efforts in the data, exactly the listed ones are accepted.
func TestEffortsFollowTheData(t *testing.T) {
	t.Parallel()
	data, err := modelsdev.Load()
	testkit.OK(t, err)
	seen := 0
	for _, key := range []catalog.Key{{Kind: catalog.OpenAI}, {Kind: catalog.Mistral}, preset(t, "scaleway"), preset(t, "ovhcloud"), preset(t, "stackit"), preset(t, "groq"), preset(t, "together"), preset(t, "gemini")} {
		for id, m := range data.Providers[key.ModelsDev()] {
			if len(m.Efforts) == 0 || strings.HasSuffix(id, "-latest") {
				continue
			}
			seen++
			for _, e := range catalog.Efforts()[1:] {
				want := slices.Contains(m.Efforts, e.ID) || e.ID == "none" && m.Toggle
				if got := key.RefusesEffort(id, llm.Effort(e.ID), nil) == ""; got != want {
					t.Errorf("%s %s: the effort %s is accepted %v, want %v", key.ModelsDev(), id, e.ID, got, want)
				}
			}
		}
	}
	if seen < 50 {
		t.Errorf("only %d models have efforts", seen)
	}
}
