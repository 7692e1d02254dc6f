package catalog

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
)

// EffortName is a reasoning effort with its name for people.
type EffortName struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// EffortDefault is the word for "the provider decides" in the interface; in
// memory and on the wire it is an effort that is not sent.
const EffortDefault = "default"

// Efforts lists the efforts (specification, section 2).
func Efforts() []EffortName {
	return []EffortName{
		{EffortDefault, "provider default"}, {string(llm.EffortNone), "none"}, {string(llm.EffortMinimal), "minimal"}, {string(llm.EffortLow), "low"},
		{string(llm.EffortMedium), "medium"}, {string(llm.EffortHigh), "high"}, {string(llm.EffortXHigh), "extra high"}, {string(llm.EffortMax), "maximum"},
	}
}

// takes is a line of the table: the efforts that models take, of a kind and
// preset. Empty fields match everything; the first line that matches decides.
type takes struct {
	kind, preset string
	model        *regexp.Regexp
	efforts      string // with spaces around each; "" for none of them
	what         string // who takes them, for people
}

// dated matches a model, alone or with the date of a version behind it.
func dated(names string) *regexp.Regexp {
	return regexp.MustCompile(`^(?:[a-z0-9-]+[./])*(?:` + names + `)(?:[-@]\d{4}-?\d{2}-?\d{2}(?:-v\d+(?::\d+)?)?)?$`)
}

// known lists what providers are known to take. What no line matches is not
// known, and is sent; a provider that refuses it says so in its answer. Azure
// has no line: the name of a deployment hides the model. Sources: models.dev,
// catwalk and the providers' pages and issues named at the lines.
func known() []takes {
	return []takes{
		// models.dev and catwalk.
		{OpenAI, "", dated(`gpt-5-mini`), " minimal low medium high ", "This model"},
		{OpenAI, "", dated(`gpt-5\.1`), " none low medium high ", "This model"},
		{OpenAI, "", dated(`gpt-5\.[45]`), " none low medium high xhigh ", "This model"},
		{OpenAI, "", dated(`gpt-5\.6(?:-[a-z]+)?`), " none low medium high xhigh max ", "This model"},
		{OpenAI, "", dated(`gpt-5-pro`), " high ", "This model"},
		{OpenAI, "", dated(`gpt-5\.4-pro`), " medium high xhigh ", "This model"},
		// https://github.com/anthropics/claude-code/issues/30010 and models.dev: token budgets only.
		{Anthropic, "", dated(`claude-haiku-4-5`), " none ", "This model"},
		// new-api relaykit v0.3.1, release note: thinking can't be switched off.
		{Anthropic, "", regexp.MustCompile(`^claude-(?:opus-5-5|fable|mythos)`), " low medium high xhigh max ", "This model"},
		{Anthropic, "", nil, " none low medium high xhigh max ", "Anthropic"}, // anthropic-sdk-go, OutputConfigEffort
		{Bedrock, "", regexp.MustCompile(`(?:^|\.)anthropic\.claude-haiku-4-5`), " none ", "This model"},
		{Bedrock, "", regexp.MustCompile(`(?:^|\.)anthropic\.`), " none low medium high xhigh max ", "Claude on Amazon Bedrock"}, // bedrockruntime, types.OutputConfig
		{Bedrock, "", nil, " low medium high xhigh max ", "Amazon Bedrock"},
		// https://docs.mistral.ai/inference/conversations/reasoning
		{Mistral, "", regexp.MustCompile(`^mistral-(?:small-4|medium-3[.-]5)`), " none high ", "This model"},
		{Mistral, "", nil, " none minimal low medium high xhigh ", "Mistral"},                            // openapi-public-doc.yaml
		{Compatible, "gemini", dated(`gemini-3\.[56]-flash`), " minimal low medium high ", "This model"}, // models.dev, catwalk
		{Compatible, "gemini", dated(`gemini-3\.7-flash`), " low medium high ", "This model"},
		{Compatible, "gemini", nil, " none minimal low medium high ", "Gemini"},                    // https://ai.google.dev/gemini-api/docs/openai
		{Compatible, "scaleway", regexp.MustCompile(`gpt-oss`), " low medium high ", "This model"}, // https://www.scaleway.com/en/docs/generative-apis/
		{Compatible, "groq", regexp.MustCompile(`gpt-oss`), " low medium high ", "This model"},     // https://console.groq.com/docs/reasoning
		{Compatible, "groq", regexp.MustCompile(`qwen3`), " none ", "This model"},
		{Compatible, "ollama", nil, " none low medium high max ", "Ollama"}, // observed on Ollama 0.17.4; max: models.dev
		{Compatible, "lmstudio", nil, "", "LM Studio"},                      // https://lmstudio.ai/docs: no such parameter of chat completions
	}
}

// RefusesEffort says what would be right where a provider is known to refuse
// the effort for the model; "" where it takes it, or nobody knows.
func (k Key) RefusesEffort(model string, e llm.Effort) string {
	if e == llm.EffortDefault {
		return ""
	}
	for _, l := range known() {
		if l.kind != k.Kind || l.preset != "" && l.preset != k.Preset || l.model != nil && !l.model.MatchString(model) {
			continue
		}
		if strings.Contains(l.efforts, " "+string(e)+" ") {
			return ""
		}
		words := append([]string{EffortDefault}, strings.Fields(l.efforts)...)
		return fmt.Sprintf("must be one that is taken. %s takes %s", l.what, strings.Join(words, ", "))
	}
	return ""
}

// vector is a model whose sizes of vectors are known.
type vector struct {
	kind  string
	model string // exact
	most  int    // the largest size
	only  int    // of the sizes of the interface, the only one; 0 for any up to most
}

// vectors lists models with few sizes. Sources: OpenAI REST description
// (dimensions: text-embedding-3 and later) and
// https://platform.openai.com/docs/guides/embeddings;
// https://docs.mistral.ai/capabilities/embeddings/text_embeddings;
// https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html
// (256, 512 or 1024).
func vectors() []vector {
	return []vector{
		{kind: OpenAI, model: "text-embedding-ada-002", only: 1536},
		{kind: OpenAI, model: "text-embedding-3-small", most: 1536},
		{kind: OpenAI, model: "text-embedding-3-large", most: 3072},
		{kind: Mistral, model: "mistral-embed", only: 1024},
		{kind: Bedrock, model: "amazon.titan-embed-text-v2:0", only: 1024},
	}
}

// RefusesVectors says what would be right where a model is known not to make
// vectors of the size; "" where it does, or nobody knows.
func (k Key) RefusesVectors(model string, size int) string {
	for _, v := range vectors() {
		switch {
		case v.kind != k.Kind || v.model != model:
		case v.only != 0 && size != v.only:
			return fmt.Sprintf("must be %d for this model", v.only)
		case v.most != 0 && size > v.most:
			return fmt.Sprintf("must be at most %d for this model", v.most)
		}
	}
	return ""
}
