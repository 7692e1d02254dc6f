package catalog

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/modelsdev"
	"github.com/assay-dev/assay/internal/regexp"
)

// EffortName is a reasoning effort with its name for people.
type EffortName struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// EffortDefault is the interface's word for "the provider decides". In memory and on the wire it is an effort
// that is not sent.
const EffortDefault = "default"

// Efforts lists the provider's default first, then the efforts in rising order.
func Efforts() []EffortName {
	return []EffortName{
		{EffortDefault, "provider default"}, {string(llm.EffortNone), "none"}, {string(llm.EffortMinimal), "minimal"},
		{string(llm.EffortLow), "low"},
		{string(llm.EffortMedium), "medium"}, {string(llm.EffortHigh), "high"}, {string(llm.EffortXHigh), "extra high"},
		{string(llm.EffortMax), "maximum"},
	}
}

// interfaceEfforts lists the efforts that a provider's interface accepts for any model. It refuses all others.
type interfaceEfforts struct {
	kind, preset string
	model        *regexp.Regexp // nil matches every model
	efforts      string         // with spaces around each
}

func knownInterfaces() []interfaceEfforts {
	return []interfaceEfforts{
		// anthropic-sdk-go, OutputConfigEffort; none: thinking of type disabled
		{Anthropic, "", nil, " none low medium high xhigh max "},
		{Bedrock, "", regexp.MustCompile(`(?:^|\.)anthropic\.`), " none low medium high xhigh max "}, // bedrockruntime, types.OutputConfig
		{Bedrock, "", nil, " low medium high xhigh max "},
		{Mistral, "", nil, " none minimal low medium high xhigh "},    // openapi-public-doc.yaml
		{Compatible, "gemini", nil, " none minimal low medium high "}, // https://ai.google.dev/gemini-api/docs/openai
		{Compatible, "ollama", nil, " none low medium high max "},     // observed on Ollama 0.17.4; max: models.dev
		{Compatible, "lmstudio", nil, ""},                             // https://lmstudio.ai/docs: no such parameter of chat completions
	}
}

// newerModel describes models that are missing from the embedded data, or whose efforts it lacks. The efforts have
// the form of [modelsdev.Model].
type newerModel struct {
	kind, preset string
	model        *regexp.Regexp
	efforts      string // "" means all efforts of the interface
	thinks       bool   // thinking can't be switched off
}

func newerModels() []newerModel {
	return []newerModel{
		// catwalk v0.52.6
		{OpenAI, "", regexp.MustCompile(`^gpt-5\.6(-[a-z]+)?(-\d{4}-\d{2}-\d{2})?$`), " none low medium high xhigh max ", false},
		{Compatible, "gemini", regexp.MustCompile(`^(models/)?gemini-3\.6-flash$`), " minimal low medium high ", false}, // catwalk v0.52.6
		{Compatible, "gemini", regexp.MustCompile(`^(models/)?gemini-3\.7-flash$`), " low medium high ", false},
		// new-api relaykit v0.3.1, release note.
		{Anthropic, "", regexp.MustCompile(`^claude-(opus-5-5|fable|mythos)`), "", true},
		{Bedrock, "", regexp.MustCompile(`(^|\.)anthropic\.claude-(opus-5-5|fable|mythos)`), "", true},
	}
}

// RefusesEffort returns which efforts are right if a provider is known to refuse the effort for the model. It
// returns "" if the provider accepts the effort, or if that is unknown. told is the provider's own list for
// the model and overrides all other knowledge; nil if it gave none.
//
// It is unknown for Azure deployments, whose names hide the model, for self-hosted services, and for names
// that end in -latest, because their model changes.
func (k Key) RefusesEffort(model string, e llm.Effort, told llm.Efforts) string {
	if e == llm.EffortDefault || !k.refuses(model, e, told) {
		return ""
	}
	words := []string{EffortDefault}
	for _, other := range Efforts()[1:] {
		if !k.refuses(model, llm.Effort(other.ID), told) {
			words = append(words, other.ID)
		}
	}
	return "must be one that is taken. This model takes " + strings.Join(words, ", ")
}

func (k Key) refuses(model string, e llm.Effort, told llm.Efforts) bool {
	if takes, says := told[e]; says {
		return !takes
	}
	for _, l := range knownInterfaces() {
		if l.kind == k.Kind && (l.preset == "" || l.preset == k.Preset) && (l.model == nil || l.model.MatchString(model)) {
			if !strings.Contains(l.efforts, " "+string(e)+" ") {
				return true
			}
			break
		}
	}
	for _, l := range newerModels() {
		if l.kind != k.Kind || l.preset != "" && l.preset != k.Preset || !l.model.MatchString(model) {
			continue
		}
		if l.efforts != "" {
			return !strings.Contains(l.efforts, " "+string(e)+" ")
		}
		if l.thinks && e == llm.EffortNone {
			return true
		}
	}
	return k.refusesByData(model, e)
}

// refusesByData reports whether the embedded data shows that the model refuses the effort.
func (k Key) refusesByData(model string, e llm.Effort) bool {
	from := k.ModelsDev()
	if from == "" || from == Azure || from == "openrouter" || strings.HasSuffix(model, "-latest") {
		return false // a router turns an effort into the nearest that the model takes (OpenRouter, reasoning tokens)
	}
	data, err := modelsdev.Load()
	if err != nil {
		return false
	}
	m, ok := data.Find(from, strings.TrimPrefix(model, "models/")) // Gemini lists its models with this prefix
	claude := k.Kind == Anthropic || k.Kind == Bedrock && strings.Contains(model, "anthropic.")
	switch {
	case !ok:
		return false
	case e == llm.EffortNone && (m.Toggle || claude): // Claude has no effort "none"; it is sent as thinking of type disabled
		return false
	case len(m.Efforts) > 0:
		return !slices.Contains(m.Efforts, string(e))
	}
	// Claude models with a budget refuse efforts (https://github.com/anthropics/claude-code/issues/30010:
	// "This model does not support the effort parameter."). For other providers a budget proves nothing,
	// because Gemini's compatible interface turns efforts into one.
	return m.Budget && claude
}
