package catalog

import (
	"regexp"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/llm/modelsdev"
)

// ModelsDev is what models.dev calls the provider behind a key; "" where it has
// none: services of one's own, and what is reached by an address that no preset has.
func (k Key) ModelsDev() string {
	switch k.Kind {
	case OpenAI, Anthropic, Mistral, Azure:
		return k.Kind
	case Bedrock:
		return "amazon-bedrock"
	}
	preset, ok := PresetOf(k.Preset)
	if !ok || strings.TrimRight(k.BaseURL, "/") != preset.BaseURL {
		return "" // another address is another service
	}
	names := map[string]string{"scaleway": "scaleway", "ovhcloud": "ovhcloud", "stackit": "stackit", "openrouter": "openrouter", "groq": "groq", "together": "togetherai", "gemini": "google"}
	return names[preset.ID]
}

// unfit are models that neither review nor make vectors.
var unfit = regexp.MustCompile(`image|tts|whisper|voxtral|guard|audio|deep-research|vision|instruct-v0|:free`)

// makers are those whose models a router's list begins with.
var makers = regexp.MustCompile(`^(openai|anthropic|google|mistralai)/`)

// Suggest returns at most n ids of models that the key may reach, in order; none
// where the embedded data does not know its provider. What a provider calls by a
// date is left out where it has a name without one, and higher numbers go first
// into a list that would be too long.
func (k Key) Suggest(n int) ([]string, error) {
	data, err := modelsdev.Load()
	if err != nil {
		return nil, err
	}
	from := k.ModelsDev()
	if from == Azure {
		from = OpenAI // what deployments are made of
	}
	models := data.Providers[from]
	var out []string
	for id, m := range models {
		plain := modelsdev.Undated(id)
		_, twice := models[plain]
		area, _, _ := strings.Cut(k.Region, "-")
		switch of := modelsdev.Area(id); {
		case m.In == nil, unfit.MatchString(id), plain != id && twice, of != "" && of != area, from == "openrouter" && !makers.MatchString(id):
		default:
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out[max(len(out)-n, 0):], nil
}
